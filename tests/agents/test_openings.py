"""Openings from a file: what is read, which deal begins with which, both colours, and results that are not mixed."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.agent import Solo
from kozyr.agents.arena import match
from kozyr.agents.arena.matches import openings
from kozyr.agents.arena.tournaments.league import BLOCK, League
from kozyr.envs.table import record
from tests.docs.test_json import wrong
from tests.test_cli import document, run

MNK = envs.game("mnk")
LINES = "0,0, 1,0, 1,3\r\n\r\n-1,2, 3,-4\nh8i9h7\n"
CELLS = [["h8", "i8", "i11"], ["g10", "k4"], ["h8", "i9", "h7"]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "openings.txt"
    path.write_bytes(LINES.encode())
    return path


def loaded(path: Path, text: str, **options: Any) -> openings.Openings:
    path.write_text(text, encoding="utf-8")
    return openings.load(path, MNK, MNK.make_variant(**options))


def numbers(*cells: tuple[int, int], n: int = 15) -> tuple[int, ...]:
    """Return actions from columns and rows, counted from 0."""
    return tuple(y * n + x for x, y in cells)


def test_offsets_count_from_the_middle_and_cells_from_the_corner(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    assert loaded(path, LINES).actions == (
        numbers((7, 7), (8, 7), (8, 10)),
        numbers((6, 9), (10, 3)),
        numbers((7, 7), (8, 8), (7, 6)),
    )
    assert loaded(path, "0,0, -10,-10, 9,9", m=20, n=20).actions == (numbers((10, 10), (0, 0), (19, 19), n=20),)
    assert loaded(path, "0,0", m=5, n=8).actions == (numbers((4, 2), n=8),)
    assert loaded(path, "A1 o15", m=15, n=15).actions == (numbers((0, 0), (14, 14)),)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("0,0\n0,0, 1", 2, "has 3 numbers: write two for each stone"),
        ("0,0, 8,0", 1, "stone 2 is off the board of 15×15"),
        ("h8p8", 1, "stone 2 is off the board of 15×15"),
        ("h0", 1, "stone 1 is off the board"),
        ("\n\n0,0, 0,0", 3, "is not legal there"),
        ("h8x", 1, "is no opening: write offsets"),
        ("0;0", 1, "is no opening: write offsets"),
        ("\u0130" + "15", 1, "is no opening: write offsets"),  # a capital that becomes two characters as a small one
        ("0,0, 0,1, 1,0, 1,1, 2,0, 2,1, 3,0, 3,1, 4,0, 5,5", 1, "the game is over after this opening"),
    ],
)
def test_what_is_no_opening_is_refused_with_file_and_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(ValueError, match=re.escape(words)) as error:
        loaded(path, text, last_reply=False)
    assert str(error.value).startswith(f"{path}, line {line}: ")


def test_files_without_openings_and_games_without_notation_are_refused(tmp_path: Path, file: Path) -> None:
    with pytest.raises(ValueError, match="holds no openings"):
        loaded(tmp_path / "empty.txt", "\n \n")
    with pytest.raises(ValueError, match="leave obstacles out"):
        loaded(tmp_path / "walls.txt", "0,0", obstacles=0.1)
    with pytest.raises(ValueError, match="this game has no openings in files"):
        match("durak", ["low", "random"], deals=2, openings=file)
    with pytest.raises(ValueError, match="leave --opening out"):
        match("mnk", ["easy", "random"], deals=2, openings=file, opening=2)
    assert (
        "leave --opening out"
        in run(*("league", "mnk", "easy", "random", "--opening", "2", "--openings", str(file)), code=2).stderr
    )


class Passive(Solo):
    """An agent in Python that takes the first free cell, whose decisions come from outside the compiled loop."""

    def act(self, view: Any, mask: Any) -> int:
        return int(np.flatnonzero(mask)[0])


class Watcher(Solo):
    """An agent with a player for each table, which must see all stones of the opening before it is asked."""

    def __init__(self) -> None:
        self.before: list[int] = []

    def act(self, view: Any, mask: Any) -> int:
        raise AssertionError("its players are asked")

    def new_player(self) -> Any:
        return _Player(self.before)


class _Player:
    def __init__(self, before: list[int]) -> None:
        self._before, self._events, self._asked = before, 0, False

    def begin(self, info: Any) -> None: ...

    def see(self, event: Any) -> None:
        self._events += event.kind.name == "MOVED"

    def act(self, view: Any, mask: Any, deadline: float | None) -> int:
        if not self._asked:
            self._before.append(self._events)
            self._asked = True
        return int(np.flatnonzero(mask)[0])

    def end(self, payoffs: Any) -> None: ...


@pytest.mark.parametrize("first", ["easy", Passive(), Watcher()], ids=["scripted", "outside", "at tables"])
def test_every_opening_is_played_from_both_sides(tmp_path: Path, file: Path, first: Any) -> None:
    games = tmp_path / "games.jsonl"
    result = match("mnk", [first, "random"], deals=7, seed=3, record=games, openings=file)
    assert result.openings == {
        "file": "openings.txt",
        "digest": openings.load(file, MNK, MNK.make_variant()).digest,
        "count": 3,
    }
    assert result.opening == 0
    records = list(record.read_file(games))
    assert len(records) == 14
    for number, one in enumerate(records):
        deal = number // 2
        words = [MNK.text.say(one.variant, None, action) for action in one.actions]
        assert words[: one.opening] == CELLS[deal % 3]
        assert one.opening == len(CELLS[deal % 3])
        assert one.starter == records[2 * deal].starter
    for one, other in zip(records[::2], records[1::2], strict=True):
        assert one.agents is not None
        assert one.agents[::-1] == other.agents
    if isinstance(first, Watcher):
        assert set(first.before) <= {2, 3, 4}
        assert len(first.before) == 14


def test_workers_play_the_same_and_lines_of_two_files_are_different_matches(tmp_path: Path, file: Path) -> None:
    one, two = (match("mnk", ["easy", "random"], 20, 1, workers, openings=file) for workers in (1, 2))
    assert one == two
    other = tmp_path / "other.txt"
    other.write_text("0,0", encoding="utf-8")
    assert match("mnk", ["easy", "random"], 20, 1, openings=other) != one


def test_a_match_without_openings_is_as_ever() -> None:
    result = match("mnk", ["easy", "random"], deals=4, seed=1)
    assert (result.opening, result.openings) == (4, None)


def test_blocks_of_a_league_go_on_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("\n".join(f"{x},{y}" for x in range(-6, 7) for y in range(-4, 5)), encoding="utf-8")
    whole = openings.load(path, MNK, MNK.make_variant())
    assert len(whole.actions) == 117
    league = League("mnk", ["easy", "random"], deals=2 * BLOCK + 30, openings=path)
    parts = [league._task(block, [])[-2] for block in league.blocks((0, 1))]
    firsts = [one for part in parts if part is not None for one in part.actions]
    assert firsts == [*whole.actions, *whole.actions[:13]]


def test_a_league_goes_on_with_its_openings_and_refuses_others(tmp_path: Path, file: Path) -> None:
    results, other = tmp_path / "league.jsonl", tmp_path / "other.txt"
    other.write_text("0,0", encoding="utf-8")
    league = League("mnk", ["easy", "random"], deals=6, path=results, openings=file)
    league.play(league.pairs())
    lines = results.read_text(encoding="utf-8")
    assert json.loads(lines)["openings"] == openings.load(file, MNK, MNK.make_variant()).digest
    again = League("mnk", ["easy", "random"], deals=6, path=results, openings=file)
    assert np.array_equal(again.returns((0, 1)), league.returns((0, 1)))
    for wrong_one in (other, None):
        with pytest.raises(ValueError, match="holds results with other openings"):
            League("mnk", ["easy", "random"], deals=6, path=results, openings=wrong_one)
    assert results.read_text(encoding="utf-8") == lines
    plain = tmp_path / "plain.jsonl"
    ordinary = League("mnk", ["easy", "random"], deals=6, path=plain)
    ordinary.play(ordinary.pairs())
    assert "openings" not in plain.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"other openings \(random ones\)"):
        League("mnk", ["easy", "random"], deals=6, path=plain, openings=file)


def test_the_commands_take_a_file_of_openings(tmp_path: Path, file: Path) -> None:
    how = ("--openings", str(file))
    assert document("match", "mnk", "easy", "random", "--deals", "4", *how)["openings"]["count"] == 3
    assert "openings of openings.txt" in run("match", "mnk", "easy", "random", "--deals", "2", *how).stdout
    assert wrong(document("match", "mnk", "easy", "random", "--deals", "4", *how), "match") == []
    assert document("compare", "mnk", "hard", "random", "--deals", "200", "--elo1", "100", *how)["verdict"] == "better"
    assert document("league", "mnk", "easy", "random", "--deals", "4", "--out", str(tmp_path), *how)["deals"] == 4
    other = ("--openings", str(tmp_path / "absent.txt"))
    assert "absent.txt" in run("match", "mnk", "easy", "random", *other, code=1).stderr
