"""Hashes of sources, which are the same wherever the files lie and whenever they were written."""

import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

# Packages that the compiled code of every game is made of. Its three users add what else they depend on: tables in a
# browser, WebAssembly modules, and results that others can check.
OF_EVERY_GAME = ("kozyr.envs.compile", "kozyr.envs.core", "kozyr.envs.loops")


def hashes(*names: str) -> str:
    """Return the hashes of modules, or of the packages that they stand for, in a line."""
    return " ".join(map(_contents, names))


@cache
def _contents(name: str) -> str:
    """Return the hash of a module; code of a script or a notebook no later process can be sure to meet again."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return token_hex() if file is None or name in ("__main__", "__mp_main__") else contents(Path(file))


def contents(module: Path) -> str:
    """Return the hash of what a module holds, or all of its package; neither place nor time counts."""
    total = sha256()
    for path in sorted(module.parent.rglob("*.py")) if module.name == "__init__.py" else [module]:
        total.update(f"{path.relative_to(module.parent).as_posix()} ".encode())
        total.update(sha256(path.read_bytes()).digest())
    return total.hexdigest()
