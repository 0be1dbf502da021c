r"""Answers of a model: the rule by which an action is read from a text.

The rule: where an answer is marked, as by <answer>7C</answer>, \boxed{7C} or {"action": "7C"}, the last mark counts
and nothing else. Otherwise text in backticks counts, the last action among it; if there is none, the last line that is
an action. Whatever stands around it is passed over: thoughts up to </think>, a bullet, bold letters, quotes, square
brackets, a full stop, and a word with a colon, as in "Action: 7C", then also a remark behind a dash. Cards may have
symbols and tens two digits, as 7♣ and 10C. Capitals do not matter. The action may still be illegal. Thoughts that are
not closed were cut, and hold no answer.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from kozyr.envs.core.quote import quote

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
_THOUGHTS = re.compile(r"<(/?)(?:think|thinking|reasoning)>|\[(/?)THINK\]", re.IGNORECASE)
_ANSWER = re.compile(
    r"<answer>((?:(?!<answer>).)*?)(?:</answer>|\Z)|\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}|(\{[^{}]*\})",
    re.DOTALL | re.IGNORECASE,
)
_LATEX = re.compile(r"\\(?:text|mathrm|textbf|texttt)\s*\{([^{}]*)\}")
_KEYS = ("action", "move", "answer")  # of an answer in JSON
_REMARK = re.compile(r"\s+(?:[—–-]+|\(|//)\s*.*")
_SUITS = {"♣": "C", "♧": "C", "♦": "D", "♢": "D", "♥": "H", "♡": "H", "♠": "S", "♤": "S", "\ufe0f": ""}
_SUIT = re.compile(rf"\\(club|diamond|heart|spade)suit|[{''.join(_SUITS)}]")
_TEN = re.compile(r"\b10(?=\s?[CDHS]\b)", re.IGNORECASE)
_GAP = re.compile(r"\b([2-9TJQKA])\s([CDHS])\b", re.IGNORECASE)
_AROUND = " \t\"'“”‘’[]"


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
        for line in _candidates(_decided(answer)):
            action = self._action(line)
            if action is not None and action in self.legal.values():
                return action
            if action is not None:
                raise Refused(f"{quote(line)} is not legal now")
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


def _decided(answer: str) -> str:
    """Return the text behind the thoughts, or, where the answer is marked, that in the last mark.

    Raises:
        Refused: if the thoughts do not end.
    """
    text = answer
    if thoughts := [*_THOUGHTS.finditer(answer)]:
        if not (thoughts[-1][1] or thoughts[-1][2]):
            raise Refused("it ends while you still think, so it holds no answer: think less")
        text = answer[thoughts[-1].end() :]
    return _marked(text)


def _marked(text: str) -> str:
    """Return the text in the last mark, or the whole text if there is none."""
    marks = [mark for match in _ANSWER.finditer(text) if (mark := _mark(match)) is not None]
    return marks[-1] if marks else text


def _mark(match: re.Match[str]) -> str | None:
    """Return the text in a mark, or None if it is JSON without an action."""
    tag, box, json = match.groups()
    if json is None:
        return _LATEX.sub(r"\1", box) if tag is None else _marked(tag)
    try:
        fields = msgspec.json.decode(json)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    values = [cast(dict[str, Any], fields).get(key) for key in _KEYS]
    return next((value for value in values if isinstance(value, str)), None)


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
    """Yield a line as it stands and with less and less around it, then each of them with cards as games write them."""
    forms = [line]
    for step in (_unbulleted, _bare, _unlabelled, _bare):
        if (less := step(line)) and less != line:
            forms.append(less)
            line = less
    yield from forms
    for form in forms:
        if (cards := _cards(form)) != form:
            yield cards


def _unbulleted(line: str) -> str:
    return _BULLET.sub("", line, count=1) if _BULLET.match(line) else line


def _unlabelled(line: str) -> str:
    """Return a line without a label, and then without a remark behind a dash."""
    label = _LABEL.match(line)
    return _REMARK.sub("", line[label.end() :]) if label else line


def _cards(text: str) -> str:
    """Return a text whose cards are written as 7C and TH in place of 7♣, 7 ♣ and 10H."""
    text = _SUIT.sub(lambda suit: suit[1][0].upper() if suit[1] else _SUITS[suit[0]], text)
    return _GAP.sub(r"\1\2", _TEN.sub("T", text))


def _bare(line: str) -> str:
    """Return a line without bold letters, quotes, brackets and a full stop around it."""
    bold = _BOLD.fullmatch(line)
    return (bold[2] if bold else line).strip(_AROUND).removesuffix(".").strip(_AROUND)
