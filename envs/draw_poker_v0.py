"""# Draw poker

{summary}

Five-card draw with a fixed highest bet: an ante, five cards each, a betting round, an exchange of any cards, a second
betting round, a showdown. Two to five seats play one hand for its chips or a tournament for all chips. Two rankings are
offered: that of the original description, in which four of a kind beats a straight flush and a straight beats a full
house, and the usual one. For exact experiments there are decks of 6 to 26 cards with hands of two, where only pairs
count. `RULES.md` in the folder `draw_poker` holds the rules paragraph by paragraph.

### Observation Space

Each observation is a dictionary: `observation` is a vector of parts, `action_mask` marks the legal actions (all 0 out
of turn). Seats are counted clockwise from the observer, who is 0. With the default options:

{observation}

### Action Space

{actions}

Betting rounds open fold, call and the raises that are above the highest bet and within the seat's chips; the exchange
opens the discards. Bit i of a discard is card i of the hand, which lies sorted by rank, then suit. Hands of two cards
have 4 discards, of which that of both is legal only where each seat has two cards to draw.

### Rewards

| Episode | Reward |
| --- | --- |
| `hand` | chips won or lost / ((players - 1) * min(stack, ante + 2 * max_bet)) |
| `tournament` | 1 - 2 * (place - 1) / (players - 1), equal seats sharing the mean of their places |

Rewards are 0 until the end and add up to 0. `infos[agent]["change"]` holds the chips that the agent won or lost in the
last finished hand. A tournament cut off by `max_hands` is truncated, with places by chips.

### Options

{options}

`reset(seed=…)` fixes the deal and all that is drawn; `reset(options={"starter": 1})` lets `player_1` act first with the
same deal.

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
from kozyr.envs.draw_poker import GAME

__doc__ = page(__doc__ or "", GAME)


def env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> Env:
    """Return the environment in which an illegal action disqualifies."""
    return Env(GAME, render_mode, render_seat, **variant)


def raw_env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> RawEnv:
    """Return the environment in which an illegal action raises."""
    return RawEnv(GAME, render_mode, render_seat, **variant)
