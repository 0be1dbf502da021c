"""Agents of the name "llm:MODEL": options that the name leaves open come from the environment.

OPENAI_BASE_URL and OPENAI_API_KEY are the names that the servers' own manuals use. KOZYR_LLM_TEMPERATURE,
KOZYR_LLM_RETRIES, KOZYR_LLM_TIMEOUT, KOZYR_LLM_PRICES and KOZYR_LLM_TEXT stand for the options of a name.
"""

import os
from typing import Any
from urllib.parse import urlsplit

from kozyr.agents.agent_names import OPTIONS, LanguageModel, option
from kozyr.agents.text.endpoint import KEY, TIMEOUT, Endpoint
from kozyr.agents.text.question import LONG
from kozyr.agents.text.text_agent import RETRIES, TextAgent
from kozyr.envs.core.quote import quote

URL = "OPENAI_BASE_URL"
_OPENAI = "https://api.openai.com/v1"  # where a key alone is enough
_OURS = "KOZYR_LLM_{}"


def make(name: LanguageModel, game: str, variant: dict[str, Any]) -> TextAgent:
    """Return the agent of a name; nothing is asked yet.

    Raises:
        ValueError: if the environment does not say where to ask, or says something that is not allowed.
    """
    options = {one: _option(name, one) for one in OPTIONS}
    timeout = TIMEOUT if options["timeout"] is None else options["timeout"]
    retries = RETRIES if options["retries"] is None else options["retries"]
    try:
        ask = Endpoint(url(), name.model, options["temperature"], timeout, options["prices"])
    except ImportError as missing:
        raise ValueError(str(missing)) from missing
    return TextAgent(ask, game, retries=retries, text=options["text"] or LONG, name=str(name), **variant)


def url() -> str:
    """Return the address of the endpoint.

    Raises:
        ValueError: if the environment does not say it, or it is no address.
    """
    address = os.environ.get(URL, "").strip()
    if not address:
        if os.environ.get(KEY, "").strip():
            return _OPENAI
        raise ValueError(
            f"nobody says where the model is: set {URL}, as http://localhost:8000/v1 for a server of your own, "
            f"or {KEY} for {_OPENAI}"
        )
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{URL}={quote(address)} is no address: write it as http://localhost:8000/v1")
    return address


def _option(name: LanguageModel, one: str) -> Any:
    """Return an option of the name, or else of the environment, or None."""
    if (value := getattr(name, one)) is not None:
        return value
    variable = _OURS.format(one.upper())
    text = os.environ.get(variable, "").strip()
    try:
        return option(one, text) if text else None
    except ValueError as error:
        raise ValueError(f"{variable}: {error}") from None
