"""One object in two threads: the second is refused, whoever comes in between."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.envs.table.table import Table

from .test_processes import DURAK, PATIENCE, Outside, positions


class Waiting(Outside):
    """An opponent that does not answer until it is let."""

    def __init__(self) -> None:
        self.asked, self.go, self.slow = threading.Event(), threading.Event(), False

    def act_batch(self, views: Any, masks: Any) -> Any:
        self.asked.set()
        assert not self.slow or self.go.wait(PATIENCE)
        return super().act_batch(views, masks)


@pytest.mark.parametrize(
    ("make", "action"),
    [
        (lambda other: envs.make_vec("mnk", 2, other, seat=0), np.array([3, 4])),
        (lambda other: envs.make_vec("mnk", 2, other, seat=0).tables, np.array([3, 4])),
        (lambda other: envs.make_seats("mnk", 2, other, seat=0), np.array([3, 4])),
        (lambda other: envs.make_seat("mnk", other, seat=0), 3),
    ],
    ids=["make_vec", "LearnerTables", "make_seats", "make_seat"],
)
def test_a_second_thread_is_refused_while_the_first_waits_for_an_opponent(make: Any, action: Any) -> None:
    other = Waiting()
    env = make(other)
    env.reset(seed=1)
    other.asked.clear()
    other.slow = True
    stepping = threading.Thread(target=env.step, args=(action,))
    stepping.start()
    try:
        assert other.asked.wait(PATIENCE)
        with pytest.raises(RuntimeError, match="give each thread its own"):
            env.step(action)
        with pytest.raises(RuntimeError, match="give each thread its own"):
            env.reset(seed=2)
    finally:
        other.go.set()
        stepping.join()
    env.reset(seed=1)
    env.step(action)


class Slow:
    """An action that lets another thread in while it is looked at."""

    def __init__(self, other: Callable[[], Any]) -> None:
        self.other, self.refused = other, list[str]()

    def __index__(self) -> int:
        def come() -> None:
            try:
                self.other()
            except RuntimeError as error:
                self.refused.append(str(error))

        thread = threading.Thread(target=come)
        thread.start()
        thread.join()
        return 4

    __int__ = __index__

    def __ge__(self, other: Any) -> bool:
        return other <= 4

    def __lt__(self, other: Any) -> bool:
        return other > 4


@pytest.mark.parametrize("method", ["apply", "play", "step"])
def test_a_second_thread_is_refused_between_the_check_of_an_action_and_its_move(method: str) -> None:
    game = envs.game("mnk")
    it: Any = envs.make("mnk") if method == "step" else Table(game, game.make_variant(), 1)
    if method == "step":
        it.reset(seed=1)
    move = getattr(it, method)
    action = Slow(lambda: move(4))
    move(action)
    assert action.refused
    assert all("give each thread its own" in words for words in action.refused)
    move(3)


def game_in_progress() -> Any:
    """An AEC environment that is dealt anew when its game is over."""
    env: Any = envs.make("mnk")

    def use() -> None:
        _, _, over, _, _ = env.last()
        if over:
            env.reset(seed=1)
        else:
            env.step(int(env.last()[0]["action_mask"].argmax()))

    env.reset(seed=1)
    return env, use


def many_tables() -> Any:
    tables = envs.make_tables("durak", 20_000, seed=1, **DURAK)
    return tables, lambda: tables.step(tables.masks.argmax(1))


def a_player(name: str, rows: int) -> Any:
    (views, masks), player = positions(rows), agents.load(name, **DURAK)
    return player, lambda: player.act_batch(views, masks)


@pytest.mark.parametrize(
    "made",
    [game_in_progress, many_tables, lambda: a_player("durak:low", 20_000), lambda: a_player("durak:pimc@50", 40)],
    ids=["AEC", "tables", "scripted", "search"],
)
def test_one_object_in_two_threads_is_refused(made: Callable[[], tuple[Any, Callable[[], Any]]]) -> None:
    (_, use), refused, stop = made(), list[str](), threading.Event()
    end = time.monotonic() + PATIENCE
    use()

    def work() -> None:
        while not stop.is_set() and time.monotonic() < end:
            try:
                use()
            except RuntimeError as error:
                refused.append(str(error))
                stop.set()
            except ValueError:  # chosen by what was legal before the other thread's step
                pass

    both = [threading.Thread(target=work) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert refused
    assert all("give each thread its own" in words for words in refused)
    use()
