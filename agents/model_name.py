"""The name of a language model, as `kozyr.agents.agent_names` takes it apart."""

import re
from dataclasses import dataclass
from typing import Any, cast

MODEL = "llm"  # what the name begins with
_SHOWN = 60  # characters of a name that a message repeats
_LONGEST = 200  # characters of what the endpoint calls it
_DECIMAL = r"\d{1,6}(?:\.\d{1,4})?"
OPTIONS = {  # how each is written, what it may be, and that in words
    "temperature": (_DECIMAL, 0, 2, "a number from 0 to 2"),
    "retries": (r"\d{1,2}", 0, 20, "a whole number from 0 to 20"),
    "timeout": (_DECIMAL, 1, 3600, "seconds from 1 to 3600"),
    "prices": (rf"{_DECIMAL}/{_DECIMAL}", 0, 999_999, "two prices of a million tokens, of prompt and answer: 0.15/0.6"),
}


@dataclass(frozen=True)
class LanguageModel:
    """The name of a language model.

    Attributes:
        model: what the endpoint calls it.
        temperature: that it is asked to answer with; retries: questions put again after an answer that is no legal
            action; timeout: seconds for an answer; prices: of a million tokens, of prompt and answer. None: the
            environment, or else `kozyr.agents.text.model`, says it.
    """

    model: str
    temperature: float | None = None
    retries: int | None = None
    timeout: float | None = None
    prices: tuple[float, float] | None = None

    def __str__(self) -> str:
        given = {name: getattr(self, name) for name in OPTIONS}
        told = [f"{name}={_decimals(value)}" for name, value in given.items() if value is not None]
        return f"{MODEL}:{self.model}" + (f"@{','.join(told)}" if told else "")


def parse(text: str) -> LanguageModel:
    """Return the name of a language model; its options stand behind the last @ and have an =."""
    model, at, told = text.partition(":")[2].rpartition("@")
    if not at or "=" not in told:
        model, told = text.partition(":")[2], ""
    if not model or len(model) > _LONGEST or not all(c.isprintable() and not c.isspace() for c in model):
        raise ValueError(f"{text[:_SHOWN]!r} names no model: write llm:MODEL, as the endpoint calls it, without spaces")
    given = dict[str, Any]()
    for one in told.split(",") if told else ():
        name, _, value = one.partition("=")
        if name not in OPTIONS or name in given:
            raise ValueError(
                f"{text[:_SHOWN]!r}: {name[:_SHOWN]!r} is no option: write {', '.join(OPTIONS)}, each once"
            )
        try:
            given[name] = option(name, value)
        except ValueError as error:
            raise ValueError(f"{text[:_SHOWN]!r}: {error}") from None
    return LanguageModel(model, **given)


def option(name: str, value: str) -> Any:
    """Return the value of an option of a language model, as a name or the environment writes it.

    Raises:
        ValueError: if it is not allowed, saying what is.
    """
    form, least, most, allowed = OPTIONS[name]
    numbers = [float(one) for one in value.split("/")] if re.fullmatch(form, value, re.ASCII) else []
    if not numbers or not all(least <= one <= most for one in numbers):
        raise ValueError(f"{name}={value[:_SHOWN]!r} is not allowed: {name} is {allowed}")
    return tuple(numbers) if len(numbers) > 1 else int(numbers[0]) if name == "retries" else numbers[0]


def _decimals(value: Any) -> str:
    """Return the value of an option as it is written."""
    if isinstance(value, tuple):
        return "/".join(map(_decimals, cast("tuple[float, ...]", value)))
    return f"{value:.4f}".rstrip("0").rstrip(".")
