"""Clocks, told by a clock that stands still until a test moves it."""

import copy
from typing import Any

import pytest

from kozyr import envs
from kozyr.envs.table import record
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.event import Kind
from kozyr.envs.table.table import Table


class Time:
    """What time it is."""

    def __init__(self, now: float = 100.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def a_table(now: Time, **limits: Any) -> Table:
    game = envs.game("mnk")
    return Table(game, game.make_variant(m=3, n=3, k=3), 1, 0, Clock(**limits, now=now))


def moves(table: Table, now: Time, action: int, seconds: float) -> list[Kind]:
    """Let a seat think so long, and return what happened."""
    table.start_clock()
    now.now += seconds
    return [event.kind for event in table.apply(action)]


def test_a_decision_has_its_time() -> None:
    now = Time()
    table = a_table(now, move=5)
    assert table.start_clock() == 105
    now.now = 105
    assert not table.late
    assert table.start_clock() == 105  # it runs already
    assert [event.kind for event in table.apply(0)] == [Kind.MOVED]
    assert table.start_clock() == 110
    now.now = 110.5
    assert table.late
    before = table.state().tobytes()
    assert [event.kind for event in table.apply(1)] == [Kind.TIMED_OUT, Kind.ENDED]
    assert (table.payoffs, table.over, table.late) == ([1, -1], True, False)
    assert table.state().tobytes() == before
    assert (table.record.forfeit, table.record.reason, table.record.actions) == (1, "time", [0])


def test_time_runs_only_once_the_clock_is_started() -> None:
    now = Time()
    table = a_table(now, move=5, game=10)
    for action in (0, 1):
        now.now += 1000
        assert not table.late
        assert [event.kind for event in table.apply(action)] == [Kind.MOVED]
    assert table.record.left == [10, 10]


def test_a_game_has_a_budget_that_grows() -> None:
    now = Time()
    table = a_table(now, game=10, increment=2)
    assert moves(table, now, 0, 4) == [Kind.MOVED]
    assert moves(table, now, 1, 10) == [Kind.MOVED]
    assert table.record.left == [8, 2]
    assert moves(table, now, 2, 8) == [Kind.MOVED]
    assert table.record.left == [2, 2]
    assert table.start_clock() == now.now + 2
    assert moves(table, now, 3, 2.5) == [Kind.TIMED_OUT, Kind.ENDED]
    assert table.record.forfeit == 1


def test_the_shorter_limit_counts() -> None:
    now = Time()
    assert a_table(now, move=3, game=10).start_clock() == 103
    assert a_table(now, move=30, game=10).start_clock() == 110


def test_an_illegal_action_does_not_stop_the_clock() -> None:
    now = Time()
    table = a_table(now, move=5)
    table.start_clock()
    now.now += 4
    with pytest.raises(ValueError, match="at ply 0"):
        table.apply(99)
    now.now += 2
    assert [event.kind for event in table.apply(0)] == [Kind.TIMED_OUT, Kind.ENDED]


def test_who_asks_may_look_at_the_clock_and_end_the_game() -> None:
    now = Time()
    table = a_table(now, move=5)
    table.start_clock()
    now.now += 6
    assert table.late
    events = table.forfeit(table.turn, "time")
    assert str(events[0]) == "player_0 is out of time"
    assert table.events()[1:] == events


def test_the_times_left_come_back_from_the_record() -> None:
    now = Time()
    table = a_table(now, move=5, game=60, increment=1)
    moves(table, now, 0, 4)
    table.start_clock()
    now.now += 3  # the decision that was broken off is not charged
    line = record.write(table.record)
    assert '"clock":{"move":5,"game":60,"increment":1},"left":[57.0,60.0]' in line
    later = Time(7.0)
    again = Table.resume(record.read(line), now=later)
    assert record.write(again.record) == line
    assert again.start_clock() == 12
    assert moves(again, later, 1, 5) == [Kind.MOVED]
    assert again.record.left == [57, 56]
    assert copy.deepcopy(again).record == again.record


def test_without_a_clock_nobody_is_late() -> None:
    game = envs.game("mnk")
    table = Table(game, game.make_variant(), 1)
    assert table.start_clock() is None
    assert not table.late
    assert "clock" not in record.write(table.record)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({}, "a clock needs a limit"),
        ({"increment": 1}, "a clock needs a limit"),
        ({"move": 0}, "move=0 is not allowed"),
        ({"move": -1.0}, r"move=-1\.0 is not allowed"),
        ({"game": float("nan")}, "game=nan is not allowed"),
        ({"game": float("inf")}, "game=inf is not allowed"),
        ({"game": "60"}, "game='60' is not allowed"),
        ({"move": True}, "move=True is not allowed"),
        ({"game": 1, "increment": -1}, "increment=-1 is not allowed"),
        ({"game": 1, "increment": None}, "increment=None is not allowed"),
        ({"move": 1, "increment": 1}, "increment=1 needs game=seconds"),
    ],
    ids=str,
)
def test_a_clock_that_cannot_be_is_refused(limits: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Clock(**limits)
