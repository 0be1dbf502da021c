"""Usage of language models: answers, tokens, cost and time."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, TypeVar

Number = TypeVar("Number", int, float)


class Answer(NamedTuple):
    """Answer to a prompt, with its usage; a function that knows only the text returns the text.

    Attributes:
        text: the answer.
        prompt_tokens, completion_tokens: of this answer; None: not known.
        cost: in the currency of the prices, usually dollars; None: not known.
        resent: times that the request was sent again, because nobody answered or the endpoint was busy.
        cut: whether the endpoint says that the answer ends before its end; such an answer is never played.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    resent: int = 0
    cut: bool = False


@dataclass(frozen=True)
class Usage:
    """Usage of a model's decisions. A quantity that is unknown for one answer is unknown in the sum.

    Attributes:
        model: its name; temperature: as it was sent, or None if the endpoint chooses.
        answers: their number; illegal: those of them that were no legal action.
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
        """Return the columns of a table, as text."""
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
    """Return the sum of usages of one model, without those that are None; None if nothing is left."""
    known = [one for one in parts if one is not None]
    return reduce(Usage.__add__, known) if known else None
