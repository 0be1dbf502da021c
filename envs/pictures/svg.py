"""A picture as SVG, which notebooks show, and its pixels."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Picture(str):
    """Show itself as a drawing wherever a notebook displays it."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def raster(text: str, width: int | None = None) -> NDArray[np.uint8]:
    """Turn an SVG into pixels.

    Args:
        text: A complete SVG document.
        width: Pixels across; the height follows. None keeps the size written in the document.

    Returns:
        Colours 0..255 in an array [height, width, 3].

    Raises:
        ImportError: If resvg-py or Pillow is missing.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError as missing:
        raise ImportError("pixels need resvg-py and Pillow: pip install resvg-py pillow") from missing
    strokes_only = "<text" not in text
    png = resvg_py.svg_to_bytes(svg_string=str(text), width=width, skip_system_fonts=strokes_only)
    with Image.open(io.BytesIO(png)) as image:
        return np.array(image.convert("RGB"), np.uint8)
