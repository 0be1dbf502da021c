"""Attention over two lines of cards, which are read in the order in which they come up."""

from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from onnx import TensorProto

from kozyr.envs.core.capabilities import TwoLines, two_lines
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.training.encoders.encoder import Encoder, Forms, MakePart, Net, Part
from kozyr.training.export.onnx_graph import Graph

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
        """Return the entries read so far and, behind them, the features."""
        return torch.cat([read, self.read(views)], 1)

    def read(self, views: torch.Tensor) -> torch.Tensor:
        """Return the features [n, features] of unscaled views [n, view]."""
        at = self.lineup
        sizes = views[:, at.sizes : at.sizes + 2]
        known, on_table = self.lay_out(views)
        pool = on_table.topk(POOL, 1).values
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
        at, decks, on_table = self.lineup, [], []
        for side, first in enumerate((at.mine, at.theirs)):
            places = views[:, first : first + self.deck]
            turn = places - views[:, at.laid + side : at.laid + side + 1]
            ranks, empty = self.ranks * (places > 0), torch.zeros(len(views), 1 + self.turns)
            decks.append(empty.scatter_add(1, turn.relu().long(), ranks)[:, 1:])
            on_table.append(ranks * (turn <= 0))
        return Course(*decks), torch.cat(on_table, 1)

    def carry_on(self, known: Course, ends: torch.Tensor) -> Course:
        """Return both lines with the cards that their owners take in the turns known; `ends` [n, 2] is where to."""
        high, low = torch.maximum(*known), torch.minimum(*known)
        lines: list[torch.Tensor] = []
        for side, line in enumerate(known):
            takes = (low > 0) & (line > known[1 - side])
            before = 2 * (takes.cumsum(1) - 1)
            place = torch.where(takes, ends[:, side : side + 1].long() + before, self.turns)
            longer = torch.cat([line, line[:, :2] * 0], 1)  # and a place for nothing
            lines.append(longer.scatter_add(1, place, high * takes).scatter_add(1, place + 1, low * takes))
        return Course(*(line[:, : self.turns] for line in lines))

    def worth(self, mine: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
        """Return the value of turns: the square of the rank that is won, or minus that of the one that is lost."""
        won = (torch.minimum(mine, theirs) / self.top).square()
        return won * torch.sign(mine - theirs)


def _lines(graph: Graph, module: Lines) -> None:
    """Append the nodes of `Lines.forward`."""
    read, view = graph.last, graph.view
    at, deck = module.lineup, module.deck
    sides = [lay_out(graph, module, view, side) for side in range(2)]
    known = [ranks for ranks, _ in sides]
    graph.of("Concat", *(on_table for _, on_table in sides), axis=1)
    pool = _highest(graph)
    number = _sum(graph, _columns(graph, view, at.laid, at.laid + 2))
    count = graph.of("Mul", number, _columns(graph, view, at.picking, at.picking + 1))
    takes = graph.of("Mul", _columns(graph, view, at.turn, at.turn + 2), count)
    sizes = _columns(graph, view, at.sizes, at.sizes + 2)
    ends = graph.of("Add", sizes, takes)
    mine, theirs = (carry_on(graph, module, known, ends, side) for side in range(2))
    met, meets = _after(graph, theirs, sizes, 0), _after(graph, mine, sizes, 1)
    rising = _turned(graph, pool, count)
    plain = [_columns(graph, mine, 0, deck), _columns(graph, theirs, 0, deck), pool, met, meets]
    top = graph.constant([1 / module.top])
    shares = [graph.of("Mul", part, top) for part in plain]
    pairs = ((plain[0], plain[1]), (pool, met), (rising, met))
    worths = [worth(graph, module, *pair) for pair in pairs]
    sums = [_sum(graph, part) for part in worths]
    squares = [_sum(graph, graph.of("Mul", deck, deck)) for deck in known]
    more = graph.of("Mul", graph.of("Sub", *squares), graph.constant([1 / module.all]))
    features = graph.of("Concat", *shares, *worths, *sums, more, axis=1)
    graph.of("Concat", read, features, axis=1)


def lay_out(graph: Graph, module: Lines, view: str, side: int) -> tuple[str, str]:
    """Append a side's deck by turn and the ranks of its laid cards among zeros."""
    at = module.lineup
    first, zero = (at.mine, at.theirs)[side], graph.constant([0.0])
    places = _columns(graph, view, first, first + module.deck)
    turn = graph.of("Sub", places, _columns(graph, view, at.laid + side, at.laid + side + 1))
    visible = _float(graph, graph.of("Greater", places, zero))
    ranks = graph.of("Mul", visible, graph.constant(module.ranks.numpy()))
    empty = graph.of("Mul", _columns(graph, view, 0, 1), graph.constant(np.zeros((1, 1 + module.turns))))
    index = _whole(graph, graph.of("Relu", turn))
    graph.of("ScatterElements", empty, index, ranks, axis=1, reduction="add")
    deck = _columns(graph, graph.last, 1, 1 + module.turns)
    on_table = _float(graph, graph.of("LessOrEqual", turn, zero))
    return deck, graph.of("Mul", ranks, on_table)


def carry_on(graph: Graph, module: Lines, known: list[str], ends: str, side: int) -> str:
    """Append a side's line with the cards that it takes in the turns known."""
    high, low = graph.of("Max", *known), graph.of("Min", *known)
    both = _float(graph, graph.of("Greater", low, graph.constant([0.0])))
    higher = _float(graph, graph.of("Greater", known[side], known[1 - side]))
    takes = graph.of("Mul", both, higher)
    so_far = graph.of("CumSum", takes, graph.constant(1, np.int64))
    before = graph.of("Mul", graph.of("Sub", so_far, graph.constant([1.0])), graph.constant([2.0]))
    place = graph.of("Add", _columns(graph, ends, side, side + 1), before)
    nowhere = graph.constant([float(module.turns)])
    is_take = graph.of("Cast", takes, to=TensorProto.BOOL)
    place = _whole(graph, graph.of("Where", is_take, place, nowhere))
    next_place = graph.of("Add", place, graph.constant([1], np.int64))
    longer = graph.of("Pad", known[side], graph.constant([0, 0, 0, 2], np.int64))
    for where, ranks in ((place, high), (next_place, low)):
        longer = graph.of("ScatterElements", longer, where, graph.of("Mul", ranks, takes), axis=1, reduction="add")
    return _columns(graph, longer, 0, module.turns)


def worth(graph: Graph, module: Lines, mine: str, theirs: str) -> str:
    """Append the value of turns to the owner of the first line."""
    share = graph.of("Mul", graph.of("Min", mine, theirs), graph.constant([1 / module.top]))
    sign = graph.of("Sign", graph.of("Sub", mine, theirs))
    return graph.of("Mul", graph.of("Mul", share, share), sign)


def _after(graph: Graph, line: str, sizes: str, side: int) -> str:
    """Append the first cards of a line that come up after a side's deck."""
    begin = _whole(graph, _columns(graph, sizes, side, side + 1))
    index = graph.of("Add", begin, graph.constant(np.arange(POOL)[None], np.int64))
    return graph.of("GatherElements", line, index, axis=1)


def _turned(graph: Graph, pool: str, count: str) -> str:
    """Append the first `count` cards of the pool in reverse, and zeros."""
    places = graph.constant(np.arange(POOL)[None])
    back = graph.of("Sub", graph.of("Sub", count, graph.constant([1.0])), places)
    within = graph.of("Min", graph.of("Relu", back), graph.constant([POOL - 1.0]))
    inside = _float(graph, graph.of("Less", places, count))
    return graph.of("Mul", graph.of("GatherElements", pool, _whole(graph, within), axis=1), inside)


def _highest(graph: Graph) -> str:
    """Append the highest entries of the last output, falling."""
    graph.add("TopK", graph.constant([POOL], np.int64), axis=1, largest=1, sorted=1)
    graph.nodes[-1].output.append(f"{graph.last}_places")  # where they were: must be named, is not read
    return graph.last


def _columns(graph: Graph, of: str, first: int, last: int) -> str:
    graph.last = of
    graph.part(1, first, last)
    return graph.last


def _sum(graph: Graph, of: str) -> str:
    return graph.of("ReduceSum", of, graph.constant([1], np.int64))


def _float(graph: Graph, of: str) -> str:
    return graph.of("Cast", of, to=TensorProto.FLOAT)


def _whole(graph: Graph, of: str) -> str:
    return graph.of("Cast", of, to=TensorProto.INT64)


FORMS: Forms = {Lines: _lines}


def _complaint(net: Net, game: Game, variant: Any) -> str:
    if two_lines(variant) is None:
        return f"net.meeting=true is not allowed: {game.name} has no lines of cards that meet"
    unseen = net["unseen"]
    return f"net.meeting=true is not allowed with net.unseen={quote(unseen)}: it reads the whole view" if unseen else ""


def _part(net: Net, variant: Any) -> MakePart:
    return partial(Lines, cast(TwoLines, two_lines(variant)))


KEYS = {"meeting": (bool, False)}  # lines of cards are read by turn, in games where they meet place by place
ENCODER = Encoder(KEYS, FORMS, _complaint, _part)
