"""State messages: a table for its clients, once when they come and after every change."""

import time
from collections.abc import Sequence

from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.connections import Participant
from kozyr.agents.play.session.host_protocol import TableState
from kozyr.agents.play.session.log import Line
from kozyr.agents.play.session.messages import PlaybackState, SceneChange, State
from kozyr.agents.play.session.tokens import Tokens

_NO_SCENE = SceneChange(0, 0, [])


class StateMessages:
    """The messages of one table.

    Args:
        id: of the table; config: of the table; tokens: its secrets.
        hints: names of agents that a person in a seat may ask.
    """

    def __init__(self, id: str, config: TableConfig, tokens: Tokens, hints: Sequence[str]) -> None:  # noqa: A002 - as elsewhere
        self._id, self._config, self._tokens, self._hints = id, config, tokens, list(hints)
        self._game, self._variant = config.variant()
        self._people = config.people()

    def welcome(self, participant: Participant, log: list[Line]) -> messages.Welcome:
        """Return the first message to a client."""
        config, seat = self._config, participant.seat
        kinds = ["me" if k == seat else "person" if one else "agent" for k, one in enumerate(self._people)]
        return messages.Welcome(
            self._id,
            self._game.name,
            self._game.title,
            self._game.options(self._variant),
            len(config.seats),
            seat,
            participant.host,
            unique_names(config.names),
            kinds,
            dict(self._game.labels),
            log,
            self._hints if seat is not None else [],
            config.clock,
            self._tokens.links(self._id, config) if participant.host else None,
        )

    def state(self, table: TableState, sees: int, playback: PlaybackState | None) -> State:
        """Return a position as a side sees it, its scene left out."""
        view, over = table.views[sees], None
        if table.payoffs is not None:
            over = messages.Over(table.payoffs, table.results, table.truncated, f"/tables/{self._id}/record")
        deadline = None if table.deadline is None else max(table.deadline - time.monotonic(), 0.0)
        undo = table.undo and sees >= 0 and self._people[sees]
        lines, left = table.lines.get(sees, []), table.left
        return State(table.ply, table.turn, 0, _NO_SCENE, view.choices, lines, undo, left, deadline, over, playback)


def unique_names(names: Sequence[str]) -> list[str]:
    """Return the names of the seats at the table: equal ones are numbered.

    Example:
        >>> unique_names(["Ann", "low", "low"])
        ['Ann', 'low 2', 'low 3']
    """
    return [f"{name} {seat + 1}" if names.count(name) > 1 else name for seat, name in enumerate(names)]
