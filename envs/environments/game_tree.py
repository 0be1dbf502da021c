"""Game trees: positions reached by history, and the whole tree of a small game in arrays. No rules are known here."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs import registry
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import argument_checks
from kozyr.envs.loops import tables
from kozyr.envs.loops.chance_outcomes import Chance

EXPLICIT, SAMPLED, DEALT, AUTO = "explicit", "sampled", "dealt", "auto"
_DIGEST = 16  # bytes; two of 2⁶⁴ histories would be taken for one
MOST = 2_000_000  # positions


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
        argument_checks.choice("chance", chance, [EXPLICIT, SAMPLED, DEALT, AUTO])
        argument_checks.choice("first", first, range(-1, self.seats))
        self.first, self._arguments = first, (name, chance, first, argument_checks.seed(seed), tuple(options.items()))
        self.chance, self._rng = Chance(self.variant, self.game.layout(self.variant)), np.random.default_rng(seed)
        self._worlds = np.random.default_rng([seed, 1])  # a stream of its own: searches change no deal
        self.dealt = chance == DEALT
        self.explicit = chance in (EXPLICIT, AUTO) and self._listed(chance == EXPLICIT)

    def __reduce__(self) -> tuple[Any, ...]:
        return rules, self._arguments

    def _listed(self, required: bool) -> bool:
        """Return True if the chance outcomes of the deal are listed."""
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

    def world_seed(self) -> int:
        """Draw a seed for an imagined world."""
        return int(self._worlds.integers(2**63))


@lru_cache(maxsize=64)
def rules(name: str, chance: str, first: int, seed: int, options: tuple[tuple[str, Any], ...]) -> Rules:
    """Return the rules of a variant, the same object for the same arguments."""
    return Rules(name, chance, first, seed, **dict(options))


class Moment:
    """A position together with all that has led to it; it never changes.

    Args:
        rules: of the game; state: the record [1], which is this moment's from now on.
        before: the moment before, from which the seat `actor` came here by `action`; None after the deal.
        memory: of an imagined moment, the true one and the seat in it that is seat 0 here and remembers what led there.
    """

    __slots__ = ("_digests", "_legal", "action", "actor", "before", "memory", "rules", "state")

    def __init__(
        self,
        rules: Rules,
        state: NDArray[Any],
        before: "Moment | None",
        actor: int,
        action: int,
        memory: "tuple[Moment, int] | None" = None,
    ) -> None:
        self.rules, self.state, self.before, self.actor, self.action = rules, state, before, actor, action
        self.memory = memory
        self._digests: dict[int, bytes] = {}
        self._legal: list[int] | None = None

    def __deepcopy__(self, memo: Any) -> "Moment":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        line = self._line(None)
        steps = [(it.state.tobytes(), it.actor, it.action) for it in line]
        return moment, (self.rules, steps, line[0].memory)

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
        """Return the view of every seat: [seats, view]."""
        game, v = self.rules.game, self.rules.variant
        views = np.zeros((1, self.rules.seats, game.size(v)), game.view_dtype)
        tables.look_all(v, self.state, views)
        return views[0]

    def payoffs(self) -> list[float]:
        """Return the seats' payoffs, which sum up as the game says to the last digit."""
        paid = self.state["payoff"][0, : self.rules.seats].astype(np.float64)
        return (paid - (paid.sum() - self.rules.game.payoff_sum * (self.turn == OVER)) / self.rules.seats).tolist()

    def play(self, action: int) -> "Moment | Draw":
        """Return the successor by an action: the next moment, or a draw if chance has a say in that."""
        after = self.state.copy()
        tables.play_all(self.rules.variant, after, np.array([action]))
        if not self.rules.dealt and after["rng"][0] != self.state["rng"][0]:
            return Draw(self.rules, self, action)
        return Moment(self.rules, after, self, self.turn, action)

    def digest(self, seat: int) -> str:
        """Return a name of all that a seat has seen and done so far; what it cannot tell apart has one name."""
        for it in self._line(seat):
            if it.memory is not None and seat == 0:
                true, its = it.memory
                it._digests[0] = bytes.fromhex(true.digest(its))
                continue
            past = it.before._digests[seat] if it.before is not None else b""
            mine = it.action if it.actor == seat else -1
            history = past + mine.to_bytes(4, "little", signed=True) + it.views()[seat].tobytes()
            it._digests[seat] = blake2b(history, digest_size=_DIGEST).digest()
        return self._digests[seat].hex()

    def history(self, seat: int) -> list[tuple[int, NDArray[Any]]]:
        """Return the views [view] that a seat has had, the earliest first, each with its own action before it or −1."""
        steps, it = list[tuple[int, NDArray[Any]]](), self
        while it is not None:
            while it.memory is not None and seat == 0:
                it, seat = it.memory
            steps.append((it.action if it.actor == seat else -1, it.views()[seat]))
            it = it.before
        return steps[::-1]

    def imagined(self, seat: int) -> "Moment":
        """Return a moment that a seat cannot tell from this one, drawn by the game's `imagine`; it is seat 0 there."""
        its, state = self.rules, np.zeros(1, self.rules.game.layout(self.rules.variant))
        tables.guess(its.variant, self.views()[seat], its.world_seed(), state)
        return Moment(its, state, None, OVER, 0, (self, seat))

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
            state = self._draw()
        actor = OVER if self.before is None else self.before.turn
        return Moment(self.rules, state, self.before, actor, self.action)

    def _listed(self) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the states that may follow, and their chances."""
        if self.before is None:
            return self.rules.deals
        if self._outcomes is None:
            self._outcomes = self.rules.chance.results(self.before.state, self.action)
        return self._outcomes

    def _draw(self) -> NDArray[Any]:
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


def path(at: Moment | Draw, steps: int) -> list[Moment | Draw]:
    """Return the nodes of the game tree from so many steps before a node up to it, draws of chance among them."""
    line = [at]
    while len(line) <= steps:
        it = line[-1]
        if isinstance(it, Moment):
            cause = Draw(it.rules, None, 0) if it.before is None else it.before.play(it.action)
            line.append(cause if isinstance(cause, Draw) or it.before is None else it.before)
        elif it.before is not None:
            line.append(it.before)
        else:
            raise ValueError(f"there are no {steps} steps before this node")
    return line[::-1]


def moment(rules: Rules, steps: list[tuple[bytes, int, int]], memory: tuple[Moment, int] | None = None) -> Moment:
    """Return the moment that a line of (state, actor, action) leads to, of which the first has the memory."""
    it = None
    for state, actor, action in steps:
        record = np.frombuffer(state, rules.game.layout(rules.variant)).copy()
        it = Moment(rules, record, it, actor, action, memory if it is None else None)
    if it is None:
        raise ValueError("a moment needs a state at least")
    return it


@dataclass(frozen=True)
class Level:
    """Level of a tree: the positions [n] of one ply, successors side by side, by action, then by chance.

    Attributes:
        edges: [n + 1] the legal actions of position i are the edges from edges[i] up to edges[i + 1].
        follow: [edges] how many positions of the next level each leads to; more than one if chance has a say.
        chance: of the position, once its action was chosen.
        turn: seat to move, or OVER.
        known: number of the mover's information set, or −1 where the game is over.
        payoffs: [n, seats], zeros before the end.
    """

    edges: NDArray[np.int64]
    follow: NDArray[np.int64]
    chance: NDArray[np.float64]
    turn: NDArray[np.int32]
    known: NDArray[np.int64]
    payoffs: NDArray[np.float64]


@dataclass
class Tree:
    """A game from all its deals to all its ends.

    Attributes:
        rules: of the game; levels: of its tree.
        seats: int [sets] who moves in each information set.
        views: [sets, view] what the mover sees there; masks: int8 [sets, actions] what it may do.
    """

    rules: Rules
    levels: list[Level] = field(default_factory=list[Level])
    seats: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    views: NDArray[Any] = field(default_factory=lambda: np.zeros((0, 0), np.int8))
    masks: NDArray[np.int8] = field(default_factory=lambda: np.zeros((0, 0), np.int8))

    @property
    def positions(self) -> int:
        """How many positions there are."""
        return sum(len(level.turn) for level in self.levels)


class _Growth:
    """A tree that grows level by level.

    A seat's knowledge is a number [n, seats] for each position: what it has seen and done up to there. As every ply
    is seen by all, an information set lies in one level.
    """

    def __init__(self, rules: Rules) -> None:
        self.tree, self._v = Tree(rules), rules.variant
        self._sets: list[tuple[NDArray[Any], ...]] = []
        self.count = 0  # of information sets

    def grow(self, most: int) -> Tree:
        """Unfold level after level."""
        rules, it = self.tree.rules, self.tree
        states, chance = rules.deals
        known = self._known(states, np.zeros((len(states), rules.seats), np.int64), None, None)
        while len(states):
            masks = np.zeros((len(states), rules.actions), np.int8)
            tables.legal_all(self._v, states, masks)
            rows, actions = np.nonzero(masks)
            if it.positions + len(states) + len(rows) > most:
                raise ValueError(f"{rules.game.name}: more than {most:,} positions: take a smaller variant")
            after, share, edges = self._after(states[rows], actions)
            it.levels.append(self._level(states, chance, masks, known, np.bincount(edges, minlength=len(rows))))
            parents, moves = rows[edges], actions[edges]
            mover = states["turn"][parents]
            known = self._known(after, known[parents], mover, moves)
            states, chance = after, share
        it.seats, it.views, it.masks = (np.concatenate(parts) for parts in zip(*self._sets, strict=True))
        return it

    def _after(
        self, states: NDArray[Any], actions: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int64]]:
        """Return the states that follow an action in each state, their chances, and each one's place before."""
        before, edges = states.copy(), np.arange(len(states))
        tables.play_all(self._v, states, actions)
        random = np.flatnonzero(states["rng"] != before["rng"])
        if not len(random):
            return states, np.ones(len(states)), edges
        parts = [(states[i : i + 1], np.ones(1)) for i in edges]
        for i in random:
            parts[i] = self.tree.rules.chance.results(before[i : i + 1], int(actions[i]))
        sizes = [len(chances) for _, chances in parts]
        after, chances = (np.concatenate(column) for column in zip(*parts, strict=True))
        return after, chances, np.repeat(edges, sizes)

    def _known(self, states: NDArray[Any], before: Any, mover: Any, moves: Any) -> NDArray[np.int64]:
        """Return a number for what each seat knows: what it knew before, what it has done, what it sees."""
        rules = self.tree.rules
        now = np.zeros((len(states), rules.seats), np.int64)
        views = np.zeros((len(states), rules.seats, rules.game.size(self._v)), rules.game.view_dtype)
        tables.look_all(self._v, states, views)
        for seat in range(rules.seats):
            done = np.full(len(states), -1) if mover is None else np.where(mover == seat, moves, -1)
            past = np.stack([before[:, seat], done], 1).astype(np.int64)
            now[:, seat] = _numbered(past, np.ascontiguousarray(views[:, seat]))
        self._views = views
        return now

    def _level(
        self,
        states: NDArray[Any],
        chance: NDArray[np.float64],
        masks: NDArray[np.int8],
        known: NDArray[np.int64],
        follow: NDArray[np.int64],
    ) -> Level:
        """Return the level of some states, and note its information sets."""
        rules, turn = self.tree.rules, states["turn"].copy()
        sets, on = np.full(len(states), -1), np.flatnonzero(turn != OVER)
        if len(on):
            mine = np.stack([turn[on].astype(np.int64), known[on, turn[on]]], 1)
            _, first, sets[on] = np.unique(mine, axis=0, return_index=True, return_inverse=True)
            one = on[first]
            self._sets.append((turn[one].astype(np.int64), self._views[one, turn[one]], masks[one]))
            sets[on] += self.count
            self.count += len(one)
        edges = np.concatenate([[0], np.cumsum(masks.sum(1, dtype=np.int64))])
        payoffs = states["payoff"][:, : rules.seats].astype(np.float64)
        return Level(edges, follow, chance, turn, sets, payoffs)


