"""# m,n,k-game

{summary}

Two seats put stones on a board of m rows and n columns; k in a row win. X begins, and if X gets a line first, O has one
last reply: a line made by it draws the game. Without `last_reply` this is gomoku, with m = n = k = 3 tic-tac-toe. Walls
may make the board uneven. `RULES.md` in the folder `mnk` holds the rules paragraph by paragraph.

### Observation Space

Each observation is a dictionary: `observation` is a vector of parts, `action_mask` marks the legal actions (all 0 out
of turn). With the default options:

{observation}

### Action Space

{actions}

A cell that is empty is legal.

### Rewards

| Winner | Loser | Draw |
| --- | --- | --- |
| +1 | -1 | 0 |

Rewards are 0 until the end.

### Options

{options}

`reset(seed=…)` fixes the walls and who begins; `reset(options={"starter": 1})` lets `player_1` play X.

### Rendering

`render_mode="human"` shows every step in a window (`pip install 'kozyr[window]'`).
`render()` returns text (`"ansi"`), a drawing (`"svg"`) or its pixels (`"rgb_array"`). Nothing is
hidden in this game; `render_seat=1` shows it from the side of `player_1`.

### Version History

* v0: the first version
"""

from typing import Any

from kozyr.envs.api.aec import Env, RawEnv
from kozyr.envs.api.page import page
from kozyr.envs.mnk import GAME

__doc__ = page(__doc__ or "", GAME)


def env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> Env:
    """Return the environment in which an illegal action disqualifies."""
    return Env(GAME, render_mode, render_seat, **variant)


def raw_env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> RawEnv:
    """Return the environment in which an illegal action raises."""
    return RawEnv(GAME, render_mode, render_seat, **variant)
