"""Draw an m,n,k-board, which hides nothing."""

from string import ascii_lowercase
from typing import Any

from kozyr.envs.core import svg
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.rules import EMPTY, NO_CELL, SEATS, WALL, Variant

PAGE, BOARD, GRID, FAINT = "#eef0f3", "#fffdf8", "#c4c8d0", "#6d7686"
BLOCK, FRESH = "#59616f", "#ffe9a8"
COLORS = ("#1f5fae", "#d2462f")  # X, O
LINES = ("#b9d3f3", "#f7c9bf")  # winning lines of X, of O

MARGIN, HEAD, FOOT = 20.0, 64.0, 48.0
NARROWEST = 440.0  # of a picture, so that two names fit


def draw(v: Variant, s: Any, seat: int | None = None) -> svg.Picture:
    """Draw the board with its coordinates, both players and what happens.

    Args:
        v: The variant.
        s: The state, one record.
        seat: Who looks; everybody sees the same.

    Returns:
        An SVG document, shown as a drawing by notebooks.
    """
    cell = min(64.0, max(26.0, 600.0 / max(v.m, v.n)))
    edge = 26.0  # for the coordinates
    wide = max(NARROWEST, v.n * cell + 2 * (MARGIN + edge))
    high = HEAD + edge + v.m * cell + FOOT + MARGIN
    x, y = (wide - v.n * cell) / 2, HEAD + edge
    return svg.picture(
        wide,
        high,
        svg.box(0, 0, wide, high, fill=PAGE),
        names(s, wide),
        svg.group(coordinates(v, cell), board(v, s, cell), x=x, y=y),
        status(s, wide / 2, y + v.m * cell + FOOT / 2 + 8),
        title="m,n,k-game",
    )


def names(s: Any, wide: float) -> str:
    """Draw both players over the board, X on the left, the one to move framed."""
    width = (wide - 2 * MARGIN - 12) / 2
    parts: list[str] = []
    for side in range(SEATS):
        who = int(s.starter) if side == 0 else 1 - int(s.starter)
        edge: dict[str, str | float] = (
            {"stroke": COLORS[side], "stroke_width": 2.5} if s.turn == who else {"stroke": GRID}
        )
        x = MARGIN + side * (width + 12)
        parts.append(svg.box(x, 16, width, 40, rx=10, fill=BOARD, **edge))
        parts.append(stone(side, x + 22, 36, 30))
        parts.append(svg.label(x + 44, 41, f"player_{who}", 11, svg.INK, weight=1.6))
        if s.turn == who:
            parts.append(svg.tag(x + width - 10 - svg.tag_width("TO MOVE"), 36, "TO MOVE", svg.GOLD, svg.INK))
    return "".join(parts)


def coordinates(v: Variant, cell: float) -> str:
    """Draw the letters of the columns above the board and the numbers of the rows left of it."""
    size = min(11.0, max(8.0, cell / 4))
    columns = (svg.label((c + 0.5) * cell, -9, ascii_lowercase[c], size, FAINT, anchor=0.5) for c in range(v.n))
    rows = (svg.label(-9, (r + 0.5) * cell + size / 2, str(r + 1), size, FAINT, anchor=1) for r in range(v.m))
    return "".join((*columns, *rows))


def board(v: Variant, s: Any, cell: float) -> str:
    """Draw the cells, the newest stone's one tinted, the lines that count, and the stones."""
    last = int(s.last)
    fresh = frame = ""
    if last != NO_CELL:
        fresh = square(v, last, cell, fill=FRESH)
        frame = square(v, last, cell, fill="none", stroke=svg.GOLD, stroke_width=2)
    stones = (
        stone(int(s.board[a] != s.starter), *centre(v, a, cell), cell)
        for a in range(v.m * v.n)
        if s.board[a] not in (EMPTY, WALL)
    )
    walls = (square(v, a, cell, fill=BLOCK) for a in range(v.m * v.n) if s.board[a] == WALL)
    return "".join(
        (
            svg.box(0, 0, v.n * cell, v.m * cell, fill=BOARD),
            fresh,
            grid(v, cell),
            *walls,
            *(strike(v, s, line, cell) for line in lines(v, s)),
            frame,
            *stones,
            svg.box(0, 0, v.n * cell, v.m * cell, rx=3, fill="none", stroke=FAINT, stroke_width=2),
        )
    )


