"""The manager of many games: clean games of our engine, and every trouble of engines that have one."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.programs import manager

BRAIN = Path(__file__).parent / "bots" / "brain.py"
SLOW = """
import sys, time
size, laid = 0, set()
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word in ("START", "RECTSTART"):
        size, laid = [int(one) for one in rest.split(",")], set()
        print("OK", flush=True)
    elif word == "RESTART":
        laid = set()
        print("OK", flush=True)
    elif word[0].isdigit():
        laid.add(word.rpartition(",")[0])
    elif word in ("BEGIN", "TURN", "DONE"):
        laid |= {rest} - {""}
        time.sleep(0.15)
        cells = (f"{x},{y}" for y in range(size[-1]) for x in range(size[0]))
        cell = next(one for one in cells if one not in laid)
        laid.add(cell)
        print(cell, flush=True)
    elif word == "END":
        break
"""


def counts(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, int]]:
    """Return the exit code of a run, and its counts by name."""
    code = manager.main(list(arguments))
    out = capsys.readouterr().out
    return code, {name: int(number) for number, name in re.findall(r"(\d+) ([a-z ]+?)(?:,|$)", out, re.MULTILINE)}


def test_games_of_our_engine_have_no_trouble(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = counts(capsys, "--games", "8", "--agent", "easy", "--tolerance", "5", "--boards", "5,9,15")
    assert code == 0
    assert found["games"] == 8 == found["won"] + found["drawn"] + found["lost"]
    assert found["moves"] > 8 * 4
    assert [found[name] for name in manager.TROUBLES] == [0] * 5


@pytest.mark.parametrize(
    ("quirk", "trouble"),
    [
        ("", None),
        ("talks", None),
        ("no restart", None),
        ("dies", "crashes"),
        ("off", "illegal moves"),
        ("taken", "illegal moves"),
        ("no start", "refusals"),
        ("sleeps", "hangs"),
    ],
)
def test_the_trouble_of_an_engine_is_counted(
    quirk: str, trouble: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manager, "ANSWER", 0.3)
    engine = shlex.join([sys.executable, str(BRAIN), str(tmp_path / "log"), *([quirk] if quirk else [])])
    how = ("--engine", engine, "--games", "2", "--boards", "7", "--tolerance", "5", "--milliseconds", "10")
    code, found = counts(capsys, *how)
    assert code == int(trouble is not None)
    assert found["games"] == 2
    assert [name for name in manager.TROUBLES if found[name]] == ([] if trouble is None else [trouble])
    if trouble is not None:
        assert found["won"] + found["drawn"] + found["lost"] == 2 - found[trouble]


def test_a_move_that_comes_too_late_is_counted_and_the_game_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    engine = shlex.join([sys.executable, str(tmp_path / "slow.py")])
    how = ("--engine", engine, "--games", "1", "--boards", "5", "--milliseconds", "10", "--tolerance", "0.02")
    code, found = counts(capsys, *how, "--seed", "1")
    assert code == 1
    assert found["late moves"] == found["moves"] > 0
    assert found["won"] + found["drawn"] + found["lost"] == 1


def test_the_referee_is_not_ours() -> None:
    game = manager.Game(7, 7, 1, 0)
    for cell in ((0, 0), (0, 6), (1, 0), (1, 6), (2, 0), (2, 6), (4, 0), (4, 6), (5, 0), (6, 6)):
        game.play(cell)
    assert game.makes_five((3, 6), 1)
    assert not game.makes_five((3, 0), 0)  # six
    game.play((3, 0))
    assert not game.over
    assert game.rows()[:2] == ["0,0,1", "0,6,2"]
    game.play((3, 6))
    assert game.over == (game.rule == 0 or game.referee.payoffs() != [0.0, 0.0])
