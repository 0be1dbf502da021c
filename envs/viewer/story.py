"""A recorded game as the data that the viewer's page shows: every ply from every viewpoint, as differences."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.pictures import render_svg
from kozyr.envs.pictures.scene import FLAGS, X
from kozyr.envs.table.record_format import Record
from kozyr.envs.viewer.frames import frames

Opinions = Mapping[
    int, Mapping[str, Any]
]  # by ply: {"seat", "agent", "kind", "gap", "rows"}, as `viewer.js` shows them


def story(record: Record, seat: int | None = None, opinions: Opinions | None = None) -> dict[str, Any]:
    """Return all that the page shows of a game.

    Args:
        record: the game.
        seat: the only viewpoint; None: everything, and each seat.
        opinions: what an analyst says of plies; a seat's viewpoint has those of its own decisions.
    """
    game, v = record.game, record.variant
    seats = game.seats(v)
    eyes = [None, *range(seats)] if seat is None else [seat]
    known = Known()
    views = [_view(record, one, opinions or {}, known) for one in eyes]
    seed = str(record.seed) if seat is None else None  # whoever knows it knows the deal
    document: dict[str, Any] = {"title": game.title, "game": game.id, "options": _options(record), "seed": seed}
    document |= {
        "labels": dict(game.labels),
        "numbered": record.agents is not None,
        "what": list(known.what),
        "where": list(known.where),
    }
    return {
        **document,
        "names": _names(record),
        "plies": len(record.actions),
        "views": views,
        "results": _results(record),
    }


def by_rules(document: dict[str, Any], record: Record, module: int | None) -> dict[str, Any]:
    """Return a story whose scenes the page makes by the rules.

    Args:
        told: the story; record: the game.
        module: which of the page's modules has the rules; None: there is none, and the scenes stay.
    """
    if module is None:
        return {**document, "module": None}
    views: list[dict[str, Any]] = [{**view, "scenes": []} for view in document["views"]]
    moves = {"seed": str(record.seed), "starter": record.starter, "actions": list(map(int, record.actions))}
    return {**document, **moves, "module": module, "what": [], "where": [], "views": views}


def _names(record: Record) -> list[str]:
    """Return the names of the seats."""
    seats = [f"player_{k}" for k in range(record.game.seats(record.variant))]
    return seats if record.agents is None else list(record.agents)


def _options(record: Record) -> str:
    return ", ".join(f"{name}={value}" for name, value in record.game.options(record.variant).items())


def _results(record: Record) -> list[str]:
    """Return the results of the game in words, a seat each; nothing for a game that is not over."""
    if not record.payoffs:
        return []
    if record.forfeit is not None:
        return ["forfeited" if k == record.forfeit else f"{paid:+g}" for k, paid in enumerate(record.payoffs)]
    last = list(frames(record))[-1].state[0]
    return [capabilities.result(record.variant, last, k) for k in range(len(record.payoffs))]


class Known:
    """Row contents of a game, each once: elements and places; a pile that moves on repeats both in order."""

    def __init__(self) -> None:
        self.what, self.where = dict[tuple[int, ...], int](), dict[tuple[int, ...], int]()

    def add(self, count: int, changed: Sequence[Sequence[int]]) -> list[Any]:
        """Return a scene of `count` rows as [count, places, whats, wheres] of the rows that have changed."""
        new: list[Any] = [count, [], [], []]
        for place, *row in changed:
            what, where = (*row[:X], *row[FLAGS:]), tuple(row[X:FLAGS])
            new[1].append(place)
            new[2].append(self.what.setdefault(what, len(self.what)))
            new[3].append(self.where.setdefault(where, len(self.where)))
        return new


def _view(record: Record, seat: int | None, opinions: Opinions, known: Known) -> dict[str, Any]:
    """Return the story from one viewpoint: scenes as differences, the words of moves, the text."""
    scenes, words, texts = list[Any](), list[Any](), list[str]()
    before: NDArray[np.int32] | None = None
    for frame in frames(record, seat):
        scenes.append(known.add(len(frame.rows), render_svg.difference(before, frame.rows)))
        words.append(frame.words)
        texts.append(record.game.text.write(record.variant, frame.state[0], seat))
        before = frame.rows
    advice = {str(ply): one for ply, one in opinions.items() if seat in (None, one["seat"])}
    return {"seat": seat, "scenes": scenes, "words": words, "texts": texts, "opinions": advice}
