"""# War

{summary}

Two seats turn over their top cards, and the higher rank takes both. Equal ranks begin a war: each seat plays three
cards face down and a fourth one face up. Whoever has all the cards wins. As long as cards go back under the deck in a
fixed order there is nothing to decide. With `pickup="choice"` the winner of each turn chooses that order, and the game
becomes one of skill and memory. `RULES.md` in the folder `war` holds the rules paragraph by paragraph.

### Usage

{usage}

### Options

{options}

`reset(seed=…)` fixes the deal. `reset(options={"starter": 1})` lets `player_1` turn up first with the same deal.

### Observation Space

{dictionary} Both seats know the same. A line is the cards that a seat has played in this turn, then its deck from the
top. With the default options:

{observation}

### Action Space

{actions}

With `pickup="choice"` the winner of a turn chooses one of the four orders. Everything else is a `flip`.

### Rewards

| Winner | Loser |
| --- | --- |
| +1 | -1 |

Rewards are 0 until the end. A game cut off by `max_turns` is truncated with 0 for both.

### Strategy

- There is something to decide only with `pickup="choice"`.
- Put high cards under your deck first. `high_first` is the strongest of the four fixed orders.
- Once a deck has gone round, every place in it is known. Arrange your cards for the cards that they will meet.
- Look ahead: `lookahead@16` scores 98.4 ± 0.6 % against `high_first`, and the bundled policy 81.1 ± 0.8 %
  ([commands](../about/results.md#war)).

### Statistics

Shares of 200,000 deals: `kozyr stats war --deals 200000`. The starter is the seat that turns up first.

| `pickup` | Starter wins | Other wins | Not finished after 1,000 turns |
| --- | --- | --- | --- |
| `fixed` | 42.4 % | 38.7 % | 18.9 % |
| `random` | 49.7 % | 49.7 % | 0.6 % |

A game with `pickup="fixed"` has 1,004 ± 13 actions (`kozyr stats war`, 10,000 deals).

These rules are those of a C# program, which plays 1,001 turns before it stops. Its document says 1,000, and so does
this game. With `max_turns=1001`, 30,000 of 30,000 deals were equal to it.

### Rendering

{rendering}

### Version History

* v0: the first version
"""

from typing import Any

from kozyr.envs.environments.aec import Env, RawEnv
from kozyr.envs.environments.doc_page import page
from kozyr.envs.environments.parallel import Parallel
from kozyr.envs.war import GAME

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
