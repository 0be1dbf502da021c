"""Gomocup engines as agents, against engines written from the protocol's page."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.arena.matches.match import match
from kozyr.agents.programs import program_agent
from kozyr.agents.programs.child import EngineError
from kozyr.envs.table.table import Table

BRAIN = Path(__file__).parent / "bots" / "brain.py"


def brain(log: Path, *quirks: str) -> str:
    return "gomocup:" + shlex.join([sys.executable, str(BRAIN), str(log), *quirks]) + "@500ms"


def first(view: Any, mask: Any) -> int:
    """Play as the engine does, but for the last reply, of which it knows nothing."""
    return int(mask.argmax())


@pytest.mark.parametrize(
    "quirk", ["", "talks", "suggests", "no restart", "one start", "spaces", "drops", "small letters", "returns"]
)
@pytest.mark.parametrize(("m", "n"), [(15, 15), (7, 9)])
def test_games_are_those_that_the_engine_means(quirk: str, m: int, n: int, tmp_path: Path) -> None:
    options: Any = {"m": m, "n": n, "last_reply": False}
    name = brain(tmp_path / "log", *([quirk] if quirk else []))
    theirs = match("mnk", [name, "random"], deals=4, seed=2, **options)
    ours = match("mnk", [first, "random"], deals=4, seed=2, **options)
    assert theirs.agents[0].errors == 0
    assert theirs.returns.tolist() == ours.returns.tolist()


def test_one_game_is_told_by_turns(tmp_path: Path) -> None:
    game = envs.game("mnk")
    table = Table(game, game.make_variant(last_reply=False), 1, starter=0)
    agent: Any = agents.load(brain(tmp_path / "log"), game="mnk", last_reply=False)
    for _ in range(3):
        table.play(agent.act(table.view(0), table.mask))
        table.play(int(np.flatnonzero(table.mask)[-1]))
    agent.close()
    lines = (tmp_path / "log").read_text(encoding="utf-8").split("\n")
    moves = [line for line in lines if not line.startswith("INFO")]
    assert moves == ["START 15", "BEGIN", "TURN 14,14", "TURN 13,14", "END", ""]
    assert lines.count("INFO timeout_turn 500") == 1
    assert lines.count("INFO rule 0") == 1
    assert lines.count("INFO time_left 2147483647") == 3


@pytest.mark.parametrize(("m", "n"), [(15, 15), (6, 9)])
def test_a_board_is_told_in_turn_and_ends_with_the_opponents_stone(m: int, n: int, tmp_path: Path) -> None:
    game, rng = envs.game("mnk"), np.random.default_rng(4)
    variant = game.make_variant(m=m, n=n, last_reply=False)
    agent: Any = agents.load(brain(tmp_path / "log"), game="mnk", m=m, n=n, last_reply=False)
    positions = list[list[tuple[str, str]]]()
    for stones in [1, 2, *rng.integers(1, 25, size=30).tolist()]:
        table = Table(game, variant, 1)
        for _ in range(stones):
            if not table.over:
                table.play(int(rng.choice(np.flatnonzero(table.mask))))
        if table.over:
            continue
        view = table.view(table.turn)
        mine, theirs = np.flatnonzero(view[: m * n]).tolist(), np.flatnonzero(view[m * n : 2 * m * n]).tolist()
        lines = [(cell, "1") for cell in mine] + [(cell, "2") for cell in theirs]
        positions.append(sorted((f"{cell % n},{cell // n}", whose) for cell, whose in lines))
        agent.act(view, table.mask)
    agent.close()
    told = boards(tmp_path / "log")
    assert [sorted(rows) for rows in told] == positions
    for rows in told:
        sides = "".join(whose for _, whose in rows)
        assert sides.endswith("2")
        assert "11" not in sides
        assert "22" not in sides


def boards(log: Path) -> list[list[tuple[str, str]]]:
    """Return the lines of each BOARD as (cell, whose)."""
    texts = re.findall(r"BOARD\n(.*?)DONE\n", log.read_text(encoding="utf-8"), re.DOTALL)
    return [[(row[:-2], row[-1]) for row in text.splitlines()] for text in texts]


def test_stones_that_turns_do_not_explain_are_told_first(tmp_path: Path) -> None:
    for number, (top, told) in enumerate(
        [("X X X O .", "1112"), ("O O O . X", "2212"), ("O O . . .", "22"), (". . . . O", "2")]
    ):
        view, mask = position(f"player_0 is X, X to move\n{top}")
        agent: Any = agents.load(brain(log := tmp_path / str(number)), game="mnk", m=5, n=5, last_reply=False)
        agent.act(view, mask)
        agent.close()
        assert ["".join(whose for _, whose in rows) for rows in boards(log)] == [told]


def test_an_engine_is_not_asked_where_only_it_has_stones(tmp_path: Path) -> None:
    agent: Any = agents.load(brain(tmp_path / "log"), game="mnk", m=5, n=5, last_reply=False)
    with pytest.raises(ValueError, match="only the engine has stones here"):
        agent.act(*position("player_0 is X, X to move\nX . X . ."))
    assert not (tmp_path / "log").exists()


def position(text: str) -> tuple[Any, Any]:
    """Return view and mask of X on a board of 5×5, of which a text tells the first row."""
    game = envs.game("mnk")
    variant = game.make_variant(m=5, n=5, last_reply=False)
    state = game.text.read(variant, text + 4 * "\n. . . . .")[0]
    view = game.view(variant, state, 0)
    return view, (view[:25] + view[25:50] == 0).astype(np.int8)


def test_an_answer_to_a_line_is_found_without_the_engine(tmp_path: Path) -> None:
    game = envs.game("mnk")
    variant = game.make_variant(m=6, n=6)
    agent: Any = agents.load(brain(tmp_path / "log"), game="mnk", m=6, n=6)
    rows = ["X X X X X .", ". . . . . .", ". O . . . .", ". . O . . .", ". . . O . .", ". . . . O ."]
    state = game.text.read(variant, "\n".join(["player_0 is X, O to move (last reply)", *rows]))[0]
    view, mask = game.view(variant, state, 1), np.zeros(36, np.int8)
    mask[[5, 6, 7, 35]] = 1
    assert agent.act(view, mask) == 6  # a2, the other end of the diagonal
    mask[6] = 0
    assert agent.act(view, mask) == 5  # there is no line
    assert not (tmp_path / "log").exists()


def test_an_engine_is_told_which_rows_win(tmp_path: Path) -> None:
    game = envs.game("mnk")
    kinds = (("free", 0), ("exact", 1), ("caro", 8), ("exact_caro", 9))
    each: list[tuple[dict[str, Any], int]] = [*(({"line": line}, rule) for line, rule in kinds), ({"bans": "renju"}, 4)]
    for options, rule in each:
        table = Table(game, game.make_variant(last_reply=False, **options), 1)
        log = tmp_path / str(rule)
        agent: Any = agents.load(brain(log), game="mnk", last_reply=False, **options)
        agent.act(table.view(table.turn), table.mask)
        agent.close()
        assert re.findall(r"INFO rule (\d+)", log.read_text(encoding="utf-8")) == [str(rule)]


def test_an_answer_to_a_line_is_a_line_by_the_rules(tmp_path: Path) -> None:
    game = envs.game("mnk")
    rows = ["X X X X X . .", "O O . O O O .", "X O O O O . X", "O O O O . . .", *[". . . . . . ."] * 3]
    for line, cell in (("free", 9), ("exact", 19), ("caro", 9), ("exact_caro", 25)):
        variant = game.make_variant(m=7, n=7, line=line)
        state = game.text.read(variant, "\n".join(["player_0 is X, O to move (last reply)", *rows]))[0]
        view = game.view(variant, state, 1)
        agent: Any = agents.load(brain(tmp_path / "log"), game="mnk", m=7, n=7, line=line)
        assert agent.act(view, (view[:49] + view[49:98] == 0).astype(np.int8)) == cell


@pytest.mark.parametrize(
    ("quirk", "why"),
    [
        ("dies", r"ended with code 7\n  \| no more ideas"),
        ("off", "a cell that is not free, '15,0'"),
        ("taken", "a cell that is not free"),
        ("no start", "says: ERROR unsupported size"),
        ("sleeps", "has not answered in time"),
    ],
)
def test_engines_that_fail_lose(quirk: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_agent, "GRACE", 0.1)
    agent: Any = agents.load(brain(tmp_path / "log", quirk), game="mnk")
    game = envs.game("mnk")
    table = Table(game, game.make_variant(), 1)
    table.play(40)
    with pytest.raises(EngineError, match=why):
        agent.act(table.view(table.turn), table.mask)
    result = match("mnk", [brain(tmp_path / "log", quirk), "random"], deals=2)
    assert result.games == 4
    assert result.agents[0].errors > 0


def test_what_engines_do_not_play_is_told(tmp_path: Path) -> None:
    name = brain(tmp_path / "log")
    with pytest.raises(ValueError, match="such engines play mnk, and not durak"):
        agents.load(name, game="durak")
    impossible: list[Any] = [{"k": 4}, {"obstacles": 0.1}, {"m": 4}]
    for options in impossible:
        with pytest.raises(ValueError, match="five in a row on boards of 5×5 or more without obstacles"):
            agents.load(name, game="mnk", **options)
