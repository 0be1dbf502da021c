"""The nodes of an ONNX graph that read two lines of cards, as `Lines` does."""

import numpy as np
from onnx import TensorProto

from kozyr.training.encoders.encoder import Forms
from kozyr.training.encoders.two_lines_attention.network import POOL, Lines
from kozyr.training.export.onnx_graph import Graph


def _lines(graph: Graph, module: Lines) -> None:
    """Append what `Lines.forward` does."""
    read, view = graph.last, graph.view
    at, deck = module.lineup, module.deck
    sides = [lay_out(graph, module, view, side) for side in range(2)]
    known = [ranks for ranks, _ in sides]
    graph.of("Concat", *(laid for _, laid in sides), axis=1)
    pool = _highest(graph)
    number = _sum(graph, _part(graph, view, at.laid, at.laid + 2))
    count = graph.of("Mul", number, _part(graph, view, at.picking, at.picking + 1))
    takes = graph.of("Mul", _part(graph, view, at.turn, at.turn + 2), count)
    sizes = _part(graph, view, at.sizes, at.sizes + 2)
    ends = graph.of("Add", sizes, takes)
    mine, theirs = (carry_on(graph, module, known, ends, side) for side in range(2))
    met, meets = _after(graph, theirs, sizes, 0), _after(graph, mine, sizes, 1)
    rising = _turned(graph, pool, count)
    plain = [_part(graph, mine, 0, deck), _part(graph, theirs, 0, deck), pool, met, meets]
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
    places = _part(graph, view, first, first + module.deck)
    turn = graph.of("Sub", places, _part(graph, view, at.laid + side, at.laid + side + 1))
    seen = _float(graph, graph.of("Greater", places, zero))
    ranks = graph.of("Mul", seen, graph.constant(module.ranks.numpy()))
    empty = graph.of("Mul", _part(graph, view, 0, 1), graph.constant(np.zeros((1, 1 + module.turns))))
    index = _whole(graph, graph.of("Relu", turn))
    graph.of("ScatterElements", empty, index, ranks, axis=1, reduction="add")
    deck = _part(graph, graph.last, 1, 1 + module.turns)
    laid = _float(graph, graph.of("LessOrEqual", turn, zero))
    return deck, graph.of("Mul", ranks, laid)


def carry_on(graph: Graph, module: Lines, known: list[str], ends: str, side: int) -> str:
    """Append a side's line with the cards that it takes in the turns known."""
    high, low = graph.of("Max", *known), graph.of("Min", *known)
    both = _float(graph, graph.of("Greater", low, graph.constant([0.0])))
    higher = _float(graph, graph.of("Greater", known[side], known[1 - side]))
    taken = graph.of("Mul", both, higher)
    so_far = graph.of("CumSum", taken, graph.constant([1], np.int64))
    before = graph.of("Mul", graph.of("Sub", so_far, graph.constant([1.0])), graph.constant([2.0]))
    place = graph.of("Add", _part(graph, ends, side, side + 1), before)
    nowhere = graph.constant([float(module.turns)])
    is_taken = graph.of("Cast", taken, to=TensorProto.BOOL)
    place = _whole(graph, graph.of("Where", is_taken, place, nowhere))
    next_place = graph.of("Add", place, graph.constant([1], np.int64))
    longer = graph.of("Pad", known[side], graph.constant([0, 0, 0, 2], np.int64))
    for where, ranks in ((place, high), (next_place, low)):
        longer = graph.of("ScatterElements", longer, where, graph.of("Mul", ranks, taken), axis=1, reduction="add")
    return _part(graph, longer, 0, module.turns)


def worth(graph: Graph, module: Lines, mine: str, theirs: str) -> str:
    """Append what turns are worth to the owner of the first line."""
    share = graph.of("Mul", graph.of("Min", mine, theirs), graph.constant([1 / module.top]))
    sign = graph.of("Sign", graph.of("Sub", mine, theirs))
    return graph.of("Mul", graph.of("Mul", share, share), sign)


def _after(graph: Graph, line: str, sizes: str, side: int) -> str:
    """Append the first cards of a line that come up after a side's deck."""
    begin = _whole(graph, _part(graph, sizes, side, side + 1))
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


def _part(graph: Graph, of: str, first: int, last: int) -> str:
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
