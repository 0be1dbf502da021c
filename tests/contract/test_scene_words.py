"""Words of scenes lie inside their picture and panel and on no other words: long names, many seats, long hands."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from kozyr.envs.core import labels as words
from kozyr.envs.pictures import render_svg, scene, stroke_font
from kozyr.envs.pictures.layout import SHAPES, place

from . import variants
from .plugin import SCENE
from .table import Table
from .test_scenes import ROUND, WORDS

pytestmark = SCENE

LONGEST = 30  # letters of a name
WIDEST = ["W" * LONGEST] * 16
TIGHT = 15  # tenths of a unit that strokes may stand out
Box = tuple[float, float, float, float]  # left, top, right, bottom


def extremes(game: Any) -> list[Any]:
    """Return variants with as many and as few seats as there can be, and others."""
    given = [{name: end} for name in ("players",) if name in game.fields for end in ends(game.fields[name])]
    switched = {name: True for name, default in game.variant._field_defaults.items() if default is False}
    tried = [variants.combined(game, options | more) for options in (*given, {}) for more in ({}, switched)]
    rounds = [variants.combined(game, options | switched | {"rounds": 3}) for options in given]
    return [v for v in (*tried, *rounds, *variants.drawn(game, 6, seed=5)) if v is not None]


def ends(field: Any) -> tuple[int, int]:
    return int(field.low), int(field.high)


def scenes(game: Any) -> Iterator[Any]:
    """Give scenes of games from their first ply to their end."""
    for i, v in enumerate(extremes(game)):
        table = Table(game, v, seed=i)
        yield from placed(render_svg.rows(game, v, table.states, scene.SEES_ALL))
        for ply, _ in enumerate(table.walk(i, plies=300)):
            if ply % 6 == 0 or table.over:
                for seat in (scene.SEES_ALL, ply % table.seats):
                    yield from placed(render_svg.rows(game, v, table.states, seat))


def placed(rows: Any) -> Iterator[list[list[int]]]:
    """Give a scene as it is on each kind of page, without what draws nothing."""
    for shape in SHAPES:
        yield [row for row in place(rows.tolist(), shape) if row[scene.KIND] != scene.ZONE]


def boxes(shown: Any, labels: Any) -> Iterator[tuple[str, Box]]:
    """Give the words of a scene and their boxes."""
    end, middle = 0.0, 0.0
    for row in shown:
        if row[scene.KIND] not in WORDS:
            end, middle = behind(row)
            continue
        flags, size, room = row[scene.FLAGS], row[scene.HIGH], row[scene.WIDE]
        edge = 1.7 * size if row[scene.KIND] == scene.TAG else 0.0
        said = words.fill(labels[row[scene.FACE]], row[scene.A :], WIDEST)
        said, fit = stroke_font.fit_text(said, size, max(room - edge, 1) if room else 0, shown[0][scene.A])
        wide, high = stroke_font.span(said, fit) + edge, 2.2 * size if edge else fit
        x = row[scene.X]
        left = end + x if flags & scene.AFTER else x - wide / 2 if flags & scene.MIDDLE else x
        left = x - wide if flags & scene.END else left
        if not flags & scene.AFTER:
            middle = row[scene.Y] - (0 if edge else fit / 2)
        end = left + wide
        yield said, (left, middle - high / 2, end, middle + high / 2)


def behind(row: list[int]) -> tuple[float, float]:
    """Return the right end of an element that is no word, and the middle of its height."""
    if row[scene.KIND] in ROUND:
        return row[scene.X] + (row[scene.HIGH] if row[scene.KIND] == scene.SIGN else row[scene.WIDE]) / 2, row[scene.Y]
    return row[scene.X] + row[scene.WIDE], row[scene.Y] + row[scene.HIGH] / 2


def apart(one: Box, other: Box) -> bool:
    return (
        one[2] <= other[0] + TIGHT
        or other[2] <= one[0] + TIGHT
        or one[3] <= other[1] + TIGHT
        or other[3] <= one[1] + TIGHT
    )


def within(box: Box, frame: Box) -> bool:
    return all(box[i] >= frame[i] - TIGHT for i in (0, 1)) and all(box[i] <= frame[i] + TIGHT for i in (2, 3))


def test_no_words_lie_on_others(game: Any) -> None:
    for shown in scenes(game):
        for (one, here), (other, there) in combinations(list(boxes(shown, game.labels)), 2):
            assert apart(here, there), f"{one!r} at {here} lies on {other!r} at {there}"


def test_words_stay_inside_their_picture_and_their_panel(game: Any) -> None:
    for shown in scenes(game):
        frames = [framed(row) for row in shown if row[scene.KIND] in (scene.PICTURE, scene.PANEL)]
        for said, box in boxes(shown, game.labels):
            assert within(box, frames[0]), f"{said!r} at {box} leaves the picture"
            for panel in frames[1:]:
                begins = panel[0] <= box[0] < panel[2] and panel[1] < (box[1] + box[3]) / 2 < panel[3]
                assert not begins or within(box, panel), f"{said!r} at {box} leaves its panel {panel}"


def framed(row: Any) -> Box:
    x, y, wide, high = (int(n) for n in row[scene.X : scene.FLAGS])
    return x, y, x + wide, y + high
