"""Draw a table."""

from typing import Any

from kozyr.envs.core import svg
from kozyr.envs.core.state import OVER
from leduc.rules import SUITS, Variant

_RANKS, _SUITS = "JQKA", "SH"
WIDE, HIGH, ROW = 360.0, 120.0, 110.0


def draw(v: Variant, s: Any, seat: int | None = None) -> svg.Picture:
    """Draw the hands and the open card as SVG; with a seat, what it knows.

    Args:
        v: the variant.
        s: the state, one record.
        seat: who looks; None sees everything.
    """
    high = HIGH + ROW * v.players
    rows = [_row(s, k, seat in (None, k)) for k in range(v.players)]
    shown = _card(int(s.open_card)) if seat is None or s.street > 0 else svg.back()
    state = "over" if s.turn == OVER else f"player_{int(s.turn)} to move"
    return svg.picture(
        WIDE,
        high,
        svg.box(0, 0, WIDE, high, fill=svg.GREEN),
        svg.group(shown, x=20, y=16),
        svg.label(100, 60, state, 12),
        *(svg.group(row, x=20, y=HIGH + ROW * k) for k, row in enumerate(rows)),
        title="Leduc poker",
    )


def _row(s: Any, k: int, known: bool) -> str:
    """Draw a seat: its card and what it has paid."""
    words = f"player_{k}: {int(s.paid[k])}" + (", folded" if s.folded[k] else "")
    return (_card(int(s.hand[k])) if known else svg.back()) + svg.label(80, 44, words, 12)


def _card(card: int) -> str:
    return svg.card(_RANKS[card // SUITS], _SUITS[card % SUITS])