def grid(v: Variant, cell: float) -> str:
    """Draw the lines between the cells."""
    across = "".join(f"M0 {svg.number(r * cell)}H{svg.number(v.n * cell)}" for r in range(1, v.m))
    down = "".join(f"M{svg.number(c * cell)} 0V{svg.number(v.m * cell)}" for c in range(1, v.n))
    return svg.path(across + down, stroke=GRID, stroke_width=1)


def centre(v: Variant, a: int, cell: float) -> tuple[float, float]:
    """Tell where the middle of a cell is."""
    return (a % v.n + 0.5) * cell, (a // v.n + 0.5) * cell


def square(v: Variant, a: int, cell: float, **look: str | float | None) -> str:
    """Draw the inside of a cell."""
    x, y = centre(v, a, cell)
    return svg.box(x - cell / 2 + 1, y - cell / 2 + 1, cell - 2, cell - 2, rx=3, **look)


def stone(side: int, x: float, y: float, cell: float) -> str:
    """Draw a stone of X (side 0) or O (side 1)."""
    pen: dict[str, str | float] = {
        "stroke": COLORS[side],
        "stroke_width": cell * 0.11,
        "stroke_linecap": "round",
    }
    if side == 0:
        d, arm = svg.number(cell * 0.25), svg.number(cell * 0.5)
        return svg.group(svg.path(f"M-{d}-{d}l{arm} {arm}m0-{arm}l-{arm} {arm}", **pen), x=x, y=y)
    return svg.element("circle", cx=x, cy=y, r=cell * 0.28, fill="none", **pen)


def lines(v: Variant, s: Any) -> list[list[int]]:
    """Find the lines that count: unbroken rows of k or more stones of one seat."""
    found: list[list[int]] = []
    for a in range(v.m * v.n):
        if s.board[a] in (EMPTY, WALL):
            continue
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if not same(v, s, a, -dr, -dc):
                line = [a]
                while same(v, s, line[-1], dr, dc):
                    line.append(line[-1] + dr * v.n + dc)
                if len(line) >= v.k:
                    found.append(line)
    return found


def same(v: Variant, s: Any, a: int, dr: int, dc: int) -> bool:
    """Tell whether the next cell in a direction holds a stone of the same seat."""
    r, c = a // v.n + dr, a % v.n + dc
    return 0 <= r < v.m and 0 <= c < v.n and bool(s.board[r * v.n + c] == s.board[a])


def strike(v: Variant, s: Any, line: list[int], cell: float) -> str:
    """Draw a broad band behind the stones of a line."""
    ends = [" ".join(map(svg.number, centre(v, a, cell))) for a in (line[0], line[-1])]
    color = LINES[int(s.board[line[0]] != s.starter)]
    return svg.path(f"M{ends[0]}L{ends[1]}", stroke=color, stroke_width=cell * 0.72, stroke_linecap="round")


def status(s: Any, x: float, y: float) -> str:
    """Draw the line that says whose move it is, or how the game ended."""
    if s.turn != OVER:
        who = f"player_{int(s.turn)} ({'X' if s.turn == s.starter else 'O'})"
        if s.reply:
            text = f"{who} has the last reply"
            return svg.tag(x - svg.tag_width(text, 11) / 2, y, text, COLORS[1], size=11)
        return svg.label(x, y + 5, f"{who} to move", 11, svg.INK, anchor=0.5)
    text = result(s)
    return svg.tag(x - svg.tag_width(text, 13) / 2, y, text, svg.GOLD, svg.INK, size=13)


def result(s: Any) -> str:
    """Say how the game ended."""
    if s.truncated:
        return "stopped"
    if not s.payoff.any():
        return "draw"
    winner = int(s.payoff[1] > s.payoff[0])
    return f"player_{winner} ({'X' if winner == s.starter else 'O'}) wins"
