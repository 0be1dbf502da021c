"""What language models and their endpoints say: answers in prose, and messages."""

import json
from functools import cache, partial
from typing import Any

from kozyr import envs
from kozyr.agents.text.answer import Reader, Refused
from kozyr.agents.text.endpoint import Endpoint, EndpointError
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target

_ANSWERS = (
    "<think>7C or `pass`?</think>\n\nI play **7C**.\n\nAction: `{0}`",
    "1. {1}\n2. {0}\n\nThe first one is `dear`, so\n\n```text\n{0}\n```\nthat is all.",
    "My move:\n- **{1}**.\n[{0}]\n",
)
_WORDS = {"durak": ("pass", "7C"), "daifugo": ("*", "77*"), "draw_poker": ("raise 3", "discard 1 3 (7D KS)")}


@cache
def _reader(name: str) -> Reader:
    """Return what reads answers in a game where two actions are legal."""
    game = envs.game(name)
    v = game.make_variant()
    parse: Any = partial(game.text.parse, v)
    return Reader({word.lower(): parse(word) for word in _WORDS[name]}, parse)


def _answers() -> list[bytes]:
    """Return answers, the game in the first line."""
    return [f"{name}\n{one.format(*words)}".encode() for name, words in _WORDS.items() for one in _ANSWERS]


def read_answer(data: bytes) -> None:
    """Find the action in an answer, or say why there is none."""
    name, _, text = mutate.text_of(data).partition("\n")
    reader = _reader(name if name in _WORDS else "durak")
    require(reader.read(text) in reader.legal.values(), "an answer is read as an action that is not legal")


def _messages() -> list[bytes]:
    usage = {"prompt_tokens": 812, "completion_tokens": 12, "total_tokens": 824}
    said = [{"index": 0, "message": {"role": "assistant", "content": "7C"}, "finish_reason": "stop"}]
    return [json.dumps(one).encode() for one in ({"choices": said, "usage": usage}, {"choices": said})]


@cache
def _endpoint() -> Endpoint:
    return Endpoint("http://127.0.0.1:1/v1", "m", prices=(1.0, 2.0))


def read_message(data: bytes) -> None:
    """Read an endpoint's message; what it says of tokens is a number of tokens or unknown."""
    answer = _endpoint().answer(data)
    require(type(answer.text) is str, "an answer that is no text")
    for tokens in (answer.prompt_tokens, answer.completion_tokens):
        require(tokens is None or (type(tokens) is int and tokens >= 0), f"{tokens!r} tokens")
    require((answer.cost is None) == (None in answer[1:3]), "a cost without tokens, or none with them")


def targets() -> list[Target]:
    """Return the targets."""
    return [
        Target("llm-answer", mutate.TEXT, _answers, read_answer, (Refused,), ("kozyr.agents.text.answer",)),
        Target("llm-message", mutate.JSON, _messages, read_message, (EndpointError,), ("kozyr.agents.text.endpoint",)),
    ]
