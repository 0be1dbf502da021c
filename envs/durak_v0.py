"""# Durak

{summary}

Durak is a card game without a winner: whoever is left with cards at the end is the fool. The attacker plays a card. The
defender beats it with a higher card of the same suit, or with a trump. The attackers may then throw in more cards of
ranks that lie on the table. A defender who cannot or will not beat a card takes everything. Two to six seats play with
20 to 52 cards. `RULES.md` in the folder `durak` holds the rules paragraph by paragraph.

### Usage

{usage}

### Options

{options}

`reset(seed=…)` fixes the deal. `reset(options={"starter": 1})` lets `player_1` attack first with the same deal.

### Observation Space

{dictionary} Seats are counted clockwise from the observer, who is 0. With the default options:

{observation}

### Action Space

{actions}

Only cards in hand that fit are legal. With `pass` an attacker stops throwing in, and a defender takes the table.

### Rewards

| Players | Fool | Others | Draw |
| --- | --- | --- | --- |
| 2 | -1 | +1 | 0 |
| n > 2 | -1 | +1 / (n - 1) | 0 |

Rewards are 0 until the end. A game cut off by `max_rounds` is truncated with 0 for all.

### Strategy

- Lead low cards. Between two players, prefer a rank that you hold twice: you can throw in the second card.
- Beat with ranks that lie on the table already. A new rank invites another throw-in.
- Keep high trumps while cards are left to draw. Taking a few low cards often costs less.
- Remember the cards that the others took. The observation contains them as known cards.
- Once the stock is out and two players are left, nothing is hidden. `solver` then plays perfectly.

### Statistics

All seats are taken by the same player. Figures are those of `kozyr stats durak`: 10,000 deals for each row, two seats,
52 cards; ± is half of the 95 % interval.

| Player | Actions a game | Draws | Return of the first attacker |
| --- | --- | --- | --- |
| `random` | 131.2 ± 0.4 | 0.3 ± 0.1 % | 0.01 ± 0.02 |
| `passive` | 129.3 ± 0.4 | 0.0 % | 0.01 ± 0.02 |
| `low` | 73.7 ± 0.1 | 14.1 ± 0.7 % | 0.03 ± 0.02 |
| `heuristic` | 84.5 ± 0.2 | 8.3 ± 0.6 % | 0.00 ± 0.02 |

### Rendering

{rendering}

### Version History

* v0: the first version
"""

from typing import Any

from kozyr.envs.durak import GAME
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
