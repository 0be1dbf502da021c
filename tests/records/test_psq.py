"""Piskvork's .psq files: what they tell, round trips of games, and what is damaged or against the rules."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.arena import match
from kozyr.envs.bridges import psq
from kozyr.envs.table import record
from kozyr.envs.table.table import Table
from tests.test_cli import document, run

MNK = envs.game("mnk")
HEAD = "Piskvorky 15x15, 11:11, 0"
FIVE = [f"{stone},0" for y in range(4, 8) for stone in (f"8,{y}", f"9,{y}")] + ["8,8,1250"]
GOMOCUP = [HEAD, *FIVE, "RAPFI25.zip", "JAX25.zip", "-1", "1,Freestyle15_1"]


def text(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def test_a_file_of_gomocup_is_read_with_players_rule_and_winner() -> None:
    one = psq.read(text(*GOMOCUP))
    options = one.game.options(one.variant)
    assert (options["m"], options["n"], options["k"], options["line"], options["last_reply"]) == (
        15,
        15,
        5,
        "free",
        False,
    )
    assert one.agents == ["RAPFI25.zip", "JAX25.zip"]
    assert (one.starter, one.payoffs, one.forfeit) == (0, [1.0, -1.0], None)
    assert one.actions[:2] == [3 * 15 + 7, 3 * 15 + 8]  # 8,4 is the eighth column of the fourth row
    record.replay(one)


def test_x_is_the_column_of_a_board_that_is_no_square() -> None:
    one = psq.read(text("Piskvorky 20x10, 0:6, 1", "20,1,0", "1,10,5"))
    assert (one.variant.n, one.variant.m, one.starter) == (20, 10, 1)
    assert one.actions == [19, 180]
    assert one.payoffs == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_end_of_lines_and_a_mark_of_utf_8_are_read(end: str, mark: str) -> None:
    assert psq.read((mark + end.join(GOMOCUP)).encode()) == psq.read(text(*GOMOCUP))


def test_names_in_an_old_encoding_are_read() -> None:
    told = psq.read(text(HEAD, "8,8,0", "Řehoř", "b", "-1").encode("iso8859-2"))
    assert told.agents is not None
    assert told.agents[1] == "b"


@pytest.mark.parametrize(
    ("group", "line", "payoffs"),
    [("Freestyle1", "free", [1.0, -1.0]), ("Fastgame", "free", [1.0, -1.0]), ("Standard2", "exact", [])],
)
def test_the_group_tells_whether_six_in_a_row_win(group: str, line: str, payoffs: list[float]) -> None:
    six = [f"{x},{y},0" for i in range(5) for x, y in ((1 + i + (i > 2), 1), (1 + 2 * i, 9))] + ["4,1,0"]
    one = psq.read(text("Piskvorky 20x20, 11:11, 0", *six, "a", "b", "-1", f"{int(bool(payoffs))},{group}"))
    assert one.game.options(one.variant)["line"] == line
    assert one.payoffs == payoffs
    assert psq.read(text("Piskvorky 20x20, 11:11, 0", *six), line=line).payoffs == payoffs


@pytest.mark.parametrize(
    ("end", "forfeit", "reason"),
    [
        (("a", "b", "15"), 0, "time"),  # two stones: the first player was to move
        (("a", "b", "7"), 0, "illegal action"),
        (("a", "b", "-1", "1,Freestyle"), 1, "lost in the file"),
        (("a", "b", "-2", "2,Freestyle"), 0, "an error"),
        (("a", "b", "-1", "0,Freestyle"), None, None),
        (("-1",), None, None),
        ((), None, None),
    ],
)
def test_a_game_that_the_rules_have_not_ended_is_forfeited_or_goes_on(
    end: tuple[str, ...], forfeit: int | None, reason: str | None
) -> None:
    one = psq.read(text(HEAD, "8,8,0", "9,9,0", *end))
    assert (one.forfeit, one.reason) == (forfeit, reason)
    assert one.payoffs == ([] if forfeit is None else [-1.0, 1.0] if forfeit == 0 else [1.0, -1.0])


def played(v: Any, seed: int, plies: int, lost: int | None = None, reason: str = "time") -> record.Record:
    rng, names = np.random.default_rng(seed), [f"agent {seed}", "search@50ms"] if seed % 2 else None
    table = Table(MNK, v, 0, seed % 3 % 2, names=names)
    while not table.over and table.ply < plies:
        table.play(int(rng.choice(np.flatnonzero(table.mask))))
    if lost is not None and not table.over:
        table.forfeit(lost, reason)
    return table.record


@pytest.mark.parametrize("options", [{}, {"line": "exact"}, {"m": 5, "n": 5}, {"m": 7, "n": 25}])
def test_games_come_back_as_they_were(options: dict[str, Any]) -> None:
    v = MNK.make_variant(last_reply=False, **options)
    ends: set[str] = set()
    for seed in range(40):
        for lost, reason in ((None, ""), (0, "time"), (1, "illegal action"), (1, "lost in the file")):
            one = played(v, seed, 10 * seed, lost, reason)
            back = psq.read(psq.write(one))
            assert record.write(back) == record.write(one)
            ends.add("open" if not one.payoffs else "forfeit" if one.forfeit is not None else str(one.payoffs))
    assert {"open", "forfeit", "[1.0, -1.0]", "[-1.0, 1.0]"} <= ends


def test_a_full_board_without_a_line_is_a_draw() -> None:
    rows = [[1, 1, 2, 2, 1], [2, 2, 1, 1, 2], [1, 1, 2, 2, 1], [2, 2, 1, 1, 2], [1, 2, 1, 2, 1]]
    stones = {one: [(x, y) for y, row in enumerate(rows) for x, who in enumerate(row) if who == one] for one in (1, 2)}
    order = [stones[1 + ply % 2][ply // 2] for ply in range(25)]
    one = psq.read(text("Piskvorky 5x5, 0:0, 0", *(f"{x + 1},{y + 1},0" for x, y in order), "0", "0,Standard"))
    assert one.payoffs == [0.0, 0.0]
    assert psq.read(psq.write(one)) == one


WRONG = [
    ("hello", 1, "it begins as"),
    ("", 1, "it begins as"),
    (text("Piskvorky 15x15, 11:11, 2", "8,8,0"), 1, "it begins as"),
    (text("Piskvorky 40x40, 11:11, 0", "8,8,0"), 1, "m=40 is not allowed"),
    (text("Piskvorky 4x4, 11:11, 0"), 1, "k=5 does not fit"),
    (text(HEAD, "8,8,0", "8,8,0"), 3, "8,8,0 is not free"),
    (text(HEAD, "8,8,0", "16,8,0"), 3, "16,8,0 is off the board: x is 1 to 15"),
    (text(HEAD, "0,8,0"), 2, "0,8,0 is off the board"),
    (text(HEAD, *FIVE, "1,1,0"), 11, "the game is over after 9 stones"),
    (text(HEAD, "8,8,0", "9;9;0"), 3, "is no stone"),
    (text(HEAD, "8,8,0", "a", "b", "c"), 3, "is no stone"),
    (text(HEAD, *FIVE, "a", "b", "-1", "2,Freestyle"), 14, "by the rules player 1 has won"),
    (text(HEAD, *FIVE, "a", "b", "-1", "0,Freestyle"), 14, "by the rules player 1 has won"),
    (text(HEAD, "8,8,0", "a", "b", "-1", "0,Gomoku"), 6, "which rule group 'Gomoku' plays is not known"),
    (text(HEAD, "8,8,0", "a", "b", "-1", "more"), 6, "is not expected here"),
    (text(HEAD, "8,8,0", "-1", "-1"), 4, "is not expected here"),
]


@pytest.mark.parametrize(("lines", "number", "words"), WRONG)
def test_damaged_and_illegal_files_are_refused_with_file_and_line(lines: str, number: int, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as error:
        psq.read(lines, "mine.psq")
    assert str(error.value).startswith(f"mine.psq, line {number}: ")


def test_the_rule_of_a_group_that_is_not_known_can_be_said() -> None:
    one = psq.read(text(HEAD, "8,8,0", "a", "b", "-1", "0,Gomoku"), line="exact")
    assert one.game.options(one.variant)["line"] == "exact"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "last_reply=True is not known to Piskvork: play with last_reply=False"),
        ({"last_reply": False, "k": 4}, "play with k=5"),
        ({"last_reply": False, "max_moves": 40}, "play with max_moves=0"),
        ({"last_reply": False, "obstacles": 0.25}, "play with obstacles=0.0"),
    ],
)
def test_rules_that_piskvork_does_not_know_are_not_written(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        psq.write(played(MNK.make_variant(**options), 1, 6))


@pytest.mark.parametrize("name", ["8,8,0", "-1", "1,Freestyle", " a", "a\nb", ""])
def test_names_that_would_be_read_as_something_else_are_refused(name: str) -> None:
    table = Table(MNK, MNK.make_variant(last_reply=False), 0, 0, names=[name, "b"])
    with pytest.raises(ValueError, match="cannot be a player's name"):
        psq.write(table.record)


RULES = [{"line": "exact"}, {"line": "caro"}, {"line": "exact_caro"}, {"bans": "renju"}]


@pytest.mark.parametrize("options", RULES, ids=str)
def test_games_by_further_rules_are_read_as_they_were_written(options: dict[str, Any]) -> None:
    v = MNK.make_variant(m=9, n=9, last_reply=False, **options)
    for seed in range(10):
        rng, table = np.random.default_rng(seed), Table(MNK, v, seed, names=["a", "b"])
        while not table.over:
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
        again = psq.read(psq.write(table.record))
        assert (again.variant, again.actions, again.payoffs) == (v, table.record.actions, table.record.payoffs)


CROSS = ("7,8", "1,1", "9,8", "1,3", "8,7", "1,5", "8,9", "1,7")  # with a stone in its middle it makes two threes


def test_x_forfeits_by_a_last_stone_where_it_may_not_play() -> None:
    stones = [f"{one},0" for one in (*CROSS, "8,8")]
    one = psq.read(text(HEAD, *stones, "a", "b", "7", "2,Renju"))
    assert (one.forfeit, one.reason, one.payoffs) == (0, "illegal action", [-1.0, 1.0])
    assert len(one.actions) == len(CROSS)
    with pytest.raises(ValueError, match=r"line 10: 8,8,0 is banned in renju"):
        psq.read(text(HEAD, *stones, "15,15,0", "a", "b", "7", "2,Renju"))


def test_another_game_is_not_written() -> None:
    durak = envs.game("durak")
    with pytest.raises(ValueError, match="such files are games of mnk_v0"):
        psq.write(Table(durak, durak.make_variant(), 1).record)


def test_the_commands_write_games_and_bring_them_back(tmp_path: Path) -> None:
    games, folder, back = tmp_path / "games.jsonl", tmp_path / "psq", tmp_path / "back.jsonl"
    match("mnk", ["easy", "random"], deals=3, seed=2, record=games, last_reply=False)
    done = document("export", str(games), str(folder), "--to", "psq")
    assert done == {"files": [str(folder / f"game-{number:04}.psq") for number in range(1, 7)], "games": 6}
    assert document("import", *done["files"], "--out", str(back)) == {"file": str(back), "games": 6}
    pairs = list(zip(record.read_file(games), record.read_file(back), strict=True))
    for one, other in pairs:
        assert (one.actions, one.payoffs, one.agents, one.starter) == (
            *(other.actions, other.payoffs, other.agents, other.starter),
        )
    assert {one.starter for one, _ in pairs} == {0, 1}
    assert "game 1" in run("replay", str(back), "--game", "1").stdout


def test_nothing_is_written_if_a_file_is_wrong_or_something_is_there(tmp_path: Path) -> None:
    good, bad, out = tmp_path / "good.psq", tmp_path / "bad.psq", tmp_path / "games.jsonl"
    good.write_text(text(*GOMOCUP), encoding="utf-8")
    bad.write_text(text(HEAD, "8,8,0", "8,8,0"), encoding="utf-8")
    assert f"{bad}, line 3: 8,8,0 is not free" in run("import", str(good), str(bad), "--out", str(out), code=2).stderr
    assert not out.exists()
    assert "1 game" in run("import", str(good), "--out", str(out)).stdout
    assert "is there already" in run("import", str(good), "--out", str(out), code=2).stderr
    assert "is there already" in run("export", str(out), str(good), "--to", "psq", code=2).stderr
    assert good.read_text(encoding="utf-8") == text(*GOMOCUP)


def test_one_game_is_one_file_and_several_need_a_folder(tmp_path: Path) -> None:
    games, one = tmp_path / "games.jsonl", tmp_path / "one.psq"
    v = MNK.make_variant(last_reply=False)
    lines = [record.write(played(v, seed, 300)) for seed in range(2)]
    games.write_text("\n".join(lines), encoding="utf-8")
    assert "name a folder" in run("export", str(games), str(one), "--to", "psq", code=2).stderr
    games.write_text(lines[1], encoding="utf-8")
    run("export", str(games), str(one), "--to", "psq")
    assert one.read_bytes().startswith(b"Piskvorky 15x15, 11:11, 1\r\n")
    assert record.write(psq.read_file(one)) == lines[1]


def test_games_with_a_last_reply_are_refused_by_line_and_leave_no_folder(tmp_path: Path) -> None:
    games, folder = tmp_path / "games.jsonl", tmp_path / "psq"
    fine, other = played(MNK.make_variant(last_reply=False), 1, 9), played(MNK.make_variant(), 1, 9)
    games.write_text(f"{record.write(fine)}\n{record.write(other)}\n", encoding="utf-8")
    assert f"{games}, line 2: last_reply=True" in run("export", str(games), str(folder), "--to", "psq", code=2).stderr
    assert not folder.exists()
