"""The average of several players: OpenSpiel finds that it wins the mean of what they win, whomever it meets."""

from typing import Any

import numpy as np
import pyspiel
import pytest

from kozyr import agents
from kozyr.envs.environments.game_tree import EXPLICIT, Rules, gambit, unfold
from kozyr.training import exploitability
from kozyr.training.exploitability import AVERAGE, measure, mixture

GAMES: dict[str, dict[str, Any]] = {
    "mnk": {"m": 3, "n": 2, "k": 2},
    "daifugo": {"players": 3, "ranks": 2, "joker": False},
    "war": {"deck": 8, "pickup": "choice", "max_turns": 3},
}
PLAYERS = {
    "mnk": ["random", "easy", "hard"],
    "daifugo": ["low", "random", "little_think"],
    "war": ["random", "high_first", "low_first"],
}


def value(small: Any, tables: list[Any]) -> list[float]:
    """Return what the seats win when each plays by a table of its own."""
    both = {
        name: chances for seat, table in enumerate(tables) for name, chances in table.items() if name[0] == str(seat)
    }
    return list(pyspiel.expected_returns(small.new_initial_state(), pyspiel.TabularPolicy(both), -1, True))


@pytest.mark.parametrize("name", GAMES)
def test_it_wins_what_they_win_on_average(name: str) -> None:
    tree = unfold(Rules(name, EXPLICIT, 0 if name == "mnk" else -1, **GAMES[name]))
    text, numbers = gambit(tree)
    small, asked = pyspiel.load_efg_game(text), numbers > 0
    known = list[Any]()
    for player in PLAYERS[name]:
        everywhere = tree.masks.astype(np.float64)
        everywhere[asked] = agents.load(player, game=name, **GAMES[name]).chances(tree.views[asked], tree.masks[asked])
        known.append(everywhere)
    tables = [
        exploitability._table(tree, numbers, one[asked]) for one in (*known, mixture(tree, known), np.mean(known, 0))
    ]
    *single, average, careless = tables
    for seat in range(small.num_players()):
        for other in single:

            def won(table: Any, seat: int = seat, other: Any = other) -> float:
                return value(small, [table if k == seat else other for k in range(small.num_players())])[seat]

            due = np.mean([won(table) for table in single])
            assert won(average) == pytest.approx(due)
            if name == "mnk" and other is single[0] and seat == 0:
                assert won(careless) != pytest.approx(due)  # the mean in each information set is another player


def test_one_player_mixed_with_itself_is_that_player() -> None:
    report = measure("daifugo", ["little_think", "little_think"], average=True, **GAMES["daifugo"])
    one, _, both = report.rows
    assert (both.name, both.how) == (AVERAGE, "exact")
    assert both.nash_conv == pytest.approx(one.nash_conv)
    assert both.values == pytest.approx(one.values)


def test_it_says_how_the_chances_were_found() -> None:
    report = measure("mnk", ["random", "pimc@2"], asks=3, average=True, **GAMES["mnk"])
    assert [row.how for row in report.rows] == ["exact", "3 answers a set", "3 answers a set"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["random"], "an average is of several players, and random is one: name more"),
        (["random", "cfr@5"], "an average is of players and policies: leave cfr@5 out, or measure it by itself"),
    ],
)
def test_what_has_no_average_is_refused(names: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        measure("mnk", names, average=True, **GAMES["mnk"])
