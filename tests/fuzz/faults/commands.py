"""Commands that write files, what they write when all goes well, and how they may end when it does not."""

import tempfile
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from tests.fuzz.errors import require

_FAST = ("--set", "m=3", "--set", "n=3", "--set", "k=3")
_MORE = ("--seed", "1", "--deals", "12")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("match", "mnk", "random", "easy", *_MORE, *_FAST, "--record", "{out}/games.jsonl"),
    ("league", "mnk", "random", "easy", *_MORE, *_FAST, "--out", "{out}/league"),
    ("cup", "mnk", "random", "easy", *_MORE, *_FAST, "--out", "{out}/cup"),
    ("score", "random", "--task", "war_20", "--quick", "--out", "{out}/report.json"),
    ("replay", "{games}", "--html", "{out}/games.html"),
    ("replay", "{games}", "--game", "1", "--svg", "{out}/positions"),
    ("export", "{games}", "{out}/games.parquet"),
    ("new-game", "my_game", "--out", "{out}"),
)
_ONCE = ("new-game",)  # refuse to do it again


def words(command: Sequence[str], out: Path) -> list[str]:
    """Return the words of a command that writes into a folder."""
    return [word.format(out=out, games=_games()) for word in command]


def invoke(line: Sequence[str]) -> Any:
    """Run a command in this process; it may warn that compiled code cannot be kept."""
    from kozyr.training.cli import app

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "kozyr cannot keep compiled code", RuntimeWarning)
        return CliRunner(env={"COLUMNS": "120", "KOZYR_DEBUG": ""}).invoke(app, line)


def last_line(result: Any) -> str:
    """Return what a command has said at last."""
    return (result.output.strip().splitlines() or [""])[-1]


def require_sentence(name: str, result: Any) -> None:
    """Raise Wrong unless a command has ended with its result or in one line."""
    require(isinstance(result.exception, SystemExit | None), f"{name}: {result.exception!r}")
    said = last_line(result)
    require(result.exit_code == 0 or said.startswith("error: "), f"{name} ends with {said!r}")


def require_whole(name: str, out: Path, where: str) -> None:
    """Raise Wrong unless all files in a folder are as their command writes them."""
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        wrong = _fault(path)
        require(not wrong, f"{name} {where}: {path.name}: {wrong}")


def require_again(name: str, line: Sequence[str], first: Any) -> None:
    """Raise Wrong unless a command that was cut short can be given again."""
    again = invoke(line)
    done = again.exit_code == 0 or (first.exit_code == 0 and name in _ONCE)
    require(done, f"{name} cannot go on after {last_line(first)!r}: {last_line(again)}")


def _fault(path: Path) -> str:
    """Return why a file is not as its command writes it, or ""."""
    if ".part" in path.name:
        return "half a file is left"
    text, ending = path.read_bytes(), path.suffix
    whole = {
        ".jsonl": all(line[:1] == b"{" and line.endswith(b"}\n") for line in text.splitlines(True)),
        ".parquet": text[:4] == text[-4:] == b"PAR1",
        ".html": text.rstrip().endswith(b"</html>"),
        ".svg": text.rstrip().endswith(b"</svg>"),
    }
    return "" if whole.get(ending, True) else "it is cut"


@cache
def _games() -> Path:
    """Return a file of recorded games, made once."""
    from kozyr.agents.arena.matches.match import match

    folder = Path(tempfile.mkdtemp(prefix="kozyr-games-"))
    match("mnk", ["random", "easy"], deals=6, seed=1, record=folder / "games.jsonl", m=3, n=3, k=3)
    return folder / "games.jsonl"
