"""What `render` returns in each mode: the whole position, or what one seat knows of it."""

from typing import Any

from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.pictures import svg

HUMAN = "human"  # the mode that shows every step in a window
RENDER_MODES = [HUMAN, "ansi", "svg", "rgb_array"]


def rendered(mode: str | None, game: Game, v: Any, s: Any, seat: int | None = None) -> str | NDArray[Any] | None:
    """Return a position as text, SVG or image, as `seat` knows it or with all that is hidden; None otherwise."""
    if mode == "ansi":
        return game.text.write(v, s, seat)
    if mode == "svg":
        return game.draw(v, s, seat)
    return svg.raster(game.draw(v, s, seat)) if mode == "rgb_array" else None
