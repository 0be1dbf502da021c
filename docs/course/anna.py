"""Anna plays as near to the middle as she can."""

import numpy as np

SIDE = 15


def act(view, mask):
    """Return the free cell that is nearest to the middle."""
    rows, columns = np.divmod(np.arange(SIDE * SIDE), SIDE)
    away = np.maximum(abs(rows - SIDE // 2), abs(columns - SIDE // 2))
    return int(np.where(mask, away, SIDE).argmin())
