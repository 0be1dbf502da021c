"""Events: what happens at a table, as everybody may know it and as each seat may."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from kozyr.envs.core.game import Game


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
        words: the action, or the reason of a forfeit; else empty.
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
    heard: tuple[Heard, ...] = field(default=(), repr=False)  # by seat; empty where all may know the same

    def for_seat(self, seat: int | None) -> "Event":
        """Return the event with as much as a seat may know; None: as everybody may."""
        if not self.heard:
            return self
        knowledge = Heard(self.action, self.words) if seat is None else self.heard[seat]
        return replace(self, action=knowledge.action, words=knowledge.words, heard=())

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
    words = [game.text.say(v, s, action, seat) for seat in range(seats)]
    if all(one == words[0] for one in words):
        return Event(Kind.MOVED, ply, mover, action, words[0])
    knowledge = tuple(Heard(action if one == words[mover] else None, one) for one in words)
    others = {one for one in words if one != words[mover]}
    return Event(Kind.MOVED, ply, mover, None, others.pop() if len(others) == 1 else "", heard=knowledge)
