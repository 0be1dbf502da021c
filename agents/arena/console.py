"""Where bars and messages are shown."""

import sys
from collections.abc import Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")


def console() -> Any:
    """Return a rich console on stderr; a notebook gets plain lines, as its pages take no bars that move."""
    from rich.console import Console

    plain = "ipykernel" in sys.modules
    return Console(stderr=True, force_jupyter=False, force_terminal=False if plain else None)


def with_bar(played: Iterator[Item], total: int) -> Iterator[Item]:
    """Show a bar on stderr while something is played piece by piece."""
    from rich.progress import track

    yield from track(played, "playing", total, console=console(), transient=True)
