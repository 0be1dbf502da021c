"""An analyst's opinion of a recorded game: what an agent would have done at every ply."""

from collections.abc import Callable
from typing import Any

from kozyr.agents.play.host.advice import Advice, Row, advise
from kozyr.envs.table.notation import Record
from kozyr.envs.table.table import Table

_SHOWN = 6  # actions of an opinion


def opinions(
    record: Record, analyst: Any, name: str, progress: Callable[[int, int], None] | None = None
) -> dict[int, dict[str, Any]]:
    """Ask an agent at every decision of a game what it would do; the viewer shows it.

    A `gap` says how much worse the analyst finds what was played: the difference of both actions' values, or of their
    probabilities. It is 0 where the analyst's best was played, and where a search did not weigh what was played.

    Args:
        record: the game.
        analyst: an agent of that game.
        name: what the viewer calls it.
        progress: is told how many plies are done, and of how many.

    Raises:
        ValueError: for an analyst that was trained for something else, and for a record that breaks the rules.
    """
    table = Table(record.game, record.variant, record.seed, record.starter)
    found: dict[int, dict[str, Any]] = {}
    for ply, played in enumerate(record.actions):
        seat, mask = table.turn, table.mask
        if mask.sum() > 1:
            advice = advise(analyst, record.game, record.variant, table.view(seat), mask)
            found[ply] = {"seat": seat, "agent": name, **_told(table, advice, played)}
        table.play(played)
        if progress is not None:
            progress(ply + 1, len(record.actions))
    return found


def _told(table: Table, advice: Advice, played: int) -> dict[str, Any]:
    """Return an opinion as the viewer has it: the best actions, and the one that was played."""
    state, text = table.state()[0], table.game.text
    own = [row for row in advice.rows[_SHOWN:] if row.action == played]
    rows = [
        [text.say(table.variant, state, row.action), row.value, row.low, row.high, row.action == played]
        for row in [*advice.rows[:_SHOWN], *own]
    ]
    return {"kind": advice.kind, "gap": _gap(advice.rows, played), "rows": rows}


def _gap(rows: list[Row], played: int) -> float:
    return max((rows[0].value - row.value for row in rows if row.action == played), default=0.0)
