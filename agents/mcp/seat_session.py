"""Seat session: one seat of a program that calls tools, at a table whose other seats are agents'."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, cast

from kozyr import agents
from kozyr.agents.play.host.choices import choices, find_choice
from kozyr.agents.play.session.words import opening, outcome
from kozyr.agents.player import AgentPlayer, ask
from kozyr.envs.bridges import structured
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import spread
from kozyr.envs.environments.illegal import OnIllegal
from kozyr.envs.table.event import Event
from kozyr.envs.table.table import Table

ME = "you"
_LONGEST = 200  # characters of an action in words


class SeatSession:
    """A game in progress, as one seat sees it and nothing else.

    Args:
        name: of the table.
        game: of the table; variant: its options; seed: fixes all chance.
        seat: of the program; opponents: names of agents, one for each other seat in their order.

    Raises:
        ValueError: for agents that cannot play.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        variant: Any,
        seed: int,
        seat: int,
        opponents: Sequence[str],
    ) -> None:
        names = [*opponents[:seat], ME, *opponents[seat:]]
        self.table, self.seat = Table(game, variant, seed, id=name, names=names), seat
        options = game.options(variant)
        self._players = {
            k: AgentPlayer(agents.load(one, game=game.name, **options), spread(seed, 1 + k))
            for k, one in enumerate(names)
            if k != seat
        }
        self._news: list[str] = []  # events that the program does not know yet
        self._lock = threading.Lock()
        for k, player in self._players.items():
            player.begin(self.table.info(k))
        self._hear(self.table.events())
        self._go_on()

    @property
    def opening(self) -> str:
        """The game and its players, in a sentence."""
        return opening(self.table.info(self.seat))

    def see(self, observation: bool) -> dict[str, Any]:
        """Return the seat's view, its legal actions, and the events since the last answer."""
        with self._lock:
            return self._answer(observation)

    def act(self, action: Any, observation: bool) -> dict[str, Any]:
        """Play an action, a number, words or an object of named parts, and all that follows up to the next turn.

        Raises:
            ValueError: in a sentence, if it cannot be played; nothing has changed then.
        """
        with self._lock:
            if self.table.over:
                raise ValueError(f"the game at table {self.table.id} is over: ask for its result, or sit down anew")
            self._hear(self.table.apply(self._number(action)))
            self._go_on()
            return self._answer(observation)

    def result(self) -> dict[str, Any]:
        """Return the outcome of the game.

        Raises:
            ValueError: while it is on.
        """
        with self._lock:
            self._require_over()
            payoffs = {f"player_{seat}": payoff for seat, payoff in enumerate(self.table.payoffs)}
            names = {f"player_{seat}": name for seat, name in enumerate(self.table.names or ())}
            result = {"words": outcome(self.table, self.seat), "payoffs": payoffs, "players": names}
            return {"table": self.table.id, **result, "your_payoff": self.table.payoffs[self.seat]}

    def record(self) -> Any:
        """Return the record of the game, hidden cards and seed too.

        Raises:
            ValueError: while it is on.
        """
        with self._lock:
            self._require_over()
            return self.table.record

    def _require_over(self) -> None:
        if not self.table.over:
            raise ValueError(f"the game at table {self.table.id} is still on: it waits for you, player_{self.seat}")

    def _number(self, action: Any) -> int:
        """Return the number of an action, which need not be legal: the table checks that."""
        table = self.table
        if isinstance(action, Mapping):
            return structured.action_of(table.game, table.variant, cast(Mapping[str, Any], action))
        if not isinstance(action, str):
            return action
        if len(action) > _LONGEST:
            raise ValueError(f"an action has up to {_LONGEST} characters: this one has {len(action):,}")
        return find_choice(table, choices(table), action).action

    def _go_on(self) -> None:
        """Let the others play until it is the seat's turn; who errs loses the game."""
        while not self.table.over and self.table.turn != self.seat:
            self._hear(ask(self.table, self._players[self.table.turn], OnIllegal.FORFEIT))

    def _hear(self, events: Sequence[Event]) -> None:
        """Tell everybody the events, as each may know them."""
        for event in events:
            self._news.append(str(event.for_seat(self.seat)))
            for k, player in self._players.items():
                player.see(event.for_seat(k))

    def _answer(self, observation: bool) -> dict[str, Any]:
        table = self.table
        answer: dict[str, Any] = {"table": table.id, "game": table.game.id, "you": f"player_{self.seat}"}
        answer |= {"over": table.over, "events": self._news, "text": table.text(self.seat)}
        self._news = []
        if observation:
            answer["observation"] = structured.observation_dict(table.game, table.variant, table.view(self.seat))
        legal = [] if table.over else [{"action": one.action, "words": one.words} for one in choices(table)]
        answer["legal"] = legal
        return answer
