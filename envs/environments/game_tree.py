"""The whole tree of a small game in arrays, a level for each ply, and as text for OpenSpiel. It knows no rules."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.state import OVER
from kozyr.envs.environments.history_tree import Rules
from kozyr.envs.loops import tables

MOST = 2_000_000  # positions


@dataclass(frozen=True)
class Level:
    """All positions [n] of one ply; those that follow the same one lie side by side, by action, then by chance.

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
            parents, chosen = rows[edges], actions[edges]
            mover = states["turn"][parents]
            known = self._known(after, known[parents], mover, chosen)
            states, chance = after, share
        it.seats, it.views, it.masks = (np.concatenate(parts) for parts in zip(*self._sets, strict=True))
        return it

    def _after(
        self, states: NDArray[Any], actions: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int64]]:
        """Return what follows an action in each state, the chances, and the place of the state each comes from."""
        before, edges = states.copy(), np.arange(len(states))
        tables.play_all(self._v, states, actions)
        drawn = np.flatnonzero(states["rng"] != before["rng"])
        if not len(drawn):
            return states, np.ones(len(states)), edges
        parts = [(states[i : i + 1], np.ones(1)) for i in edges]
        for i in drawn:
            parts[i] = self.tree.rules.chance.results(before[i : i + 1], int(actions[i]))
        sizes = [len(chances) for _, chances in parts]
        after, chances = (np.concatenate(column) for column in zip(*parts, strict=True))
        return after, chances, np.repeat(edges, sizes)

    def _known(self, states: NDArray[Any], before: Any, mover: Any, chosen: Any) -> NDArray[np.int64]:
        """Return a number for what each seat knows: what it knew before, what it has done, what it sees."""
        rules = self.tree.rules
        now = np.zeros((len(states), rules.seats), np.int64)
        views = np.zeros((len(states), rules.seats, rules.game.size(self._v)), rules.game.view_dtype)
        tables.look_all(self._v, states, views)
        for seat in range(rules.seats):
            done = np.full(len(states), -1) if mover is None else np.where(mover == seat, chosen, -1)
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
    chosen = tree.masks.sum(1) > 1
    for seat in range(tree.rules.seats):
        mine = np.flatnonzero(chosen & (tree.seats == seat))
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
