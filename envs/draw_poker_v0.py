"""# Draw poker

{summary}

This is five-card draw with a fixed highest bet. Each hand has an ante, five cards for everybody, a betting round, an
exchange of any cards, a second betting round and a showdown. Two to five seats play one hand for its chips, or a
tournament for all chips. There are two rankings. In the original description four of a kind beats a straight flush, and
a straight beats a full house; the other ranking is the usual one. For exact experiments there are decks of 6 to 26
cards with hands of two, where only pairs count. `RULES.md` in the folder `draw_poker` holds the rules paragraph by
paragraph.

### Usage

{usage}

### Options

{options}

`reset(seed=…)` fixes the deal and every card that is drawn. `reset(options={"starter": 1})` lets `player_1` act first
with the same deal.

### Observation Space

{dictionary} Seats are counted clockwise from the observer, who is 0. With the default options:

{observation}

### Action Space

{actions}

In betting rounds a seat may fold, call, or raise above the highest bet with the chips that it has. In the exchange it
discards: bit i of a discard is card i of the hand, sorted by rank, then suit. Hands of two cards have 4 discards. The
discard of both cards is legal only if each seat has two cards to draw.

### Rewards

| Episode | Reward |
| --- | --- |
| `hand` | chips won or lost / ((players - 1) * min(stack, ante + 2 * max_bet)) |
| `tournament` | 1 - 2 * (place - 1) / (players - 1), equal seats sharing the mean of their places |

Rewards are 0 until the end and add up to 0. `infos[agent]["change"]` has the chips that the agent won or lost in the
last finished hand. A tournament cut off by `max_hands` is truncated, with places by chips.

### Strategy

- Compare your chance to win with the price of a call: call if the chance is above price / (pot + price).
- A pair that draws three cards improves in 28.7 % of hands. Four cards to a flush become one in 19.1 %.
- Count how many cards the others exchanged. A player who exchanged none or one is likely to hold more.
- Players who bet or raise rarely do so with a weak hand. Take a bet into account when you estimate your chance.
- Never fold when checking is free.

### Statistics

All seats are taken by the same player. Figures are those of `kozyr stats draw_poker`: 10,000 hands for each row, four
seats; ± is half of the 95 % interval.

| Player | Actions a hand | Return of the seat that acts first |
| --- | --- | --- |
| `random` | 11.2 ± 0.1 | -0.018 ± 0.006 |
| `priority` | 9.60 ± 0.04 | 0.000 ± 0.002 |
| `heuristic` | 8.6 ± 0.1 | -0.002 ± 0.002 |

The same command counts how often each combination is dealt and how often an exchange improves it, beside the exact
chances.

### Rendering

{rendering}

### Version History

* v0: the first version
"""

from typing import Any

from kozyr.envs.draw_poker import GAME
from kozyr.envs.environments.aec import Env, RawEnv
from kozyr.envs.environments.doc_page import page
from kozyr.envs.environments.parallel import Parallel

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
