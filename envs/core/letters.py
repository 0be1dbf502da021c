"""Words as strokes: how wide a text is, how it fits its room, and what draws it.

Names of persons may hold any letter: what has no strokes here is text in the viewer's own fonts.
"""

from functools import lru_cache
from html import escape
from unicodedata import combining, east_asian_width, normalize

from kozyr.envs.core.svg import FONT, GAP

SHRUNK = 0.75  # a text gets so small before it is cut
_MORE: dict[str, tuple[float, str]] = {
    "…": (6, "M.5 9.9V10M3 9.9V10M5.5 9.9V10"),
    "−": (5, "M0 6H5"),
    "–": (5, "M0 6H5"),
    "—": (8, "M0 6H8"),
    "·": (1, "M.5 5.9V6"),
    "’": (1, "M.7 0L.2 2.4"),
    '"': (3, "M.4 0V2.4M2.6 0V2.4"),
    ";": (1, "M.5 4.6V4.7M.7 9.8L.1 11.8"),
    "×": (4.4, "M0 3.8L4.4 8.2M4.4 3.8L0 8.2"),
    "&": (6.8, "M6.8 10L1.4 3.2A1.9 1.9 0 1 1 4.6 2.4Q4.2 4 1.5 5.3A2.5 2.5 0 1 0 4.9 9.4Q6 8.4 6.4 6.4"),
    "*": (4, "M2 1V5M.3 2L3.7 4M3.7 2L.3 4"),
    "#": (6, "M2 1L1 9M5 1L4 9M.4 3.4H6M0 6.6H5.6"),
    "<": (4.6, "M4.6 2.8L0 6L4.6 9.2"),
    ">": (4.6, "M0 2.8L4.6 6L0 9.2"),
    "[": (2, "M2 -1H0V11H2"),
    "]": (2, "M0 -1H2V11H0"),
    "@": (8, "M5.6 3.6V6.4A1.2 1.2 0 0 0 8 6.4V5A4 4 0 1 0 6 9M5.6 5A1.7 1.7 0 1 0 5.6 5.1"),
    "$": (5.6, "M5.3 2.4A2.7 2.2 0 0 0 2.8 .8A2.7 2.1 0 0 0 2.8 5A2.8 2.2 0 0 1 2.8 9.2A2.8 2.2 0 0 1 0 7.4M2.8 -1V11"),
    "ß": (5.4, "M0 10V2.4A2.4 2.4 0 0 1 4.8 2.4Q4.8 4 3 4.6A2.6 2.6 0 0 1 2.4 10"),
    "ı": (1, "M.5 3.4V10"),
    "ø": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM.3 10.6L5.3 2.8"),
    "Ø": (6.6, "M0 3.3A3.3 3.3 0 0 1 6.6 3.3V6.7A3.3 3.3 0 0 1 0 6.7ZM.6 11L6 -1"),
    "ł": (2, "M.4 0V8.4A1.6 1.6 0 0 0 2 10M-.8 6L1.8 4"),
    "Ł": (5, "M0 0V10H5M-1.2 6.4L2 4"),
}
# Marks over and under letters around the middle of a letter whose top is y = 0.
_MARKS = {
    "\u0300": "M-1.2 -3.4L.6 -1.8",
    "\u0301": "M1.2 -3.4L-.6 -1.8",
    "\u0302": "M-1.5 -1.8L0 -3.4L1.5 -1.8",
    "\u0303": "M-1.8 -2Q-.9 -3.4 0 -2.6Q.9 -1.8 1.8 -3.2",
    "\u0304": "M-1.6 -2.6H1.6",
    "\u0306": "M-1.5 -3.4Q0 -1 1.5 -3.4",
    "\u0307": "M0 -2.6V-2.5",
    "\u0308": "M-1.4 -2.6V-2.5M1.4 -2.6V-2.5",
    "\u030a": "M-1.1 -2.7A1.1 1.1 0 1 1 1.1 -2.7A1.1 1.1 0 1 1 -1.1 -2.7",
    "\u030b": "M-.2 -3.4L-1.2 -1.8M1.6 -3.4L.6 -1.8",
    "\u030c": "M-1.5 -3.4L0 -1.8L1.5 -3.4",
}
_TALL = set("bdfhklt")
_TEXT_WIDE = 7.0  # of a letter that has no strokes, which the viewer's own font shows
STROKES = FONT | _MORE