def _numbered(past: NDArray[np.int64], views: NDArray[Any]) -> NDArray[np.int64]:
    """Return equal numbers for equal rows."""
    rows = np.concatenate([past.view(np.uint8), views.view(np.uint8)], 1)
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1])))[:, 0]
    return np.unique(whole, return_inverse=True)[1]


def unfold(rules: Rules, most: int = MOST) -> Tree:
    """Return the whole tree of a game.

    Raises:
        ValueError: if chance cannot be listed, or there are more than `most` positions.
    """
    if not rules.explicit:
        raise ValueError(f"{rules.game.name}: chance can do too much to be listed: take a smaller variant")
    return _Growth(rules).grow(most)


def gambit(tree: Tree) -> tuple[str, NDArray[np.int64]]:
    """Return a tree as text in Gambit's format .efg, and the number there of each information set.

    Moves without a choice are left out. The n-th legal action of a set is called n, because OpenSpiel wants actions
    in the order in which it has met them first; sets are numbered from 1 for each seat, those left out are 0.
    """
    numbers = np.zeros(len(tree.seats), np.int64)
    decisions = tree.masks.sum(1) > 1
    for seat in range(tree.rules.seats):
        mine = np.flatnonzero(decisions & (tree.seats == seat))
        numbers[mine] = np.arange(1, len(mine) + 1)
    return _Scribe(tree, numbers).text(), numbers


