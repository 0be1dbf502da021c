"""A game as a tree of histories: decisions of the seats, and moments at which chance moves. It knows no rules."""

from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs import registry
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import check
from kozyr.envs.loops import tables
from kozyr.envs.loops.chance_outcomes import Chance

EXPLICIT, SAMPLED, DEALT, AUTO = "explicit", "sampled", "dealt", "auto"
_DIGEST = 16  # bytes; two of 2⁶⁴ histories would be taken for one


class Rules:
    """A game, its variant, and what chance can do in it.

    Args:
        name: a name from `kozyr.envs.games()`.
        chance: "explicit" lists all that chance can do, "sampled" draws it; "dealt" draws the deal, from which
            all later chance follows, as in the environments; "auto" lists it where that is possible, else draws it.
        first: the seat that begins, or −1 to let chance draw it.
        seed: of sampled chance.
        **options: fields of the game's variant.

    Raises:
        ValueError: for unknown options, or explicit chance that can do too much.
    """

    def __init__(self, name: str, chance: str = AUTO, first: int = -1, seed: int = 0, **options: Any) -> None:
        self.game = registry.game(name)
        self.variant = self.game.make_variant(**options)
        self.seats, self.actions = self.game.seats(self.variant), self.game.actions(self.variant)
        check.choice("chance", chance, [EXPLICIT, SAMPLED, DEALT, AUTO])
        check.choice("first", first, range(-1, self.seats))
        self.first, self._asked = first, (name, chance, first, check.seed(seed), tuple(options.items()))
        self.chance, self._rng = Chance(self.variant, self.game.layout(self.variant)), np.random.default_rng(seed)
        self.dealt = chance == DEALT
        self.explicit = chance in (EXPLICIT, AUTO) and self._listed(chance == EXPLICIT)

    def __reduce__(self) -> tuple[Any, ...]:
        return rules, self._asked

    def _listed(self, required: bool) -> bool:
        """Tell whether what chance can do at the deal is listed."""
        try:
            return len(self.deals[0]) > 0
        except ValueError as error:
            if not required:
                return False
            raise ValueError(f"{self.game.name}: {error}; take a smaller variant, or chance={SAMPLED!r}") from None

    @cached_property
    def deals(self) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """What a game can start with and the chances."""
        return self.chance.deals(self.first)

    def begin(self) -> "Moment | Draw":
        """Return the beginning: the deal as a draw, unless there is only one."""
        alone = self.explicit and len(self.deals[0]) == 1
        return Moment(self, self.deals[0].copy(), None, OVER, 0) if alone else Draw(self, None, 0)

    def seed(self) -> int:
        """Draw a seed for sampled chance."""
        return int(self._rng.integers(2**63))


@lru_cache(maxsize=64)
def rules(name: str, chance: str, first: int, seed: int, options: tuple[tuple[str, Any], ...]) -> Rules:
    """Return the rules of a variant, the same object for the same arguments."""
    return Rules(name, chance, first, seed, **dict(options))


