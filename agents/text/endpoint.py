"""A language model behind an endpoint that speaks OpenAI's chat completions, as a function from prompt to answer."""

import asyncio
import math
import os
import threading
import time
import weakref
from collections.abc import Coroutine
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, cast

import msgspec

from kozyr.agents.usage import Answer
from kozyr.envs.core import install_hint
from kozyr.envs.core.quote import quote

KEY = "OPENAI_API_KEY"  # in the environment; it is read for each request and kept nowhere
TIMEOUT = 120.0  # seconds for an answer, all attempts together
_ATTEMPTS = 5
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0  # seconds before the second attempt, and before any
_LARGEST = 8 << 20  # bytes of an answer
_AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)  # that may be better the next time
_TOKENS = 1e9  # of an answer; more is a mistake of the endpoint
_CUT = "length"  # why an answer ended: it has as many tokens as it may have
_TEXTS = ("text", "output_text")  # parts of a message
_SHOWN = 300
_HINTS = {
    401: f"set {KEY} to a valid key",
    403: f"set {KEY} to a key that may use this model",
    404: "look whether OPENAI_BASE_URL ends as it should, mostly in /v1, and knows this model",
}


class EndpointError(RuntimeError):
    """An endpoint has not answered, or not with an answer.

    Attributes:
        resent: how often the request was sent again.
    """

    resent = 0


class _Busy(EndpointError):  # noqa: N818 - what it is
    """It may answer the next time.

    Attributes:
        wait: seconds that the endpoint asks for, or None.
    """

    def __init__(self, words: str, wait: float | None = None) -> None:
        super().__init__(words)
        self.wait = wait


class Endpoint:
    """One model as a function `(prompt, deadline) -> Answer`.

    Requests that fail because of the network, or because the endpoint is busy, are sent up to five times, each after
    twice the wait or what the endpoint's Retry-After says, but no longer than a minute, and not beyond the deadline.

    Args:
        url: of the endpoint, as https://api.openai.com/v1; model: what it calls the model.
        temperature: that is sent; None: the endpoint chooses.
        timeout: seconds for an answer, all attempts together.
        prices: of a million tokens, of prompt and answer; None: not known.

    Raises:
        ImportError: without httpx.
    """

    keeps_deadlines = True

    def __init__(
        self,
        url: str,
        model: str,
        temperature: float | None = None,
        timeout: float = TIMEOUT,
        prices: tuple[float, float] | None = None,
    ) -> None:
        self._args = (url, model, temperature, timeout, prices)
        self.url, self.model, self.temperature, self.timeout, self.prices = self._args
        try:
            import httpx
        except ModuleNotFoundError as missing:
            raise ImportError(f"a language model needs httpx: {install_hint.command('text')}") from missing
        self._http: Any = httpx
        self._open()

    def __repr__(self) -> str:
        return f"{self.model} at {self.url}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Endpoint, self._args

    def __call__(self, prompt: str, deadline: float | None = None) -> Answer:
        """Return the model's answer.

        Args:
            prompt: the question; deadline: by `time.monotonic`, or None.

        Raises:
            EndpointError: if there is none.
        """
        until = time.monotonic() + self.timeout
        until = until if deadline is None else min(until, deadline)
        message: dict[str, Any] = {"model": self.model, "messages": [{"role": "user", "content": prompt}]}
        if self.temperature is not None:
            message["temperature"] = self.temperature
        for attempt in range(_ATTEMPTS):
            try:
                return self.answer(self._post(message, until), attempt)
            except _Busy as busy:
                wait = _FIRST_WAIT * 2**attempt if busy.wait is None else min(busy.wait, _LONGEST_WAIT)
                if attempt == _ATTEMPTS - 1 or time.monotonic() + wait >= until:
                    tried = f" ({attempt + 1} attempts)" if attempt else ""
                    failed = EndpointError(f"{busy}{tried}")
                    failed.resent = attempt
                    raise failed from None
                time.sleep(wait)
        raise AssertionError  # the last attempt has returned or raised

    def close(self) -> None:
        """Close the connections; the next request opens others."""
        self._end()
        self._open()

    def _open(self) -> None:
        """Make a client, which opens connections when they are needed and takes no cookies."""
        none = CookieJar(DefaultCookiePolicy(allowed_domains=()))
        self._client, self._owner = self._http.AsyncClient(cookies=none), os.getpid()
        self._end = weakref.finalize(self, _close, self._client)

    def _post(self, message: Any, until: float) -> bytes:
        """Send one request and return the body of the response."""
        if self._owner != os.getpid():  # a fork has neither the loop nor the connections
            self._end.detach()
            self._open()
        key = os.environ.get(KEY, "").strip()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        left = max(until - time.monotonic(), 0.001)
        where = f"{self.url.rstrip('/')}/chat/completions"
        request = {"content": msgspec.json.encode(message), "headers": headers, "timeout": self._http.Timeout(left)}
        try:
            response, body = _in_the_loop(self._exchange(where, request, left))
        except (self._http.TimeoutException, TimeoutError):
            raise EndpointError(f"{self!r} has not answered in time") from None
        except self._http.InvalidURL as error:
            raise EndpointError(f"{quote(self.url)} is no URL: {error}") from None
        except self._http.RequestError as error:
            raise _Busy(f"{self!r} cannot be reached: {str(error) or type(error).__name__}") from None
        if response.status_code != 200:
            raise self._failure(response, body, key)
        return body

    async def _exchange(self, where: str, request: dict[str, Any], seconds: float) -> tuple[Any, bytes]:
        """Send a request and return the response with its body; all that may take so many seconds together."""
        async with asyncio.timeout(seconds), self._client.stream("POST", where, **request) as response:
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > _LARGEST:
                    raise EndpointError(f"{self!r} answers with more than {_LARGEST:,} bytes")
            return response, bytes(body)

    def _failure(self, response: Any, body: bytes, key: str) -> EndpointError:
        """Return the error of a response that is no answer."""
        status = int(response.status_code)
        excerpt = _cut(body)
        excerpt = excerpt.replace(key, "…") if key else excerpt
        hint = f": {_HINTS[status]}" if status in _HINTS else ""
        words = f"{self!r} answers with status {status}{hint}{f'; it says {excerpt}' if excerpt else ''}"
        return _Busy(words, _wait(response.headers.get("Retry-After"))) if status in _AGAIN else EndpointError(words)

    def answer(self, body: bytes, resent: int = 0) -> Answer:
        """Return the answer in the body of a response.

        Args:
            body: a message in JSON; resent: how often the request was sent again.

        Raises:
            EndpointError: if it holds none.
        """
        try:
            message = msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise EndpointError(f"{self!r} answers with something that is no JSON object: {_cut(body)}") from None
        try:
            choice = message["choices"][0]
            text, cut = _text(choice["message"].get("content")), choice.get("finish_reason") == _CUT
        except (KeyError, IndexError, TypeError, AttributeError):
            raise EndpointError(f"{self!r} answers without choices[0].message: is it OpenAI's protocol?") from None
        usage: Any = message.get("usage")
        prompt, completion = (_tokens(usage, name) for name in ("prompt_tokens", "completion_tokens"))
        cost = None
        if self.prices is not None and prompt is not None and completion is not None:
            cost = (prompt * self.prices[0] + completion * self.prices[1]) / 1e6
        return Answer(text, prompt, completion, cost, resent, cut)


