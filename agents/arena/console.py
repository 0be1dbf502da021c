"""Where bars and messages are shown."""

import sys
from typing import Any


def console() -> Any:
    """Return a rich console on stderr; a notebook gets plain lines, as its pages take no bars that move."""
    from rich.console import Console

    plain = "ipykernel" in sys.modules
    return Console(stderr=True, force_jupyter=False, force_terminal=False if plain else None)
