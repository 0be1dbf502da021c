"""# Daifugo

{summary}

Daifugo, "grand millionaire", is a climbing game: everybody wants to be rid of the cards first. One seat leads a set of
equal cards, the others answer in turn with as many cards of a higher rank or pass, and who laid the last set leads the
next one. The joker stands in for any card. Two to eight seats play one round or several, with or without the well-known
local rules. `RULES.md` in the folder `daifugo` holds the rules paragraph by paragraph.

### Observation Space

Each observation is a dictionary: `observation` is a vector of parts, `action_mask` marks the legal actions (all 0 out
of turn). Seats are counted clockwise from the observer, who is 0. With the default options:

{observation}

Local rules add parts after these: `upside` with `revolution`; `left`, `before`, `order` and `total` with `rounds` above
1; `known`, `top`, `phase` and `gives` with `exchange`; `log_seat`, `log_set` and `log_lead` with `history`, which
changes no rule but tells every set of this round and who laid it.
`kozyr.envs.game("daifugo").declaration(variant)` lists all.

### Action Space

{actions}

Ranks are counted from the weakest, 3 in the full deck. Only sets in hand that fit are legal; who leads cannot pass.
While cards are exchanged, a single card or the joker alone is the card to give.

### Rewards

| Place of n | First | k-th | Last |
| --- | --- | --- | --- |
| Reward | +1 | 1 - 2 (k - 1) / (n - 1) | -1 |

Rewards are 0 until the end and the mean over the rounds then.

### Options

{options}

`reset(seed=…)` fixes every deal; `reset(options={"starter": 1})` lets `player_1` lead first with the same deal.

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
from kozyr.envs.daifugo import GAME

__doc__ = page(__doc__ or "", GAME)


def env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> Env:
    """Return the environment in which an illegal action disqualifies."""
    return Env(GAME, render_mode, render_seat, **variant)


def raw_env(render_mode: str | None = None, render_seat: int | None = None, **variant: Any) -> RawEnv:
    """Return the environment in which an illegal action raises."""
    return RawEnv(GAME, render_mode, render_seat, **variant)
