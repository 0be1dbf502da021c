"""Console for progress bars and messages."""

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

Item = TypeVar("Item")


def console() -> Any:
    """Return a rich console on stderr; a notebook gets plain lines, as its pages show no moving bars."""
    from rich.console import Console

    plain = "ipykernel" in sys.modules
    return Console(stderr=True, force_jupyter=False, force_terminal=False if plain else None)


def with_bar(items: Iterator[Item], total: int, words: str = "playing") -> Iterator[Item]:
    """Show a bar on stderr while items arrive, if that is a terminal; it also moves during a long wait for one."""
    from rich.progress import Progress, SpinnerColumn, TimeElapsedColumn

    where = console()
    if not where.is_terminal:  # a bar has a thread; if that cannot begin for lack of memory, its end is waited for
        yield from items
        return
    columns = SpinnerColumn(), *Progress.get_default_columns(), TimeElapsedColumn()
    with Progress(*columns, console=where, transient=True) as bar:
        yield from bar.track(items, total, description=words)


@contextmanager
def waiting(words: str) -> Generator[None]:
    """Show a message on stderr while the block runs; only a terminal shows it."""
    where = console()
    with where.status(words) if where.is_terminal else nullcontext():
        yield
