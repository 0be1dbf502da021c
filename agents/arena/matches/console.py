"""Where bars and messages are shown."""

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Item = TypeVar("Item")


def console() -> Any:
    """Return a rich console on stderr; a notebook gets plain lines, as its pages take no bars that move."""
    from rich.console import Console

    plain = "ipykernel" in sys.modules
    return Console(stderr=True, force_jupyter=False, force_terminal=False if plain else None)


def with_bar(played: Iterator[Item], total: int, words: str = "playing") -> Iterator[Item]:
    """Show a bar on stderr while something is played piece by piece; it moves while one piece takes long, too."""
    from rich.progress import Progress, SpinnerColumn, TimeElapsedColumn

    columns = SpinnerColumn(), *Progress.get_default_columns(), TimeElapsedColumn()
    with Progress(*columns, console=console(), transient=True) as bar:
        yield from bar.track(played, total, description=words)


@contextmanager
def waiting(words: str) -> Generator[None]:
    """Say on stderr what somebody waits for, as long as it takes; only a terminal shows it."""
    with console().status(words):
        yield
