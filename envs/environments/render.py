"""Rendering: text, SVG, pixels, and a window by pygame, which is loaded when the first one opens."""

import os
import time
import warnings
from types import ModuleType
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import install_hint
from kozyr.envs.core.game import Game
from kozyr.envs.pictures import render_svg

HUMAN = "human"  # the mode that shows every step in a window
RENDER_MODES = [HUMAN, "ansi", "svg", "rgb_array"]
SHARE = 0.85  # of the screen that a window takes at most
_TICK = 0.02  # seconds between two looks at what the mouse does
_NOWHERE = ("offscreen", "dummy")  # video drivers that show nothing
_open = WeakSet["Window"]()  # the windows that pygame's display is kept for


def rendered(mode: str | None, game: Game, v: Any, s: Any, seat: int | None = None) -> str | NDArray[Any] | None:
    """Return a position as text, SVG or image, as `seat` knows it or with all that is hidden; None otherwise."""
    if mode == "ansi":
        return game.text.write(v, s, seat)
    if mode == "svg":
        return game.draw(v, s, seat)
    return render_svg.raster(game.draw(v, s, seat)) if mode == "rgb_array" else None


class Window:
    """One drawing after the other in a window; pygame has one for all environments of a process.

    Once a person has closed it, it shows nothing any more, and the environment goes on. A copy has no window.

    Args:
        title: what stands above it; closed: whether to show nothing from the beginning.
    """

    def __init__(self, title: str, closed: bool = False) -> None:
        self._title = title
        self._pygame: ModuleType | None = None
        self._screen: Any = None
        self._closed = closed
        self._picture: tuple[str, tuple[int, int]] | None = None
        self._next = 0.0  # when the drawing may change, by time.monotonic

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, (self._title, True)

    @property
    def closed(self) -> bool:
        """Whether a person has closed it."""
        return self._closed

    def show(self, picture: str, fps: float) -> None:
        """Show a drawing, not before the one before it has been there for 1 / fps seconds.

        Args:
            picture: SVG.
            fps: how many drawings a second; 0 does not wait.

        Raises:
            ImportError: without pygame; RuntimeError: without a screen.
        """
        if self._closed:
            return
        if self._screen is None:
            self._begin(picture)
        if self._picture is None or picture != self._picture[0]:
            self._wait()
            self._next = time.monotonic() + (1 / fps if fps else 0)
        self._draw(picture)

    def close(self) -> None:
        """Close it; the next drawing opens it again."""
        self._end()
        self._closed = False

    def _begin(self, picture: str) -> None:
        """Open the window in the drawing's shape."""
        pygame = _pygame()
        try:
            pygame.display.init()
            driver = pygame.display.get_driver()
            if driver in _NOWHERE and not os.environ.get("SDL_VIDEODRIVER"):
                raise pygame.error("there is no screen")
            high, wide = render_svg.raster(picture).shape[:2]
            room = pygame.display.get_desktop_sizes()[0]
            scale = min(SHARE * room[0] / wide, SHARE * room[1] / high)
            self._screen = pygame.display.set_mode((int(wide * scale), int(high * scale)), pygame.RESIZABLE)
        except pygame.error as error:
            if not _open:
                pygame.display.quit()
            raise RuntimeError(
                f"render_mode='human' cannot open a window ({error}): on a machine without a screen, use "
                "render_mode='rgb_array' or 'svg', or set SDL_VIDEODRIVER=dummy to draw into nothing"
            ) from None
        pygame.display.set_caption(self._title)
        self._pygame = pygame
        _open.add(self)

    def _wait(self) -> None:
        """Wait until the drawing may change, and look at the window meanwhile."""
        while not self._closed and (seconds := self._next - time.monotonic()) > 0:
            time.sleep(min(seconds, _TICK))
            self._look()

    def _look(self) -> None:
        """Take notice of what was done to the window, which also keeps it alive."""
        pygame = self._pygame
        if pygame is None:
            return
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self._end()
                self._closed = True
                return

    def _draw(self, picture: str) -> None:
        """Draw a picture in the middle of the window, as large as it gets."""
        self._look()
        pygame = self._pygame
        if pygame is None:
            return
        screen = pygame.display.get_surface()
        wide, high = size = screen.get_size()
        if self._picture == (picture, size):
            return
        pixels = render_svg.raster(picture, wide)
        if len(pixels) > high:
            pixels = render_svg.raster(picture, max(1, wide * high // len(pixels)))
        surface = pygame.surfarray.make_surface(np.ascontiguousarray(pixels.swapaxes(0, 1)))
        screen.fill((0, 0, 0))
        screen.blit(surface, surface.get_rect(center=screen.get_rect().center))
        pygame.display.flip()
        self._picture = picture, size

    def _end(self) -> None:
        """Give the window back; pygame's display ends with the last one."""
        pygame, self._pygame, self._screen, self._picture = self._pygame, None, None, None
        _open.discard(self)
        if pygame is not None and not _open:
            pygame.display.quit()


def _pygame() -> ModuleType:
    """Return pygame.

    Raises:
        ImportError: naming the extra to install.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what pygame itself imports
            import pygame
    except ImportError as missing:
        raise ImportError(f"render_mode='human' needs pygame: {install_hint.command('window')}") from missing
    return pygame
