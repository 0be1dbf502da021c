"""Players at a table, agents among them, and the loop that asks them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.agent import Agent
from kozyr.agents.arena import match
from kozyr.agents.player import AgentPlayer, Player, PlayerAgent, as_player, play, play_game
from kozyr.envs.core.rng import spread
from kozyr.envs.environments.illegal import OnIllegal
from kozyr.envs.table import record
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.table import Table, TableInfo
from tests.agents.test_clock import Time

GAME = envs.game("mnk")
SMALL = GAME.make_variant(m=3, n=3, k=3)
POKER = envs.game("draw_poker")


def first(view: Any, mask: Any) -> int:
    """Take the first legal action."""
    return int(np.flatnonzero(mask)[0])


class Remembering:
    """Plays at random and remembers all that it is told."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.told = list[Any]()
        self.seen = list[Event]()
        self.views = list[Any]()

    def begin(self, info: TableInfo) -> None:
        self.told.append(("begin", info))

    def see(self, event: Event) -> None:
        self.seen.append(event)

    def act(self, view: Any, mask: Any, deadline: float | None) -> int:
        self.views.append(view)
        self.deadline = deadline
        return int(self.rng.choice(np.flatnonzero(mask)))

    def end(self, payoffs: Sequence[float]) -> None:
        self.told.append(("end", list(payoffs)))


@pytest.mark.parametrize("name", envs.games())
def test_players_and_observers_hear_the_game(name: str) -> None:
    game = envs.game(name)
    table = Table(
        game, game.make_variant(), 4, id="t", names=[f"player {k}" for k in range(game.seats(game.make_variant()))]
    )
    players, observer = [Remembering(seat) for seat in range(table.seats)], Remembering()
    payoffs = play(table, players, [observer])
    assert payoffs == table.payoffs
    events = table.events()
    for seat, one in [*enumerate(players), (None, observer)]:
        assert one.told == [("begin", table.info(seat)), ("end", payoffs)]
        assert (one.told[0][1].table, one.told[0][1].seat) == ("t", seat)
        assert one.seen == [event.for_seat(seat) for event in events]
        assert not any(event.heard for event in one.seen)
    assert sum(len(one.views) for one in players) == table.ply
    assert observer.views == []


def test_what_is_discarded_only_the_seat_itself_hears() -> None:
    table = Table(POKER, POKER.make_variant(), 1)
    players = [Remembering(seat) for seat in range(table.seats)]
    play(table, players, [watching := Remembering()])
    exchanges = [i for i, event in enumerate(watching.seen) if event.text.startswith("discard")]
    assert exchanges
    for i in exchanges:
        mover = watching.seen[i].seat
        for seat, one in enumerate(players):
            known, none = one.seen[i].action is not None, watching.seen[i].text == "discard none"
            assert known == (seat == mover or none)


@pytest.mark.parametrize("name", envs.games())
def test_agents_play_at_a_table_as_they_play_a_game(name: str) -> None:
    game = envs.game(name)
    ladder = agents.names(name)
    players = [agents.load(ladder[seat % len(ladder)], name) for seat in range(game.seats(game.make_variant()))]
    due = play_game(game, game.make_variant(), 3, -1, players)
    table = Table(game, game.make_variant(), 3)
    play(table, [AgentPlayer(one, spread(3, 1 + seat)) for seat, one in enumerate(players)])
    assert table.record == due


def test_a_game_that_was_broken_off_is_played_on() -> None:
    table = Table(GAME, SMALL, 1, 0)
    for action in (0, 1):
        table.apply(action)
    again = Table.resume(record.read(record.write(table.record)))
    one = Remembering()
    play(again, [one, first])
    assert one.seen == again.events()
    assert [event.action for event in one.seen[1:3]] == [0, 1]


class Slow(Remembering):
    """Takes its time, and longer to get ready."""

    def __init__(self, now: Time, seconds: float) -> None:
        super().__init__()
        self.now, self.seconds, self.ready = now, seconds, 0

    def warm_up(self, view: Any, mask: Any) -> None:
        self.now.now += 1000
        self.ready += 1

    def act(self, view: Any, mask: Any, deadline: float | None) -> int:
        self.now.now += self.seconds
        return super().act(view, mask, deadline)


def test_the_clock_runs_after_the_warm_up() -> None:
    now = Time()
    slow, late = Slow(now, 5), Slow(now, 6)
    table = Table(GAME, SMALL, 1, 0, Clock(move=5, now=now))
    payoffs = play(table, [slow, late])
    assert payoffs == [1, -1]
    assert (slow.ready, late.ready) == (1, 1)
    assert [event.kind for event in slow.seen[1:]] == [Kind.MOVED, Kind.TIMED_OUT, Kind.ENDED]
    assert late.deadline == now.now - 1
    untimed = Slow(now, 5)
    play(Table(GAME, SMALL, 1, 0), [untimed, first])
    assert (untimed.ready, untimed.deadline) == (0, None)


