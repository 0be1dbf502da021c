"""All targets in groups; a child process attacks one group at a time."""

from functools import cache, partial
from importlib.util import find_spec
from typing import Any

from kozyr import envs
from tests.fuzz.targets.target import Target


def _lines() -> list[Target]:
    from tests.fuzz.targets import game_files, lines

    return lines.targets() + game_files.targets()


def _words() -> list[Target]:
    from tests.fuzz.targets import words

    return words.targets()


def _files() -> list[Target]:
    from tests.fuzz.targets import files

    return files.targets()


def _wires() -> list[Target]:
    from tests.fuzz.targets import wires

    return wires.targets()


def _documents() -> list[Target]:
    from tests.fuzz.targets import documents

    return documents.targets()


def _models() -> list[Target]:
    from tests.fuzz.targets import models

    return models.targets()


def _sessions() -> list[Target]:
    from tests.fuzz.targets import callers, servers, sessions

    return sessions.targets() + servers.targets() + callers.targets()


def _texts(name: str) -> list[Target]:
    from tests.fuzz.targets import texts

    return texts.of_game(name)


GROUPS: dict[str, Any] = {
    **{name: partial(_texts, name) for name in envs.games()},
    "lines": _lines,
    "words": _words,
    "files": _files,
    "wires": _wires,
    "documents": _documents,
    "models": _models,
    "sessions": _sessions,
}


@cache
def group(name: str) -> list[Target]:
    """Return the targets of a group."""
    return GROUPS[name]()


def target(name: str) -> Target | None:
    """Return a target by its name, or None where the libraries here do not allow it."""
    return next((one for some in GROUPS for one in group(some) if one.name == name), None)


def guided() -> bool:
    """Tell whether Atheris is here, which looks for inputs that reach new code."""
    return find_spec("atheris") is not None
