"""# War

{summary}

Two seats turn over their top cards, and the higher rank takes both; equal ranks begin a war, in which each lays three
cards face down and a fourth one face up. Whoever has all the cards wins. As long as cards go back under the deck in a
fixed order there is nothing to decide; with `pickup="choice"` the winner of each turn chooses that order, and the game
becomes one of skill and memory. `RULES.md` in the folder `war` holds the rules paragraph by paragraph.

### Observation Space

Each observation is a dictionary: `observation` is a vector of parts, `action_mask` marks the legal actions (all 0 out
of turn). Both seats know the same. A line is the cards that a seat has laid in this turn, then its deck from the top.
With the default options:

{observation}

### Action Space

{actions}

With `pickup="choice"` the winner of a turn chooses one of the four orders; everything else is a `flip`.

### Rewards

| Winner | Loser |
| --- | --- |
| +1 | -1 |

Rewards are 0 until the end. A game cut off by `max_turns` is truncated with 0 for both.

### How games end

Shares of 200,000 deals, `kozyr stats war --deals 200000`. The starter is the seat that turns up first.

| `pickup` | Starter wins | Other wins | Not finished after 1,000 turns |
| --- | --- | --- | --- |
| `fixed` | 42.4 % | 38.7 % | 18.9 % |
| `random` | 49.7 % | 49.7 % | 0.6 % |

The C# program whose rules these are plays 1,001 turns before it stops. Its document says 1,000, and so
does this game. With `max_turns=1001`, 30,000 of 30,000 deals were equal to it.

### Options

{options}

`reset(seed=…)` fixes the deal; `reset(options={"starter": 1})` lets `player_1` turn up first with the same deal.

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
from kozyr.envs.war import GAME

__doc__ = page(__doc__ or "", GAME)


def env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> Env:
    """Return the environment in which an illegal action disqualifies."""
    return Env(GAME, render_mode, render_seat, **variant)


def raw_env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> RawEnv:
    """Return the environment in which an illegal action raises."""
    return RawEnv(GAME, render_mode, render_seat, **variant)
