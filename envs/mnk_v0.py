"""# m,n,k-game

{summary}

Two seats put stones on a board of m rows and n columns; k in a row win. X begins. If X makes a line first, O has one
last reply: if that makes a line too, the game is a draw. Without `last_reply` this is gomoku, and with m = n = k = 3
tic-tac-toe. Walls may make the board uneven. With `opening_rule="swap2"` a game begins as in tournaments of gomoku: one
seat lays three stones, and the other one chooses a side or lays two more. `RULES.md` in the folder `mnk` holds the
rules paragraph by paragraph.

### Usage

{usage}

### Options

{options}

`reset(seed=…)` fixes the walls and who begins. `reset(options={"starter": 1})` lets `player_1` play X, or open with
swap2.

### Observation Space

{dictionary} With the default options:

{observation}

### Action Space

{actions}

Every empty cell is legal, unless `bans` keeps X from it. With `opening_rule="swap2"` there are three more actions,
which alone are legal where a side is chosen: `take-o`, `take-x` and `two-more`.

### Rewards

| Winner | Loser | Draw |
| --- | --- | --- |
| +1 | -1 | 0 |

Rewards are 0 until the end.

### Strategy

- Complete your own line first, then stop the other's line, then build open fours and threes.
- Look for forks: one stone that makes two threats. The other side can answer only one.
- A chain of fours forces every reply. `threat` searches for such forced wins before it plays anything else.
- As X, remember the last reply: a line wins only if O cannot complete a line at once.
- Try both sides with `--by-turn`: `hard` wins more as O, the bundled policy more as X.

### Statistics

Both seats are taken by the same player. Figures are those of `kozyr stats mnk`: 10,000 games for each row on 15×15 with
the last reply; ± is half of the 95 % interval.

| Player | Actions a game | Draws | Return of X |
| --- | --- | --- | --- |
| `random` | 109.5 ± 0.5 | 1.9 ± 0.3 % | -0.03 ± 0.02 |
| `easy` | 44.2 ± 0.8 | 3.8 ± 0.4 % | 0.21 ± 0.02 |
| `hard` | 116.8 ± 1.7 | 37.1 ± 1.0 % | -0.51 ± 0.01 |

### Rendering

{rendering}

### Version History

* v0: the first version
"""

from typing import Any

from kozyr.envs.environments.aec import Env, RawEnv
from kozyr.envs.environments.doc_page import page
from kozyr.envs.environments.parallel import Parallel
from kozyr.envs.mnk import GAME

__doc__ = page(__doc__ or "", GAME)


def env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> Env:
    """Return the environment in which an illegal action disqualifies."""
    return Env(GAME, render_mode, render_seat, **variant)


def raw_env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> RawEnv:
    """Return the environment in which an illegal action raises."""
    return RawEnv(GAME, render_mode, render_seat, **variant)


def parallel_env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> Parallel:
    """Return the environment in which all seats act at each step; those that are not to move wait."""
    return Parallel(GAME, render_mode, render_seat, **variant)
