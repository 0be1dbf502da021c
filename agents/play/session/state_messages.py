"""Messages about a table's position: the welcome of a client, and each state as a side sees it."""

import time
from collections.abc import Sequence

from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.connections import Participant
from kozyr.agents.play.session.host_protocol import TableState
from kozyr.agents.play.session.messages import PlaybackState, SceneChange, State
from kozyr.agents.play.session.tokens import Tokens
from kozyr.agents.play.session.words import Line, in_english, phrases
from kozyr.envs.core import labels

_NO_SCENE = SceneChange(0, 0, [])


class StateMessages:
    """The messages of one table.

    Args:
        id: of the table; config: of the table; tokens: its secrets.
        hints: names of agents that a person in a seat may ask.
        analyst: the agent that looks at a finished game, or "".

    Attributes:
        config: of the table, with the newest names of the seats.
    """

    def __init__(
        self,
        id: str,  # noqa: A002 - as elsewhere
        config: TableConfig,
        tokens: Tokens,
        hints: Sequence[str],
        analyst: str,
    ) -> None:
        self.config: TableConfig = config
        self._id, self._tokens, self._hints, self._analyst = id, tokens, list(hints), analyst
        self._game, self._variant = config.variant()
        self._people = config.people()

    def welcome(self, participant: Participant, log: list[Line]) -> messages.Welcome:
        """Return the first message to a client."""
        config, seat = self.config, participant.seat
        kinds = ["me" if k == seat else "person" if one else "agent" for k, one in enumerate(self._people)]
        return messages.Welcome(
            self._id,
            self._game.name,
            self._game.name_of(self._variant),
            self._game.options(self._variant),
            len(config.seats),
            seat,
            participant.host,
            unique_names(config.names),
            kinds,
            dict(self._game.labels),
            in_english(log),
            self._hints if seat is not None else [],
            config.clock,
            self._tokens.links(self._id, config) if participant.host else None,
            self._game.ranks,
            self._analyst,
            seat is not None and sum(self._people) > 1,
            phrases([words for _, _, words in log]),
        )

    def state(self, table: TableState, sees: int, playback: PlaybackState | None, helped: bool) -> State:
        """Return a position as a side sees it, its scene left out; `helped` is True if the game does not count."""
        view, over = table.views[sees], None
        if table.payoffs is not None:
            results = [labels.say(one) for one in table.results]
            record = f"/tables/{self._id}/record"
            over = messages.Over(table.payoffs, results, table.truncated, record, phrases(table.results))
        deadline = None if table.deadline is None else max(table.deadline - time.monotonic(), 0.0)
        undo = table.undo and sees >= 0 and self._people[sees]
        lines, left = table.lines.get(sees, []), table.left
        words, each = in_english(lines), phrases([one for _, _, one in lines])
        return State(
            table.ply, table.turn, 0, _NO_SCENE, view.choices, words, undo, left, deadline, over, playback, helped, each
        )


def unique_names(names: Sequence[str]) -> list[str]:
    """Return the names of the seats at the table: equal ones are numbered.

    Example:
        >>> unique_names(["Ann", "low", "low"])
        ['Ann', 'low 2', 'low 3']
    """
    return [f"{name} {seat + 1}" if names.count(name) > 1 else name for seat, name in enumerate(names)]
