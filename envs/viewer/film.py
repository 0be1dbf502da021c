"""Recorded games as films: GIF, WebP, MP4 or an SVG that moves, every ply a picture."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.pictures import render_svg
from kozyr.envs.table import file_output
from kozyr.envs.table.record_format import Record
from kozyr.envs.viewer import animated
from kozyr.envs.viewer.frames import drawing, frames, taken_apart

FORMATS = (".gif", ".webp", ".mp4", ".svg")
_HELD = 4  # delays that the last picture stays
_COLORS = 128  # of a GIF
_QUALITY = 72  # of a WebP


def write(
    record: Record,
    path: str | Path,
    seat: int | None = None,
    delay: float = 0.8,
    width: int = 900,
    plies: range | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write a game as a film; the end of the file's name says which kind.

    Args:
        record: the game.
        path: a file that ends in .gif, .webp, .mp4 or .svg.
        seat: whose knowledge to show; None shows everything.
        delay: seconds for each ply.
        width: pixels across; an SVG has any size.
        plies: which plies to show; None: all from the deal on.
        progress: is told how many pictures are done, and of how many.

    Raises:
        ValueError: for another kind of file, a delay or a width that is not allowed, or no ply to show.
        FileNotFoundError: if an MP4 is asked for and ffmpeg is not installed.
    """
    target = Path(path)
    if target.suffix not in FORMATS:
        raise ValueError(f"{target.name!r} is no film: end it in {', '.join(FORMATS)}")
    if not 0.02 <= delay <= 60:
        raise ValueError(f"delay={delay} is not allowed: it is from 0.02 to 60 seconds")
    if not 100 <= width <= 4000:
        raise ValueError(f"width={width} is not allowed: it is from 100 to 4000 pixels")
    if target.suffix == ".svg":
        file_output.write(target, _moving(record, seat, plies, delay))
        return
    pictures = list(_pictures(record, seat, width // 2 * 2, plies, progress))
    if not pictures:
        raise _nothing(record)
    if target.suffix == ".mp4":
        _write_mp4(pictures, target, delay)
    else:
        _write_image(pictures, target, delay)


def _nothing(record: Record) -> ValueError:
    return ValueError(f"no ply to show: the game has plies 0 to {len(record.actions)}")


def _moving(record: Record, seat: int | None, plies: range | None, delay: float) -> str:
    """Return the film as SVG."""
    shown_plies = range(len(record.actions) + 1) if plies is None else plies
    drawings = [
        taken_apart(record.game, record.variant, frame, seat, record.agents)
        for frame in frames(record, seat)
        if frame.ply in shown_plies
    ]
    if not drawings:
        raise _nothing(record)
    return animated.svg(drawings, delay, _HELD, f"A game of {record.game.title}")


def _pictures(
    record: Record, seat: int | None, width: int, plies: range | None, progress: Callable[[int, int], None] | None
) -> Iterator[NDArray[np.uint8]]:
    """Give the pictures, all of one size, both sides even."""
    numbers = range(len(record.actions) + 1) if plies is None else plies
    for frame in frames(record, seat):
        if frame.ply in numbers:
            picture = drawing(record.game, record.variant, frame, seat, record.agents, film=True)
            pixels = render_svg.raster(picture, width)
            yield pixels[: pixels.shape[0] // 2 * 2]
        if progress is not None:
            progress(frame.ply + 1, len(record.actions) + 1)


def _write_image(pictures: list[NDArray[np.uint8]], target: Path, delay: float) -> None:
    """Write an animated GIF or WebP that repeats for ever."""
    from PIL import Image

    images = [Image.fromarray(pixels) for pixels in pictures]
    durations = [round(1000 * delay)] * (len(images) - 1) + [round(1000 * delay * _HELD)]
    if target.suffix == ".gif":
        palette = images[len(images) // 2].quantize(_COLORS)
        images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
        images[0].save(target, save_all=True, append_images=images[1:], duration=durations, loop=0)
    else:
        images[0].save(
            target, save_all=True, append_images=images[1:], duration=durations, loop=0, quality=_QUALITY, method=4
        )


def _write_mp4(pictures: list[NDArray[np.uint8]], target: Path, delay: float) -> None:
    """Write an MP4 by ffmpeg."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise FileNotFoundError("an MP4 needs ffmpeg, which is not installed: install it, or write a .webp")
    high, wide = pictures[0].shape[:2]
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{wide}x{high}", "-r", f"{1 / delay:g}", "-i", "-"]
    coded = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-r", "25", "-movflags", "+faststart", str(target)]
    data = b"".join(pixels.tobytes() for pixels in [*pictures, *[pictures[-1]] * (_HELD - 1)])
    done = subprocess.run([ffmpeg, "-y", "-loglevel", "error", *raw, *coded], input=data, capture_output=True)
    if done.returncode:
        raise ValueError(f"ffmpeg could not write {target}: {done.stderr.decode(errors='replace').strip()}")
