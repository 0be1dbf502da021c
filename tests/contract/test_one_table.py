"""A table driven by events: the environment's game, no event that tells a seat too much, records that resume."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from kozyr.envs.environments.aec import RawEnv
from kozyr.envs.table import record
from kozyr.envs.table.event import Event, Kind, moved
from kozyr.envs.table.table import Table

from . import table as bare
from .test_blind import situations
from .words import SAME_GAME, assert_same_mask, assert_same_view

PLIES = 60
PAIRS = 12  # actions of a position that are compared with each other


def legal(table: Table) -> list[int]:
    return np.flatnonzero(table.mask).tolist()


def walk(table: Table, seed: int, plies: int = 10**9) -> list[Event]:
    """Play at random and return the events."""
    rng, events = np.random.default_rng(seed), []
    while not table.over and plies > 0:
        events += table.apply(int(rng.choice(legal(table))))
        plies -= 1
    return events


def test_a_table_is_the_aec_environment(game: Any, drawn: list[Any]) -> None:
    for seed, v in enumerate(drawn[:4]):
        env, table, rng = RawEnv(game, **game.options(v)), Table(game, v, seed), np.random.default_rng(seed)
        env.reset(seed=seed)
        names = env.possible_agents
        while not table.over:
            assert env.agent_selection == names[table.turn]
            for seat, name in enumerate(names):
                views = ("the table", table.view(seat)), ("the environment", env.observe(name)["observation"])
                assert_same_view(game, v, *views, SAME_GAME, seat=seat)
            observation = env.observe(names[table.turn])
            assert_same_mask(("the table", table.mask), ("the environment", observation["action_mask"]), SAME_GAME)
            assert table.payoffs == list(env.rewards.values())
            action = int(rng.choice(legal(table)))
            table.apply(action)
            env.step(action)
        assert all(env.truncations.values() if table.truncated else env.terminations.values())
        assert table.payoffs == list(env.rewards.values())
        assert bare.content(table.state()) == bare.content(env.state_record())
        assert not table.mask.any()


def test_events_tell_the_game(game: Any, drawn: list[Any]) -> None:
    for seed, v in enumerate(drawn[:4]):
        table = Table(game, v, seed)
        began = table.events()
        assert [event.kind for event in began] == [Kind.BEGAN]
        assert began[0].seat == table.starter
        events = began + walk(table, seed)
        assert [event.ply for event in events[1:-1]] == list(range(1, table.ply + 1))
        assert {event.kind for event in events[1:-1]} == {Kind.MOVED}
        known = [event.for_seat(event.seat) for event in events[1:-1]]
        assert [event.action for event in known] == table.record.actions
        assert all(event.words for event in known)
        assert (events[-1].kind, events[-1].payoffs) == (Kind.ENDED, tuple(table.payoffs))
        assert events[-1].truncated == table.truncated
        assert table.events() == events
        assert all(str(event) for event in events)


def test_a_table_goes_on_from_its_record_at_every_ply(game: Any, drawn: list[Any]) -> None:
    for seed, v in enumerate(drawn[:3]):
        table, rng = Table(game, v, seed, id="one"), np.random.default_rng(seed)
        for _ in range(PLIES):
            line = record.write(table.record)
            again = Table.resume(record.read(line))
            assert again.state().tobytes() == table.state().tobytes()
            assert record.write(again.record) == line
            assert_same_mask(("the table", table.mask), ("the one that its record gives", again.mask), SAME_GAME)
            assert (again.turn, again.id, again.payoffs) == (table.turn, "one", table.payoffs)
            if table.over:
                break
            table.play(int(rng.choice(legal(table))))
        rest = walk(Table.resume(record.read(record.write(table.record))), 7, PLIES)
        assert rest == walk(table, 7, PLIES)


def test_nobody_changes_a_table_through_what_it_shows(game: Any) -> None:
    table = Table(game, game.make_variant(), 3)
    mask, state = table.mask, bare.content(table.state())
    table.mask[:], table.view(table.turn)[:], table.state()["turn"][:] = 1, 1, -1
    with pytest.raises(ValueError, match="read-only"):
        table.states["turn"][:] = -1
    with pytest.raises(ValueError, match="read-only"):
        table.states[0].turn = -1
    assert (table.mask == mask).all()
    assert bare.content(table.states) == state


def test_copies_and_pickles_are_tables_of_their_own(game: Any) -> None:
    table = Table(game, game.make_variant(), 3)
    walk(table, 3, plies=4)
    before = table.state().tobytes()
    for other in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert other.state().tobytes() == before
        once = walk(other, 5, PLIES)
        assert table.state().tobytes() == before
        assert once == walk(copy.deepcopy(table), 5, PLIES)


def test_what_a_table_does_not_allow_changes_nothing(game: Any) -> None:
    table = Table(game, game.make_variant(), 1)
    illegal = np.flatnonzero(table.mask == 0)[:1].tolist()
    before, played = table.state().tobytes(), table.record
    wrong: list[Any] = [*illegal, -1, len(table.mask), 0.0, None, True, "0"]
    for action in wrong:
        for do in (table.apply, table.play):
            with pytest.raises(ValueError, match=r"(?s)ply 0: .*The position, unchanged:"):
                do(action)
        assert (table.state().tobytes(), table.record) == (before, played)
    seats: list[Any] = [-1, table.seats, None]
    for seat in seats:
        with pytest.raises(ValueError, match=f"seat={seat!r} is not allowed"):
            table.forfeit(seat, "away")
        assert not table.over
    walk(table, 1)
    for do in (lambda: table.apply(0), lambda: table.forfeit(0, "away"), table.start_clock):
        with pytest.raises(RuntimeError, match="the game is over after"):
            do()


def test_any_seat_may_forfeit(game: Any) -> None:
    for seat in range(game.seats(game.make_variant())):
        table = Table(game, game.make_variant(), seat)
        walk(table, seat, plies=1)
        assert not table.over
        lost, ended = table.forfeit(seat, "resigned")
        assert (lost.kind, lost.seat, lost.words, lost.ply) == (Kind.FORFEITED, seat, "resigned", 1)
        assert (ended.kind, ended.payoffs) == (Kind.ENDED, tuple(table.payoffs))
        assert table.payoffs[seat] == -1
        assert sum(table.payoffs) == pytest.approx(0)
        assert table.events()[-2:] == [lost, ended]
        assert not table.mask.any()
        again = Table.resume(record.read(record.write(table.record)))
        assert (again.record, again.events()) == (table.record, table.events())


def turned(event: Event, by: int, seats: int) -> Event:
    """Return an event as it would be if every seat had another number."""
    words = event.words
    for k in range(seats):
        words = words.replace(f"player_{k}", f"seat {(k - by) % seats}")
    return Event(event.kind, event.ply, None if event.seat is None else (event.seat - by) % seats, event.action, words)


def test_events_are_the_same_in_games_that_a_seat_cannot_tell_apart(game: Any) -> None:
    compared = 0
    for table in situations(game, 6, every=5):
        if table.over:
            continue
        for seat in set(range(table.seats)) - {table.turn}:
            guess = table.imagined(seat, seed=int(table.s.ply))
            for action in np.flatnonzero(table.mask() & guess.mask()).tolist():
                one = moved(game, table.v, table.s, action).for_seat(seat)
                other = moved(game, table.v, guess.s, action).for_seat(0)
                assert turned(one, seat, table.seats).words == turned(other, 0, table.seats).words
                assert one.action == other.action
                compared += 1
    assert compared


def test_events_tell_no_difference_that_the_view_does_not_show(game: Any) -> None:
    for table in situations(game, 6, every=9):
        if table.over:
            continue
        v, mover, after = table.v, table.turn, {}
        for action in np.flatnonzero(table.mask())[:PAIRS].tolist():
            event, then = moved(game, v, table.s, action), table.copy()
            then.play(action)
            assert event.for_seat(mover).action == action
            for seat in set(range(table.seats)) - {mover}:
                key = (seat, then.view(seat).tobytes())
                known = event.for_seat(seat)
                before = after.setdefault(key, (known, then))
                if then.bytes != before[1].bytes:  # with equal states nothing is hidden, and both names may be known
                    assert known == before[0]


def test_those_who_watch_know_what_every_seat_knows_and_no_more(game: Any) -> None:
    for table in situations(game, 6, every=9):
        if table.over:
            continue
        actions = np.flatnonzero(table.mask()).tolist()
        assert len({game.text.say(table.v, table.s, action, table.turn) for action in actions}) == len(actions)
        for action in actions[:PAIRS]:
            event = moved(game, table.v, table.s, action)
            events = [event.for_seat(seat) for seat in range(table.seats)]
            watching = event.for_seat(None)
            assert not any(one.heard for one in [watching, *events])
            assert watching.action == (action if all(one.action == action for one in events) else None)
            assert watching.words in {"", *(one.words for one in events if one.action == watching.action)}


def test_a_table_shows_what_the_environment_renders(game: Any) -> None:
    table = Table(game, game.make_variant(), 2)
    walk(table, 2, plies=5)
    for seat in (None, *range(table.seats)):
        for mode, shown in (("ansi", table.text(seat)), ("svg", table.drawing(seat))):
            env = RawEnv(game, mode, seat)
            env.reset(seed=2)
            for action in table.record.actions:
                env.step(action)
            assert env.render() == shown
