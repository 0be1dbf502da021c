"""What a network reads of two lines of cards that meet place by place: ranks by the turn in which they come up.

A view tells each card's place, which layers cannot look up. Here both lines are laid out by turn and carried on beyond
the decks' ends: who takes a turn puts both cards under his deck, the higher one first. (Equal cards are left out, so a
tie shifts what comes after it.) So it can be read what the cards that are about to be taken will meet.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from kozyr.envs.core.capabilities import TwoLines
from kozyr.training.encoders.encoder import Part

POOL = 10  # laid cards that are read, the highest ranks first: those of one tie


class Course(NamedTuple):
    """Both lines by turn, [n, turns] each: ranks, 0 where nothing is known."""

    mine: torch.Tensor
    theirs: torch.Tensor


class Lines(Part):
    """Turn views, unscaled, into features beside the rest, ranks as shares of the highest.

    They are both lines by turn and what each turn is worth to the owner; the laid cards from the highest rank down;
    the other's cards that these will meet if they go under my deck, and what that is worth if they lie falling or
    rising; my cards that the other's next ones will meet; sums of all that is worth something; by how much more my
    deck is worth than the other's.

    Args:
        lineup: where a view shows the lines; high: is not needed.
    """

    ranks: torch.Tensor  # [1, deck]
    places: torch.Tensor  # int64 [1, POOL]

    def __init__(self, lineup: TwoLines, high: Any = None) -> None:
        super().__init__()
        self.lineup, self.deck = lineup, len(lineup.ranks)
        self.top, self.all = float(lineup.ranks.max()), float(np.square(lineup.ranks, dtype=np.float32).sum())
        self.turns = 2 * self.deck + POOL  # room for a line and all that may be put under it
        self.register_buffer("ranks", torch.from_numpy(lineup.ranks.astype(np.float32))[None])
        self.register_buffer("places", torch.arange(POOL)[None])
        self.features = 3 * self.deck + 5 * POOL + 4

    def forward(self, read: torch.Tensor, views: torch.Tensor) -> torch.Tensor:
        """Return what was read and, behind it, the features."""
        return torch.cat([read, self.read(views)], 1)

    def read(self, views: torch.Tensor) -> torch.Tensor:
        """Return the features [n, features] of unscaled views [n, view]."""
        at = self.lineup
        sizes = views[:, at.sizes : at.sizes + 2]
        known, laid = self.lay_out(views)
        pool = laid.topk(POOL, 1).values
        count = (views[:, at.laid : at.laid + 2].sum(1, keepdim=True) * views[:, at.picking : at.picking + 1]).round()
        takes = views[:, at.turn : at.turn + 2] * count
        course = self.carry_on(known, sizes + takes)
        met = course.theirs.gather(1, sizes[:, :1].long() + self.places)
        meets = course.mine.gather(1, sizes[:, 1:].long() + self.places)
        back = (count.long() - 1 - self.places).clamp(0, POOL - 1)
        rising = pool.gather(1, back) * (self.places < count)
        read = [course.mine[:, : self.deck], course.theirs[:, : self.deck], pool, met, meets]
        worth = [self.worth(course.mine, course.theirs)[:, : self.deck], self.worth(pool, met), self.worth(rising, met)]
        more = (known.mine.square() - known.theirs.square()).sum(1, keepdim=True) / self.all
        sums = [part.sum(1, keepdim=True) for part in worth]
        return torch.cat([*(part / self.top for part in read), *worth, *sums, more], 1)

    def lay_out(self, views: torch.Tensor) -> tuple[Course, torch.Tensor]:
        """Return both decks by turn, and the ranks of the laid cards among zeros: [n, 2 × deck]."""
        at, decks, laid = self.lineup, [], []
        for side, first in enumerate((at.mine, at.theirs)):
            places = views[:, first : first + self.deck]
            turn = places - views[:, at.laid + side : at.laid + side + 1]
            ranks, empty = self.ranks * (places > 0), torch.zeros(len(views), 1 + self.turns)
            decks.append(empty.scatter_add(1, turn.relu().long(), ranks)[:, 1:])
            laid.append(ranks * (turn <= 0))
        return Course(*decks), torch.cat(laid, 1)

    def carry_on(self, known: Course, ends: torch.Tensor) -> Course:
        """Return both lines with the cards that their owners take in the turns known; `ends` [n, 2] is where to."""
        high, low = torch.maximum(*known), torch.minimum(*known)
        lines: list[torch.Tensor] = []
        for side, line in enumerate(known):
            taken = (low > 0) & (line > known[1 - side])
            before = 2 * (taken.cumsum(1) - 1)
            place = torch.where(taken, ends[:, side : side + 1].long() + before, self.turns)
            longer = torch.cat([line, line[:, :2] * 0], 1)  # and a place for nothing
            lines.append(longer.scatter_add(1, place, high * taken).scatter_add(1, place + 1, low * taken))
        return Course(*(line[:, : self.turns] for line in lines))

    def worth(self, mine: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
        """Return what turns are worth: the square of the rank that is won, or less that of the one that is lost."""
        won = (torch.minimum(mine, theirs) / self.top).square()
        return won * torch.sign(mine - theirs)
