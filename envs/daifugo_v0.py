"""# Daifugo

{summary}

Daifugo, "grand millionaire", is a climbing game: everybody wants to get rid of the cards first. One seat leads a set of
equal cards. The others answer in turn with as many cards of a higher rank, or pass. Whoever played the last set leads
the next one. The joker stands in for any card. Two to eight seats play one round or several, with or without the
well-known local rules. `RULES.md` in the folder `daifugo` holds the rules paragraph by paragraph.

### Usage

{usage}

### Options

{options}

`reset(seed=…)` fixes every deal. `reset(options={"starter": 1})` lets `player_1` lead first with the same deal.

### Observation Space

{dictionary} Seats are counted clockwise from the observer, who is 0. With the default options:

{observation}

Local rules add parts after these:

| Option | Parts |
| --- | --- |
| `revolution` | `upside` |
| `rounds` above 1 | `left`, `before`, `order`, `total` |
| `exchange` | `known`, `top`, `phase`, `gives` |
| `history` | `log_seat`, `log_set`, `log_lead` |

`history` changes no rule. It adds every set of this round and who played it. To list all parts, use
`kozyr.envs.game("daifugo").declaration(variant)`.

### Action Space

{actions}

Ranks are counted from the weakest, which is 3 in the full deck. Only sets in hand that fit are legal. Whoever leads
cannot pass. While cards are exchanged, a single card or the joker alone is the card to give.

### Rewards

| Place of n | First | k-th | Last |
| --- | --- | --- | --- |
| Reward | +1 | 1 - 2 (k - 1) / (n - 1) | -1 |

Rewards are 0 until the end. The reward of several rounds is their mean.

### Strategy

- Get rid of weak sets early, and keep groups of equal cards together.
- Count which of your sets nobody can beat any more. With at most one other set left, lead those first and go out.
- Spend strong ranks and the joker late. Passing is often cheaper than breaking a group.
- Pass less often once somebody has two cards or fewer.
- With `history=True` you see who played what. `pimc` uses it to guess hands, which is worth several points.

### Statistics

All seats are taken by the same player. Figures are those of `kozyr stats daifugo`: 10,000 deals for each row, five
seats; ± is half of the 95 % interval. There are no draws.

| Player | Actions a game | Return of the seat that leads first |
| --- | --- | --- |
| `random` | 127.8 ± 0.2 | 0.03 ± 0.01 |
| `little_think` | 125.5 ± 0.2 | 0.09 ± 0.01 |
| `course` | 85.3 ± 0.1 | 0.23 ± 0.01 |
| `low` | 85.7 ± 0.1 | 0.23 ± 0.01 |
| `heuristic` | 86.1 ± 0.2 | 0.20 ± 0.01 |

### Rendering

{rendering}

### Version History

* v0: the first version
"""

from typing import Any

from kozyr.envs.daifugo import GAME
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
