"""Tables in Markdown."""

from collections.abc import Sequence


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a table, the first one its heads."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * (len(rows[0]) - 1) + "|", *lines[1:]])