def test_warming_up_takes_no_agents_luck() -> None:
    games = []
    for clock in (None, Clock(move=100)):
        table = Table(GAME, SMALL, 1, 0, clock)
        play(table, [AgentPlayer(agents.load("random", "mnk", m=3, n=3, k=3), seed) for seed in (1, 2)])
        games.append(table.record.actions)
    assert games[0] == games[1]


def test_an_agent_that_knows_how_warms_all_its_ways_before_a_clock_runs() -> None:
    search = agents.load("mnk:search@1", m=3, n=3, k=3)
    times: list[int] = []
    warm, search.warm = search.warm, lambda: (times.append(1), warm())  # pyright: ignore[reportAttributeAccessIssue]
    for clock in (None, Clock(move=100)):
        play(Table(GAME, SMALL, 1, 0, clock), [search, first])
    assert times == [1]


class Wrong(Remembering):
    """Answers the same whatever is asked, or raises it."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def __repr__(self) -> str:
        return "the wrong one"

    def act(self, view: Any, mask: Any, deadline: float | None) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("answer", [99, -1, None, 0.0, RuntimeError("no idea")], ids=repr)
def test_what_an_illegal_action_costs(answer: Any) -> None:
    for on in OnIllegal:
        table, other = Table(GAME, SMALL, 1, 0), Remembering()
        if on is OnIllegal.FORFEIT or (on is OnIllegal.DISQUALIFY and isinstance(answer, int)):
            assert play(table, [Wrong(answer), other], on_illegal=on) == [-1, 1]
            assert table.record.reason == ("error" if isinstance(answer, Exception) else "illegal action")
            assert [event.kind for event in other.seen[-2:]] == [Kind.FORFEITED, Kind.ENDED]
        else:
            with pytest.raises((ValueError, RuntimeError), match=r"the wrong one mnk_v0: action|no idea"):
                play(table, [Wrong(answer), other], on_illegal=on)
            assert (table.ply, table.over) == (0, False)


def test_what_can_be_asked_is_a_player() -> None:
    assert isinstance(as_player(first), AgentPlayer)
    assert isinstance(as_player(agents.load("mnk:easy")), AgentPlayer)
    player = Remembering()
    assert as_player(player) is player
    assert isinstance(player, Player)


class Deaf:
    def begin(self, info: Any) -> None: ...

    def act(self, view: Any, mask: Any, deadline: Any) -> int:
        return 0

    def end(self, payoffs: Any) -> None: ...


class Untimed(Remembering):
    def act(self, view: Any, mask: Any) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Remembering, r"Remembering is a class: make an object of it, as Remembering\(\)"),
        (Deaf(), "Deaf has no method 'see'"),
        (Untimed(), r"Untimed.act\(view: .* will be called as Untimed.act\(view, mask, deadline\)"),
        (3, "3 is no agent: give an object"),
    ],
)
def test_what_cannot_be_asked_is_refused(given: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        play(Table(GAME, SMALL, 1), [given, first])


def test_every_seat_needs_a_player() -> None:
    with pytest.raises(ValueError, match="1 players for 2 seats"):
        play(Table(GAME, SMALL, 1), [first])


def test_a_player_answers_as_an_agent_at_one_table() -> None:
    player = Remembering()
    agent = PlayerAgent(player, GAME, SMALL)
    assert isinstance(agent, Agent)
    env = envs.make_seat("mnk", agent, seat=0, m=3, n=3, k=3)
    for game in range(3):
        _, info = env.reset(seed=game)
        ended = False
        while not ended:
            _, _, ended, _, info = env.step(first(None, info["action_mask"]))
        assert [name for name, _ in player.told] == ["begin"] * (game + 2)  # once when the environment was made
    assert player.views
    assert player.seen == []


def test_a_player_as_an_agent_refuses_more_than_one_table() -> None:
    agent, words = PlayerAgent(Wrong(0), GAME, SMALL), "the wrong one is a player in one seat of one table"
    with pytest.raises(ValueError, match=f"{words} and cannot play 2 tables"):
        envs.make_vec("mnk", 2, agent, m=3, n=3, k=3)
    with pytest.raises(ValueError, match=f"{words} and cannot play a match"):
        match("mnk", [agent, "random"], 2, m=3, n=3, k=3)
    with pytest.raises(ValueError, match=f"{words} and cannot play 2 seats"):
        envs.make_seat("durak", PlayerAgent(Wrong(0), envs.game("durak"), None), players=3)
    with pytest.raises(ValueError, match=f"{words} and cannot play 2 decisions at once"):
        agent.act_batch(np.zeros((2, 1)), np.ones((2, 1), np.int8))
