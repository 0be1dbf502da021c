"""# Durak

{summary}

Durak is a card game without a winner: who is left with cards at the end is the fool. The attacker lays a card, the
defender beats it with a higher card of its suit or with a trump, the attackers throw in cards of the ranks that lie on
the table, and a defender who cannot or will not go on takes everything. Two to six seats play with 20 to 52 cards.
`RULES.md` in the folder `durak` holds the rules paragraph by paragraph.

### Observation Space

Each observation is a dictionary: `observation` is a vector of parts, `action_mask` marks the legal actions (all 0 out
of turn). Seats are counted clockwise from the observer, who is 0. With the default options:

{observation}

### Action Space

{actions}

Only cards in hand that fit are legal. Under `pass` an attacker is done and the defender takes the table.

### Rewards

| Players | Fool | Others | Draw |
| --- | --- | --- | --- |
| 2 | -1 | +1 | 0 |
| n > 2 | -1 | +1 / (n - 1) | 0 |

Rewards are 0 until the end. A game cut off by `max_rounds` is truncated with 0 for all.

### Options

{options}

`reset(seed=…)` fixes the deal; `reset(options={"starter": 1})` lets `player_1` attack first with the same deal.

### Rendering

`render_mode="human"` shows every step in a window (`pip install 'kozyr[window]'`).
`render()` returns text (`"ansi"`), a drawing (`"svg"`) or its pixels (`"rgb_array"`). All cards are
shown, hidden ones too; `render_seat=1` shows only what `player_1` knows.

### Version History

* v0: the first version
"""

from typing import Any

from kozyr.envs.api.aec import Env, RawEnv
from kozyr.envs.api.page import page
from kozyr.envs.durak import GAME

__doc__ = page(__doc__ or "", GAME)


def env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> Env:
    """Return the environment in which an illegal action disqualifies."""
    return Env(GAME, render_mode, render_seat, **variant)


def raw_env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> RawEnv:
    """Return the environment in which an illegal action raises."""
    return RawEnv(GAME, render_mode, render_seat, **variant)
