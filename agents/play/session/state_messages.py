"""What those at a table are told of it: once when they come, and after every change."""

import time
from collections.abc import Sequence

from kozyr.agents.play.host.server_table import Shown
from kozyr.agents.play.pages.table_config import Setup
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.connections import Person
from kozyr.agents.play.session.log import Line
from kozyr.agents.play.session.messages import Drawn, Paced, State
from kozyr.agents.play.session.tokens import Tokens

_NO_SCENE = Drawn(0, 0, [])


class Teller:
    """The words of one table.

    Args:
        id: of the table; setup: what was agreed; tokens: who may do what.
        hints: names of agents that a person in a seat may ask.
    """

    def __init__(self, id: str, setup: Setup, tokens: Tokens, hints: Sequence[str]) -> None:  # noqa: A002 - as elsewhere
        self._id, self._setup, self._tokens, self._hints = id, setup, tokens, list(hints)
        self._game, self._variant = setup.variant()
        self._people = setup.people()

    def welcome(self, person: Person, log: list[Line]) -> messages.Welcome:
        """Return what somebody is told who has come."""
        setup = self._setup
        kinds = ["me" if k == person.seat else "person" if one else "agent" for k, one in enumerate(self._people)]
        return messages.Welcome(
            self._id,
            self._game.name,
            self._game.title,
            self._game.options(self._variant),
            len(setup.seats),
            person.seat,
            person.host,
            told_apart(setup.names),
            kinds,
            dict(self._game.labels),
            log,
            self._hints if person.seat is not None else [],
            setup.clock,
            self._tokens.links(self._id, setup) if person.host else None,
        )

    def state(self, now: Shown, sees: int, pace: Paced | None) -> State:
        """Return a position as a side sees it, its scene left out."""
        look, over = now.looks[sees], None
        if now.payoffs is not None:
            over = messages.Over(now.payoffs, now.results, now.truncated, f"/tables/{self._id}/record")
        deadline = None if now.deadline is None else max(now.deadline - time.monotonic(), 0.0)
        undo = now.undo and sees >= 0 and self._people[sees]
        lines = now.lines.get(sees, [])
        return State(now.ply, now.turn, 0, _NO_SCENE, look.choices, lines, undo, now.left, deadline, over, pace)


def told_apart(names: Sequence[str]) -> list[str]:
    """Return what seats are called at the table: those with the same name are numbered.

    Example:
        >>> told_apart(["Ann", "low", "low"])
        ['Ann', 'low 2', 'low 3']
    """
    return [f"{name} {seat + 1}" if names.count(name) > 1 else name for seat, name in enumerate(names)]
