"""What a language model was asked and what that came to: answers, tokens, cost, time."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, TypeVar

Number = TypeVar("Number", int, float)


class Answer(NamedTuple):
    """What a function made of a prompt; one that knows only the text returns the text.

    Attributes:
        text: the answer.
        prompt_tokens, completion_tokens: of this answer; None: not known.
        cost: in the currency of the prices, usually dollars; None: not known.
        resent: how often the request was sent again, because nobody answered or the endpoint was busy.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    resent: int = 0


@dataclass(frozen=True)
class Usage:
    """What a model's decisions came to. What is not known of one answer is not known of the sum.

    Attributes:
        model: what was asked; temperature: as it was sent, or None where the endpoint chooses.
        answers: that came; illegal: those of them that were no legal action.
        retries: questions put again because of an illegal answer.
        resent: requests sent again because nobody answered or the endpoint was busy.
        prompt_tokens, completion_tokens: sums; None: not known.
        cost: of all answers; None: not known.
        seconds: from the questions to their answers, failed ones too.
    """

    model: str = ""
    temperature: float | None = None
    answers: int = 0
    illegal: int = 0
    retries: int = 0
    resent: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cost: float | None = 0.0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum of two usages of one model."""
        return Usage(
            self.model,
            self.temperature,
            self.answers + other.answers,
            self.illegal + other.illegal,
            self.retries + other.retries,
            self.resent + other.resent,
            _sum(self.prompt_tokens, other.prompt_tokens),
            _sum(self.completion_tokens, other.completion_tokens),
            _sum(self.cost, other.cost),
            self.seconds + other.seconds,
        )

    def columns(self) -> dict[str, str]:
        """Return what a table shows of it."""
        tokens = (self.prompt_tokens, self.completion_tokens)
        known = [f"{one:,}" for one in tokens if one is not None]
        return {
            "Illegal": f"{self.illegal:,} of {self.answers:,}",
            "Retries": f"{self.retries:,}",
            "Tokens": " + ".join(known) if len(known) == len(tokens) else "unknown",
            "Cost": "unknown" if self.cost is None else f"{self.cost:.4f}",
            "Time": f"{self.seconds:,.1f} s",
        }


def _sum(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else one + other


def total(parts: Iterable[Usage | None]) -> Usage | None:
    """Return the sum of usages of one model; None counts for nothing, and is the sum of nothing."""
    found = [one for one in parts if one is not None]
    return reduce(Usage.__add__, found) if found else None