def span(text: str, size: float) -> float:
    """Tell how wide a text is whose capitals are `size` high."""
    return _set(text)[0] * size / 10


@lru_cache(4096)
def fitted(text: str, size: float, room: float) -> tuple[str, float]:
    """Return a text and its size so that it fits its room: shrunk down to three quarters, then cut with "…".

    Args:
        text: what is to be shown.
        size: the height of a capital.
        room: how wide it may be; 0: as wide as it likes.
    """
    natural = span(text, size)
    if room <= 0 or natural <= room:
        return text, size
    size = max(size * SHRUNK, size * room / natural)
    if span(text, size) <= room + 1e-6:
        return text, size
    for end in range(len(text) - 1, 0, -1):
        cut = text[:end].rstrip() + "…"
        if span(cut, size) <= room:
            return cut, size
    return "…", size


def drawn(text: str) -> str:
    """Return the elements that draw a text from the origin, ten high, with the pen of the group around them."""
    return _set(text)[1]


@lru_cache(4096)
def _set(text: str) -> tuple[float, str]:
    """Return how wide a text is at size ten, and what draws it; strokes are one path, unknown letters are text."""
    across, strokes, others = 0.0, list[str](), list[str]()
    run, begin = "", 0.0
    for letter in _clusters(text):
        known = _strokes(letter)
        if known is None:
            begin = begin if run else across
            run += letter
            across += _other_wide(letter) + GAP
            continue
        if run:
            others.append(_other(run, begin, across - GAP - begin))
            run = ""
        width, d = known
        if d:
            strokes.append(_moved(d, across))
        across += width + GAP
    if run:
        others.append(_other(run, begin, across - GAP - begin))
    path = "".join(strokes)
    return max(across - GAP, 0), path + "".join(others)


def _clusters(text: str) -> list[str]:
    """Return the letters of a text, each with the marks that stand on it."""
    found = list[str]()
    for letter in normalize("NFD", text):
        if found and (combining(letter) or letter in "\u200d\ufe0f" or found[-1].endswith("\u200d")):
            found[-1] += letter
        elif letter.isprintable():
            found.append(letter)
    return found


@lru_cache(4096)
def _strokes(letter: str) -> tuple[float, str] | None:
    """Return the width and the strokes of a letter with its marks, or None if there are none for it."""
    base, marks = letter[0], letter[1:]
    if base not in STROKES or any(mark not in _MARKS for mark in marks):
        return None
    width, d = STROKES["ı" if base == "i" and marks else base]
    top = 0.0 if base.isupper() or base in _TALL else 2.8
    return width, d + "".join(f"\t{width / 2:g} {top:g} {_MARKS[mark]}" for mark in marks)


def _moved(d: str, across: float) -> str:
    """Return the paths of a letter, moved right."""
    body, *marks = d.split("\t")
    where = f' transform="translate({across:.4g})"' if across else ""
    paths = [f'<path d="{body}"{where}/>']
    for mark in marks:
        x, y, shape = mark.split(" ", 2)
        paths.append(f'<path d="{shape}" transform="translate({across + float(x):.4g} {y})"/>')
    return "".join(paths)


def _other_wide(letter: str) -> float:
    return 12.0 if east_asian_width(letter[0]) in "WF" else _TEXT_WIDE


def _other(run: str, x: float, wide: float) -> str:
    """Return letters without strokes as text of the viewer's own fonts."""
    look = 'stroke="none" fill="currentColor" font-family="system-ui,sans-serif" font-size="13.5"'
    fit = f'textLength="{wide:.4g}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x:.4g}" y="10" {look} {fit}>{escape(normalize("NFC", run))}</text>'