class Moment:
    """A position together with all that has led to it; it never changes.

    Args:
        rules: of the game; state: the record [1], which is this moment's from now on.
        before: the moment before, from which the seat `actor` came here by `action`; None after the deal.
    """

    __slots__ = ("_digests", "_legal", "action", "actor", "before", "rules", "state")

    def __init__(self, rules: Rules, state: NDArray[Any], before: "Moment | None", actor: int, action: int) -> None:
        self.rules, self.state, self.before, self.actor, self.action = rules, state, before, actor, action
        self._digests: dict[int, bytes] = {}
        self._legal: list[int] | None = None

    def __deepcopy__(self, memo: Any) -> "Moment":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        steps = [(it.state.tobytes(), it.actor, it.action) for it in self._line(None)]
        return moment, (self.rules, steps)

    @property
    def turn(self) -> int:
        """The seat to move, or OVER."""
        return int(self.state["turn"][0])

    def legal(self) -> list[int]:
        """Return the legal actions, lowest first."""
        if self._legal is None:
            masks = np.zeros((1, self.rules.actions), np.int8)
            tables.legal_all(self.rules.variant, self.state, masks)
            self._legal = np.flatnonzero(masks[0]).tolist()
        return self._legal

    def views(self) -> NDArray[Any]:
        """Return what every seat knows: [seats, view]."""
        game, v = self.rules.game, self.rules.variant
        views = np.zeros((1, self.rules.seats, game.size(v)), game.view_dtype)
        tables.look_all(v, self.state, views)
        return views[0]

    def payoffs(self) -> list[float]:
        """Return the seats' payoffs, which sum up as the game says to the last digit."""
        paid = self.state["payoff"][0, : self.rules.seats].astype(np.float64)
        return (paid - (paid.sum() - self.rules.game.payoff_sum * (self.turn == OVER)) / self.rules.seats).tolist()

    def play(self, action: int) -> "Moment | Draw":
        """Return what an action leads to: the next moment, or a draw if chance has a say in that."""
        after = self.state.copy()
        tables.play_all(self.rules.variant, after, np.array([action]))
        if not self.rules.dealt and after["rng"][0] != self.state["rng"][0]:
            return Draw(self.rules, self, action)
        return Moment(self.rules, after, self, self.turn, action)

    def digest(self, seat: int) -> str:
        """Return a name of all that a seat has seen and done so far; what it cannot tell apart has one name."""
        for it in self._line(seat):
            past = it.before._digests[seat] if it.before is not None else b""
            mine = it.action if it.actor == seat else -1
            seen = past + mine.to_bytes(4, "little", signed=True) + it.views()[seat].tobytes()
            it._digests[seat] = blake2b(seen, digest_size=_DIGEST).digest()
        return self._digests[seat].hex()

    def _line(self, seat: int | None) -> "list[Moment]":
        """Return the moments that led here, the earliest first, without those whose digest is known already."""
        line, it = list[Moment](), self
        while it is not None and (seat is None or seat not in it._digests):
            line.append(it)
            it = it.before
        return line[::-1]


class Draw:
    """A moment at which chance moves: the deal, or what an action needs; it never changes.

    Args:
        rules: of the game.
        before: the moment at which `action` was chosen, or None before the deal.
    """

    __slots__ = ("_outcomes", "action", "before", "rules")

    def __init__(self, rules: Rules, before: Moment | None, action: int) -> None:
        self.rules, self.before, self.action = rules, before, action
        self._outcomes: tuple[NDArray[Any], NDArray[np.float64]] | None = None

    def __deepcopy__(self, memo: Any) -> "Draw":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Draw, (self.rules, self.before, self.action)

    def chances(self) -> list[float]:
        """Return the chance of every outcome; sampled chance has one."""
        return self._listed()[1].tolist() if self.rules.explicit else [1.0]

    def follow(self, outcome: int) -> Moment:
        """Return the moment after an outcome; sampled chance draws it anew in every call."""
        if self.rules.explicit:
            state = self._listed()[0][outcome : outcome + 1].copy()
        else:
            state = self._drawn()
        actor = OVER if self.before is None else self.before.turn
        return Moment(self.rules, state, self.before, actor, self.action)

    def _listed(self) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the states that may follow, and their chances."""
        if self.before is None:
            return self.rules.deals
        if self._outcomes is None:
            self._outcomes = self.rules.chance.results(self.before.state, self.action)
        return self._outcomes

    def _drawn(self) -> NDArray[Any]:
        """Return one state that may follow."""
        v, game = self.rules.variant, self.rules.game
        if self.before is None:
            state = np.zeros(1, game.layout(v))
            view, mask = np.zeros(game.size(v), game.view_dtype), np.zeros(self.rules.actions, np.int8)
            tables.deal_one(v, state, self.rules.seed(), self.rules.first, view, mask)
            return state
        state = self.before.state.copy()
        state["rng"] = self.rules.seed()
        tables.play_all(v, state, np.array([self.action]))
        return state


def moment(rules: Rules, steps: list[tuple[bytes, int, int]]) -> Moment:
    """Return the moment that a line of (state, actor, action) leads to."""
    it = None
    for state, actor, action in steps:
        it = Moment(rules, np.frombuffer(state, rules.game.layout(rules.variant)).copy(), it, actor, action)
    if it is None:
        raise ValueError("a moment needs a state at least")
    return it