_loops: dict[int, asyncio.AbstractEventLoop] = {}  # by process: a fork takes no thread along
_lock = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of this process for requests, which a thread of its own runs."""
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="kozyr requests", daemon=True).start()
        return loop


def _in_the_loop(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in that loop and wait for its result; who is interrupted ends it."""
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    finally:
        future.cancel()


def _close(client: Any) -> None:
    """Close a client's connections, if it has any; nobody waits for that."""
    loop = _loops.get(os.getpid())
    if loop is not None:
        asyncio.run_coroutine_threadsafe(client.aclose(), loop)


def _text(content: Any) -> str:
    """Return the text of a message, which may come in parts; parts that are no text, as thoughts, are left out."""
    if isinstance(content, str):
        return content
    listed = cast(list[Any], content) if isinstance(content, list) else []
    parts = [cast(dict[str, Any], one) for one in listed if isinstance(one, dict)]
    words = [one.get("text") for one in parts if one.get("type") in _TEXTS]
    return "".join(one for one in words if isinstance(one, str))


def _tokens(usage: Any, name: str) -> int | None:
    """Return a number of tokens, or None where an endpoint reports none."""
    count: Any = cast("dict[str, Any]", usage).get(name) if isinstance(usage, dict) else None
    return count if type(count) is int and 0 <= count <= _TOKENS else None


def _wait(header: str | None) -> float | None:
    """Return the seconds that a Retry-After asks for, or None."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            due = parsedate_to_datetime(header)
        except (ValueError, OverflowError):  # the latter of a year of twenty digits
            return None
        seconds = ((due if due.tzinfo else due.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _cut(body: bytes) -> str:
    """Return the beginning of a body, in one line."""
    text = " ".join(body[: 4 * _SHOWN].decode("utf-8", "replace").split())
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…") if text else ""