class _Scribe:
    """Writes a tree from its root on."""

    def __init__(self, tree: Tree, numbers: NDArray[np.int64]) -> None:
        self._tree, self._lines = tree, list[str]()
        self._plies = [
            (
                level.edges.tolist(),
                (np.cumsum(level.follow) - level.follow).tolist(),
                level.follow.tolist(),
                level.chance.tolist(),
                (level.turn + 1).tolist(),
                np.where(level.known < 0, 0, numbers[level.known]).tolist(),
                level.payoffs.tolist(),
            )
            for level in tree.levels
        ]

    def text(self) -> str:
        """Return the whole text."""
        names = " ".join(f'"{seat}"' for seat in range(self._tree.rules.seats))
        self._write(0, 0, len(self._tree.levels[0].turn))
        return "\n".join([f'EFG 2 R "{self._tree.rules.game.name}" {{ {names} }}', *self._lines]) + "\n"

    def _write(self, ply: int, place: int, many: int) -> None:
        """Write what chance leads to, `many` positions from a place of a level on, and all that follows them."""
        edges, first, follow, chance, mover, sets, payoffs = self._plies[ply]
        lines = self._lines
        if many > 1:
            outcomes = " ".join(f'"{n}" {chance[place + n]!r}' for n in range(many))
            lines.append(f'c "" {len(lines) + 1} "" {{ {outcomes} }} 0')
        for i in range(place, place + many):
            if not mover[i]:
                lines.append(f't "" {len(lines) + 1} "" {{ {" ".join(map(repr, payoffs[i]))} }}')
                continue
            if sets[i]:
                actions = " ".join(f'"{n}"' for n in range(edges[i + 1] - edges[i]))
                lines.append(f'p "" {mover[i]} {sets[i]} "" {{ {actions} }} 0')
            for edge in range(edges[i], edges[i + 1]):
                self._write(ply + 1, first[edge], follow[edge])
