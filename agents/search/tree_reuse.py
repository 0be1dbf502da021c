"""A tree search that keeps its tree between moves, for games in which nothing is hidden.

What was learned below the replies that the others may choose is used again when one of them was chosen. The answer to
a view then depends on what was searched before in the same game, which is why no other player does so.
"""

from collections import OrderedDict
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.interruptible import Pace
from kozyr.agents.search.determinization import Scratch
from kozyr.agents.search.ismcts import Ismcts
from kozyr.agents.search.tree import NONE, Tree, graft, tree
from kozyr.envs.compile import jit
from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.core.dispatch import imagine, observe, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.state import OVER

KEPT = "ismcts-kept"
_MOST = 50_000  # views that are remembered; the oldest go first
_DEEPEST = 64  # actions of the others between two decisions
_NODES = 100_000  # copied by the first compiled call


class KeptIsmcts(Ismcts):
    """Search as `Ismcts` does, from the tree of the last decision of the same game where there is one.

    Many games may be played at once: a tree is found again by the view that it leads to. Arguments as for `Ismcts`;
    the budget is that of each decision, on top of what is kept.

    Raises:
        ValueError: for a game in which something is hidden.
    """

    shares: ClassVar[bool] = False

    def __init__(self, game: Game, variant: Any, level: int, name: str = KEPT, **given: Any) -> None:
        if not perfect_information(variant):
            raise ValueError(f"{game.name}:{name} keeps its tree, which only fits games in which nothing is hidden")
        self._kept = OrderedDict[bytes, tuple[Tree, int]]()
        super().__init__(game, variant, level, name=name, **given)

    def reset(self, seat: int, seed: int) -> None:
        """Seed the player anew and forget all trees."""
        super().reset(seat, seed)
        self._kept.clear()

    def planted(self, view: NDArray[Any], room: int) -> Tree:
        """Return the part of a kept tree that begins at the view, with room for more nodes, or an empty tree."""
        found = self._kept.pop(view.tobytes(), None)
        return super().planted(view, room) if found is None else _below(*found, room)

    def chosen(self, view: NDArray[Any], seed: int, grown: Tree, node: int) -> None:
        """Remember what lies below the chosen action by every view that may come next."""
        rest, first = _below(grown, node, 0), int(grown.action[node])
        open_nodes = [(0, [first])]
        while open_nodes:
            node, path = open_nodes.pop()
            turn = reached(self.variant, view, seed, np.array(path), self._board)
            if turn == 0:
                self._kept[self._board.seen.tobytes()] = rest, node
            elif turn != OVER and len(path) < _DEEPEST:
                child = int(rest.child[node])
                while child != NONE:
                    open_nodes.append((child, [*path, int(rest.action[child])]))
                    child = int(rest.sibling[child])
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)


def _below(grown: Tree, node: int, room: int) -> Tree:
    """Return the tree that begins at a node, with room for more nodes."""
    held = min(int(grown.used[0]), int(grown.visits[node]) + 1)  # a visit adds one node at most
    made, old, at = tree(held + room), np.zeros(held, np.int32), 0
    for steps in Pace(_NODES).calls():
        at = graft(grown, node, old, made, at, steps)
        if at == NONE:
            break
    return made


@jit
def reached(v: Any, view: NDArray[Any], seed: int, path: NDArray[np.int64], b: Scratch) -> int:
    """Return who moves after some actions; if it is the owner of the view, write what it then sees."""
    imagine(v, view, seed, b.states[0])
    s = b.states[0]
    for a in path:
        play(v, s, a)
    if s.turn == 0:
        observe(v, s, 0, b.seen)
    return s.turn
