"""Openings from a file: each deal of a match begins with one of them, in all its rotations."""

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from kozyr.envs.core.capabilities import opening_line
from kozyr.envs.core.game import Game
from kozyr.envs.table import files
from kozyr.envs.table.record import located
from kozyr.envs.table.table import Table

_LONGEST = 1 << 22  # bytes of a file


class Openings(NamedTuple):
    """Openings of a match; deal d begins with opening d, and after the last one comes the first again.

    Attributes:
        file: its name; digest: the first 16 digits of its contents' SHA-256.
        actions: those of each opening.
    """

    file: str
    digest: str
    actions: tuple[tuple[int, ...], ...]

    def of_deal(self, deal: int) -> tuple[int, ...]:
        """Return the actions that begin a deal."""
        return self.actions[deal % len(self.actions)]

    def part(self, first: int, deals: int) -> "Openings":
        """Return the openings of so many deals from `first` on, for a match that plays only them."""
        return self._replace(actions=tuple(self.of_deal(deal) for deal in range(first, first + deals)))

    def to_json(self) -> dict[str, Any]:
        """Return file, digest and number of openings for `json.dumps`."""
        return {"file": self.file, "digest": self.digest, "count": len(self.actions)}


def load(path: str | Path, game: Game, variant: Any) -> Openings:
    """Read a file of openings, one a line; empty lines are skipped.

    Args:
        path: the file; game: what is played; variant: its options. The game tells how it writes an opening, see
            `kozyr.envs.core.capabilities.opening_line`.

    Raises:
        ValueError: naming file and line for what is no opening, an illegal action, and an opening that ends the game;
            for a file without openings.
        OSError: if the file cannot be read.
    """
    data = files.content(path, _LONGEST)
    openings: list[tuple[int, ...]] = []
    for number, line in enumerate(files.text(path, _LONGEST).splitlines(), 1):
        if line.strip():
            with located(number, path):
                openings.append(_checked(game, variant, opening_line(variant, line.strip())))
    if not openings:
        raise ValueError(f"{path} holds no openings: write one a line")
    return Openings(Path(path).name, hashlib.sha256(data).hexdigest()[:16], tuple(openings))


def _checked(game: Game, variant: Any, actions: list[int]) -> tuple[int, ...]:
    """Return the actions of an opening, which must be legal and leave the game in progress."""
    table = Table(game, variant, 0, 0)
    for action in actions:
        if not table.over and not table.mask[action]:
            raise ValueError(f"{game.text.say(variant, table.states[0], action)} is not legal there")
        if not table.over:
            table.play(action)
    if table.over:
        raise ValueError("the game is over after this opening")
    return tuple(actions)
