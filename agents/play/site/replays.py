"""Small replay pages: recorded games as rules and actions, without the scenes after each."""

from collections.abc import Sequence
from typing import Any

from kozyr.agents.play.site.modules import compiled
from kozyr.envs.core.game import Game
from kozyr.envs.table.record_format import Record
from kozyr.envs.viewer import html
from kozyr.envs.viewer.story import Opinions

SMALL = 100_000  # bytes of a page that needs no smaller form, for which one would wait
_MOST = 4  # different games or variants that are compiled for a page, some ten seconds each
_NEEDED = ("start", "play", "scene")


def smaller(page: str, records: Sequence[Record], analysis: Sequence[Opinions] | None = None) -> str:
    """Return the page that replays the games by their rules where it is smaller, else `page`.

    Args:
        page: with all scenes; records: its games; analysis: of an analyst, or None.
    """
    kinds = {(one.game.id, one.variant): one.game for one in records}
    if len(page) <= SMALL or len(kinds) > _MOST:
        return page
    modules = {kind: code for kind, game in kinds.items() if (code := module(game, kind[1])) is not None}
    return min(page, html.page(records, analysis=analysis, modules=modules), key=len) if modules else page


def module(game: Game, variant: Any) -> bytes | None:
    """Return the module that replays a game, or None where it cannot be compiled."""
    try:
        return compiled(game, variant, only=_NEEDED)
    except (RuntimeError, ValueError):
        return None
