"""Events: what happens at a table, as everybody may know it and as each seat may."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from kozyr.envs.core import labels
from kozyr.envs.core.game import Game
from kozyr.envs.core.labels import Phrase


class Kind(StrEnum):
    """Kind of an event."""

    BEGAN = "began"
    MOVED = "moved"
    FORFEITED = "forfeited"
    TIMED_OUT = "timed out"
    ENDED = "ended"


class Heard(NamedTuple):
    """View of an action: as much as a seat may know."""

    action: int | None  # None where the number would tell more than the words
    words: str
    text: str
    phrase: Phrase = ()


@dataclass(frozen=True)
class Event:
    """One thing that happened at a table.

    Its fields hold what everybody may know. The event that a table returns also knows what each seat may know: send
    nobody the event itself, but `event.for_seat(seat)`, or `event.for_seat(None)` to those who only watch.

    Attributes:
        kind: what happened.
        ply: how many actions had been played by then.
        seat: who began, moved or lost the game by a forfeit; None for the end.
        action: the action's number; None for all but moves, and where it may not be known.
        words: the action as a table shows it, "take", or the reason of a forfeit; else empty.
        phrase: the words of an action as a text and its arguments, which can be translated; else empty.
        text: the same as programs, language models and `parse` read it: of an action the game's `say`, "pass".
        payoffs: of an end, one a seat; else empty.
        truncated: of an end: whether a cap ended the game.

    Example:
        >>> str(Event(Kind.MOVED, 3, 1, 0, "fold"))
        'player_1: fold'
    """

    kind: Kind
    ply: int
    seat: int | None = None
    action: int | None = None
    words: str = ""
    payoffs: tuple[float, ...] = ()
    truncated: bool = False
    text: str = ""
    phrase: Phrase = field(default=(), repr=False, compare=False)
    heard: tuple[Heard, ...] = field(default=(), repr=False)  # by seat; empty where all may know the same

    def for_seat(self, seat: int | None) -> "Event":
        """Return the event with as much as a seat may know; None: as everybody may."""
        if not self.heard:
            return self
        knowledge = Heard(self.action, self.words, self.text, self.phrase) if seat is None else self.heard[seat]
        return replace(self, **knowledge._asdict(), heard=())

    def as_text(self) -> "Event":
        """Return the event in the words that programs and language models read."""
        return replace(self, words=self.text, phrase=()) if self.kind == Kind.MOVED else self

    def __str__(self) -> str:
        """Say it in a sentence."""
        who = f"player_{self.seat}"
        if self.kind == Kind.BEGAN:
            return f"{who} begins"
        if self.kind == Kind.MOVED:
            return f"{who}: {self.words}"
        if self.kind == Kind.ENDED:
            paid = ", ".join(f"player_{k} {payoff:+g}" for k, payoff in enumerate(self.payoffs))
            return f"the game is over{', cut off' if self.truncated else ''}: {paid}"
        return f"{who} is out of time" if self.kind == Kind.TIMED_OUT else f"{who} forfeits: {self.words}"


def moved(game: Game, v: Any, s: Any, action: int) -> Event:
    """Return the event of an action that is about to be played in the state `s`.

    A seat may know the action's number where it hears the same words as the mover. Where not all do, those who watch
    hear what the seats hear that do not, or nothing if that differs, too.
    """
    seats, mover, ply = game.seats(v), int(s.turn), int(s.ply) + 1
    texts = [game.text.say(v, s, action, seat) for seat in range(seats)]
    if all(one == texts[0] for one in texts):
        phrase = game.text.table_phrase(v, s, action)
        return Event(Kind.MOVED, ply, mover, action, labels.say(phrase), text=texts[0], phrase=phrase)
    phrases = [game.text.table_phrase(v, s, action, seat) for seat in range(seats)]
    knowledge = tuple(
        Heard(action if text == texts[mover] else None, labels.say(phrase), text, phrase)
        for text, phrase in zip(texts, phrases, strict=True)
    )
    others = {(one.words, one.text, one.phrase) for one in knowledge if one.action is None}
    words, text, phrase = others.pop() if len(others) == 1 else ("", "", ())
    return Event(Kind.MOVED, ply, mover, None, words, text=text, phrase=phrase, heard=knowledge)
