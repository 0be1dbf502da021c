"""Words as strokes: how wide a text is, how it fits its room, and what draws it.

Names of persons may hold any letter: what has no strokes here is text in the viewer's own fonts.
"""

from functools import lru_cache
from html import escape
from unicodedata import combining, east_asian_width, normalize

SHRUNK = 0.75  # a text gets so small before it is cut
GAP = 2.4  # between letters

# Strokes of a letter and its width: capitals stand on y = 10 and are 10 high, small letters begin at 3.4.
STROKES: dict[str, tuple[float, str]] = {
    " ": (2.4, ""),
    "A": (7.2, "M0 10L3.6 0L7.2 10M1.3 6.6H5.9"),
    "B": (6, "M0 4.6H2.9A2.3 2.3 0 0 0 2.9 0H0V10H3.3A2.7 2.7 0 0 0 3.3 4.6"),
    "C": (6.3, "M6.29 1.9A3.3 3.3 0 0 0 0 3.3V6.7A3.3 3.3 0 0 0 6.29 8.1"),
    "D": (6.5, "M0 0V10H2.5A4 4 0 0 0 6.5 6V4A4 4 0 0 0 2.5 0Z"),
    "E": (5.4, "M5.4 0H0V10H5.4M0 4.8H4.6"),
    "F": (5.3, "M5.3 0H0V10M0 5H4.5"),
    "G": (6.6, "M6.29 1.9A3.3 3.3 0 0 0 0 3.3V6.7A3.3 3.3 0 0 0 6.6 6.7V5.3H3.8"),
    "H": (6.4, "M0 0V10M6.4 0V10M0 4.8H6.4"),
    "I": (1, "M.5 0V10"),
    "J": (4.6, "M4.6 0V7.4A2.4 2.4 0 0 1 0 8"),
    "K": (6.2, "M0 0V10M6 0L0 6.2M2.1 4.1L6.2 10"),
    "L": (5, "M0 0V10H5"),
    "M": (8, "M0 10V0L4 7L8 0V10"),
    "N": (6.6, "M0 10V0L6.6 10V0"),
    "O": (6.6, "M0 3.3A3.3 3.3 0 0 1 6.6 3.3V6.7A3.3 3.3 0 0 1 0 6.7Z"),
    "P": (6, "M0 10V0H3.2A2.8 2.8 0 0 1 3.2 5.6H0"),
    "Q": (6.9, "M0 3.3A3.3 3.3 0 0 1 6.6 3.3V6.7A3.3 3.3 0 0 1 0 6.7ZM4 7.2L6.9 10.6"),
    "R": (6.2, "M0 10V0H3.2A2.8 2.8 0 0 1 3.2 5.6H0M3.2 5.6L6.2 10"),
    "S": (6, "M5.7 2A2.9 2.4 0 0 0 3 0A2.9 2.4 0 0 0 3 4.8A3 2.6 0 0 1 3 10A3 2.6 0 0 1 0 8"),
    "T": (6.4, "M0 0H6.4M3.2 0V10"),
    "U": (6.4, "M0 0V6.8A3.2 3.2 0 0 0 6.4 6.8V0"),
    "V": (7, "M0 0L3.5 10L7 0"),
    "W": (9.6, "M0 0L2.4 10L4.8 2L7.2 10L9.6 0"),
    "X": (6.6, "M0 0L6.6 10M6.6 0L0 10"),
    "Y": (6.8, "M0 0L3.4 5L6.8 0M3.4 5V10"),
    "Z": (6, "M0 0H6L0 10H6"),
    "a": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM5.6 3.4V10"),
    "b": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM0 0V10"),
    "c": (5.2, "M5.2 4.9A2.8 2.8 0 0 0 0 6.2V7.2A2.8 2.8 0 0 0 5.2 8.5"),
    "d": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM5.6 0V10"),
    "e": (5.6, "M0 6.7H5.6V6.2A2.8 2.8 0 0 0 0 6.2V7.2A2.8 2.8 0 0 0 5.2 8.6"),
    "f": (3.6, "M3.6 0H3.4A2 2 0 0 0 1.4 2V10M0 3.6H3.3"),
    "g": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM5.6 3.4V10.4A2.7 2.6 0 0 1 .5 11.7"),
    "h": (5.4, "M0 0V10M0 6.1A2.7 2.7 0 0 1 5.4 6.1V10"),
    "i": (1, "M.5 3.4V10M.5 .5V.6"),
    "j": (2, "M1.5 3.4V11A2 2 0 0 1 -.3 12.9M1.5 .5V.6"),
    "k": (5, "M0 0V10M4.7 3.4L0 7.7M1.7 6.1L5 10"),
    "l": (2, "M.4 0V8.4A1.6 1.6 0 0 0 2 10"),
    "m": (8.6, "M0 3.4V10M0 5.55A2.15 2.15 0 0 1 4.3 5.55V10M4.3 5.55A2.15 2.15 0 0 1 8.6 5.55V10"),
    "n": (5.4, "M0 3.4V10M0 6.1A2.7 2.7 0 0 1 5.4 6.1V10"),
    "o": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2Z"),
    "p": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM0 3.4V13"),
    "q": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM5.6 3.4V13"),
    "r": (3.2, "M0 3.4V10M0 6.2A2.8 2.8 0 0 1 3.2 3.5"),
    "s": (
        4.6,
        "M4.4 4.8A2.2 1.6 0 0 0 2.3 3.4A2.1 1.6 0 0 0 2.3 6.6A2.3 1.7 0 0 1 2.3 10A2.4 1.8 0 0 1 0 8.6",
    ),
    "t": (3.6, "M1.4 .8V8A2 2 0 0 0 3.4 10H3.6M0 3.6H3.4"),
    "u": (5.4, "M0 3.4V7.3A2.7 2.7 0 0 0 5.4 7.3M5.4 3.4V10"),
    "v": (5.4, "M0 3.4L2.7 10L5.4 3.4"),
    "w": (8, "M0 3.4L2 10L4 4.4L6 10L8 3.4"),
    "x": (5, "M0 3.4L5 10M5 3.4L0 10"),
    "y": (5.4, "M0 3.4L2.8 9.8M5.4 3.4L2.2 12Q1.7 13.1 .3 13"),
    "z": (4.8, "M0 3.4H4.8L0 10H4.8"),
    "0": (6, "M0 3A3 3 0 0 1 6 3V7A3 3 0 0 1 0 7Z"),
    "1": (3, "M0 2.4L3 0V10"),
    "2": (6, "M.2 2.6A2.9 2.9 0 1 1 5.3 4.7L0 10H6"),
    "3": (5.8, "M.2 2.2A2.75 2.35 0 1 1 2.8 4.7H2.2M2.8 4.7A3 2.65 0 1 1 0 7.8"),
    "4": (6.2, "M4.6 10V0L0 7H6.2"),
    "5": (6, "M5.6 0H1L.5 4.7Q1.4 3.8 2.9 3.8A3.1 3.1 0 0 1 2.9 10A3 3 0 0 1 0 8.2"),
    "6": (6, "M5 0Q0 2.4 0 6.9A3 3.1 0 0 0 6 6.9A3 3.1 0 0 0 0 6.9"),
    "7": (6, "M0 0H6L2 10"),
    "8": (6, "M3 0A2.6 2.35 0 0 1 3 4.7A2.6 2.35 0 0 1 3 0ZM3 4.7A3 2.65 0 0 1 3 10A3 2.65 0 0 1 3 4.7Z"),
    "9": (6, "M1 10Q6 7.6 6 3.1A3 3.1 0 0 0 0 3.1A3 3.1 0 0 0 6 3.1"),
    "_": (5, "M0 11.6H5"),
    "-": (3.8, "M0 6H3.8"),
    "+": (5, "M0 6H5M2.5 3.5V8.5"),
    "=": (5, "M0 4.6H5M0 7.6H5"),
    ".": (1, "M.5 9.9V10"),
    ",": (1, "M.7 9.8L.1 11.8"),
    ":": (1, "M.5 4.6V4.7M.5 9.9V10"),
    "/": (4, "M0 11L4 -1"),
    "(": (2.4, "M2.4 -1Q-1.6 5 2.4 11"),
    ")": (2.4, "M0 -1Q4 5 0 11"),
    "'": (1, "M.5 0V2.4"),
    "!": (1, "M.5 0V6.8M.5 9.9V10"),
    "?": (5, "M0 2.4A2.5 2.4 0 1 1 3.6 4.6Q2.5 5.2 2.5 7M2.5 9.9V10"),
    "%": (8, "M0 0H3V4H0ZM5 6H8V10H5ZM7 0L1 10"),
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


def span(text: str, size: float) -> float:
    """Return the width of a text whose capitals are `size` high."""
    return _set(text)[0] * size / 10


@lru_cache(4096)
def fit_text(text: str, size: float, room: float, least: float = 0) -> tuple[str, float]:
    """Return a text and its size so that it fits its room: shrunk down to three quarters, then cut with "…".

    Args:
        text: what is to be shown.
        size: the height of a capital.
        room: how wide it may be; 0: as wide as it likes.
        least: what it is not shrunk below.
    """
    natural = span(text, size)
    if room <= 0 or natural <= room:
        return text, size
    size = max(size * SHRUNK, size * room / natural, min(size, least))
    if span(text, size) <= room + 1e-6:
        return text, size
    for end in range(len(text) - 1, 0, -1):
        cut = text[:end].rstrip() + "…"
        if span(cut, size) <= room:
            return cut, size
    return "…", size


def glyphs(text: str) -> str:
    """Return the elements that draw a text from the origin, ten high, with the pen of the group around them."""
    return _set(text)[1]


@lru_cache(4096)
def _set(text: str) -> tuple[float, str]:
    """Return the width of a text at size ten, and its drawing: strokes are one path, unknown letters are text."""
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
    clusters = list[str]()
    for letter in normalize("NFD", text):
        if clusters and (combining(letter) or letter in "\u200d\ufe0f" or clusters[-1].endswith("\u200d")):
            clusters[-1] += letter
        elif letter.isprintable():
            clusters.append(letter)
    return clusters


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
