"""Folders of a cup: good bots among entries that are damaged, useless or strangely called."""

import html
import json
import random
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.errors import require
from tests.fuzz.faults.commands import invoke, last_line

_GOOD = {
    "first": "def act(view, mask): return int(mask.argmax())\n",
    "last": "def act(view, mask): return len(mask) - 1 - int(mask[::-1].argmax())\n",
}
_TERMS = ("--deals", "1", "--seed", "1", "--set", "m=3", "--set", "n=3", "--set", "k=3", "--time", "2s", "--json")
_NAMES = ("eve", "Zoë", "a b", "-seed", "ev\ne", "<b>eve<", "`eve`", "e" * 180, "..eve", "\x1b[2Jeve", "eve.py", "1")
_BOTS = (
    "",
    "def act(view, mask:\n",
    "import nothing_of_this_name\n",
    "def act(view, mask): return 'rubbish'\n",
    "def act(view, mask): return int(mask.argmin())\n",
    "import sys\ndef act(view, mask): sys.exit(3)\n",
    "def act(view, mask): raise ValueError('\\x1b[2J' + 'x' * 5000)\n",
    "print('rubbish' * 1000)\ndef act(view, mask): return int(mask.argmax())\n",
    "class Bot:\n    def __init__(self): raise KeyError(1)\n",
)


def _script(path: Path, rng: random.Random) -> None:
    path.with_name(f"{path.name}.py").write_text(rng.choice(_BOTS))


def _bytes(path: Path, rng: random.Random) -> None:
    ending = rng.choice((".py", ".onnx", ".npz", "", ".txt"))
    path.with_name(f"{path.name}{ending}").write_bytes(rng.randbytes(rng.choice((0, 1, 3000))))


def _program(path: Path, rng: random.Random) -> None:
    lines = rng.choice(("exit 3", "echo rubbish", "while read -r line; do echo '{}'; done", "cat", ""))
    path.write_text(rng.choice(("#!/bin/sh\n", "#!/no/such/program\n", "")) + lines + "\n")
    path.chmod(rng.choice((0o755, 0o644)))


def _folder(path: Path, rng: random.Random) -> None:
    path.mkdir()
    if rng.random() < 0.7:
        (path / rng.choice(("bot.py", "bot", "other.py"))).write_text(rng.choice(_BOTS))


def _link(path: Path, rng: random.Random) -> None:
    path.with_name(f"{path.name}.py").symlink_to(rng.choice(("nobody.py", ".", path.name + ".py", "first.py")))


_MAKERS: tuple[Callable[[Path, random.Random], None], ...] = (_script, _bytes, _program, _folder, _link)


def folders(number: int, folder: Path) -> int:
    """Play the cup of a folder; return how many strange entries it had.

    Raises:
        Wrong: if the command ends without its page, a good bot loses by an error, a name
            reaches the page raw, or something in the folder has changed.
    """
    rng, students, out = random.Random(number), folder / "students", folder / "out"
    students.mkdir()
    for name, text in _GOOD.items():
        (students / f"{name}.py").write_text(text)
    names = rng.sample(_NAMES, rng.randint(1, 3))
    for name in names:
        rng.choice(_MAKERS)(students / name, rng)
    before = _content(students)
    result = invoke(["cup", "mnk", str(students), *_TERMS, "--out", str(out)])
    require(isinstance(result.exception, SystemExit | None), f"cup: {result.exception!r}")
    require(_content(students) == before, "the cup has changed its folder")
    require(result.exit_code == 0, f"cup ends with {last_line(result)!r}")
    places = {one["name"]: one for one in json.loads(result.stdout)["places"]}
    page = (out / "cup.html").read_text(encoding="utf-8")
    for name in _GOOD:
        require(places[name]["why"] is None and places[name]["errors"] == 0, f"{name} loses by {places[name]['why']!r}")
        require(f">{name}<" in html.unescape(page), f"{name} is not on the page")
    require("<b>eve" not in page and "\x1b" not in page, "a name reaches the page raw")
    return len(names)


def _content(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return all that is in a folder."""
    return {
        str(one): (one.lstat().st_mode, one.read_bytes() if one.is_file() and not one.is_symlink() else b"")
        for one in sorted(folder.rglob("*"))
    }
