"""Answers of a model: the rule by which an action is read from a text.

The rule: text in backticks counts, the last action among it; if there is none, the last line that is an action
counts. Whatever stands around it is passed over: thoughts up to </think>, a bullet, bold letters, quotes, square
brackets, a full stop, and a word with a colon, as in "Action: 7C". Capitals do not matter. The action may still be
illegal.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

RULE = (
    "You may think first. End with the action alone on the last line, written as above, or in backticks. "
    "The last action in backticks counts; if there is none, the last line that is an action."
)
_MOST_LINES, _MOST = 400, 120  # lines from the end that are looked at, and characters of one
_SPAN = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)|`([^`\n]+)`", re.DOTALL)
_BULLET = re.compile(r"(?:[-*•>#]+|\d{1,3}[.)])\s+")
_WORDS = r"[A-Za-z][\w' ]{0,40}"
_LABEL = re.compile(rf"(?:(\*\*|__){_WORDS}(?::\1|\1:)|{_WORDS}:)\s*")
_BOLD = re.compile(r"(\*\*|__)(.+)\1[.]?")
_AROUND = " \t\"'“”‘’[]"
_SHOWN = 60


class Refused(ValueError):  # noqa: N818 - what has happened
    """An answer holds no legal action; the words say why, to the model."""


@dataclass(frozen=True)
class Reader:
    """Reader of the actions of one decision.

    Attributes:
        legal: the legal actions by their words in small letters.
        parse: the game's own reading of an action; it raises ValueError.
    """

    legal: Mapping[str, int]
    parse: Callable[[str], int]

    def read(self, answer: str) -> int:
        """Return the legal action in an answer.

        Raises:
            Refused: if there is none.
        """
        text = answer.rpartition("</think>")[2]
        for line in _candidates(text):
            action = self._action(line)
            if action is not None and action in self.legal.values():
                return action
            if action is not None:
                raise Refused(f"{_cut(line)} is not legal now")
        raise Refused("it holds no action, neither in backticks nor alone on a line")

    def _action(self, line: str) -> int | None:
        """Return the action that a line is, legal or not, or None."""
        for form in _forms(line):
            if (action := self.legal.get(form.lower())) is not None:
                return action
        for form in _forms(line):
            try:
                return self.parse(form)
            except ValueError:
                continue
        return None


def _candidates(text: str) -> Iterator[str]:
    """Yield the texts in backticks and then the lines, the last one first."""
    for span in reversed([*_SPAN.finditer(text)]):
        yield from _lines(span[1] if span[1] is not None else span[2])
    yield from _lines(_SPAN.sub("", text))


def _lines(text: str) -> Iterator[str]:
    """Yield the lines that may be an action, the last one first."""
    for line in reversed(text.splitlines()[-_MOST_LINES:]):
        if (bare := line.strip()) and len(bare) <= _MOST:
            yield bare


def _forms(line: str) -> Iterator[str]:
    """Yield a line as it stands and with less and less around it."""
    yield line
    for step in (_unbulleted, _bare, _unlabelled, _bare):
        if (less := step(line)) and less != line:
            yield less
            line = less


def _unbulleted(line: str) -> str:
    return _BULLET.sub("", line, count=1) if _BULLET.match(line) else line


def _unlabelled(line: str) -> str:
    label = _LABEL.match(line)
    return line[label.end() :] if label else line


def _bare(line: str) -> str:
    """Return a line without bold letters, quotes, brackets and a full stop around it."""
    bold = _BOLD.fullmatch(line)
    return (bold[2] if bold else line).strip(_AROUND).removesuffix(".").strip(_AROUND)


def _cut(line: str) -> str:
    return repr(line if len(line) <= _SHOWN else line[:_SHOWN] + "…")
