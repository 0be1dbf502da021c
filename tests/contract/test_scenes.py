"""Scenes hold what a seat knows and nothing else, and every legal action can be made with what its scene shows."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core import labels as words
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.layout import SHAPES, place

from .plugin import SCENE
from .table import GARBAGE, Table
from .test_blind import TELLS, situations, swapped, told_apart_by_all

pytestmark = SCENE

WORDS = (scene.LABEL, scene.TAG)
ROUND = (scene.DOT, scene.SIGN, scene.CHIPS)  # their places are those of their middles
NAMES = [f"name {seat}" for seat in range(16)]


def rows(table: Table, seat: int) -> Any:
    """Return the elements of a table's scene."""
    out = np.zeros((scene.MOST, scene.COLUMNS), np.int32)
    mask = np.zeros(table.game.actions(table.v), np.int8)
    return out[: scene.show(table.v, table.states, seat, mask, out)]


def entries(table: Table, action: int) -> tuple[int, ...]:
    """Return the entries of an action that count; those that the game leaves as they were say nothing."""
    row = np.full(input_spec.ENTRIES, GARBAGE, np.int32)
    dispatch.elements(table.v, table.s, action, row)
    count = int(row[input_spec.COUNT])
    arguments = row[input_spec.SAID_A : input_spec.TARGET].tolist()
    if row[input_spec.SAID] == input_spec.AS_TEXT:
        arguments = arguments[:1] if row[input_spec.HOW] == input_spec.AMOUNT else []
    target = int(row[input_spec.TARGET]) if row[input_spec.HOW] == input_spec.SELECT else 0
    keys = sorted(row[input_spec.KEYS : input_spec.KEYS + count].tolist())
    return (int(row[input_spec.HOW]), int(row[input_spec.SAID]), target, len(arguments), *arguments, *keys)


def seen_by(table: Table) -> Iterator[tuple[int, Any]]:
    """Give the scene of every seat, of all that is there, and of what all know."""
    for seat in (scene.SEES_PUBLIC, scene.SEES_ALL, *range(table.seats)):
        yield seat, rows(table, seat)


def test_a_scene_is_a_picture_with_all_its_elements_inside(game: Any) -> None:
    for table in situations(game, 8):
        for _, drawn in seen_by(table):
            assert drawn[0, scene.KIND] == scene.PICTURE
            assert list(drawn[1:, scene.KIND]).count(scene.PICTURE) == 0
            for shape in SHAPES:
                assert_inside(place(drawn.tolist(), shape))


def assert_inside(drawn: list[list[int]]) -> None:
    """Fail for an element that reaches out of the picture."""
    wide, high = drawn[0][scene.WIDE], drawn[0][scene.HIGH]
    for row in drawn[1:]:
        if row[scene.KIND] in WORDS and row[scene.FLAGS] & scene.AFTER:
            continue
        left, top, right, bottom = reach(row)
        assert 0 <= left <= right <= wide, (row, wide)
        assert 0 <= top <= bottom <= high, (row, high)


def reach(row: Any) -> tuple[int, int, int, int]:
    """Return the box of an element, of words their anchor."""
    kind, x, y, across, down = (int(row[i]) for i in (scene.KIND, scene.X, scene.Y, scene.WIDE, scene.HIGH))
    if kind in WORDS:
        return x, y - down, x, y
    if kind in ROUND:
        across = across or down
        return x - across // 2, y - across // 2, x + across // 2, y + across // 2
    return min(x, x + across), min(y, y + down), max(x, x + across), max(y, y + down)


def test_no_two_elements_of_a_scene_have_one_identity(game: Any) -> None:
    for table in situations(game, 8):
        for seat, drawn in seen_by(table):
            twice = [name for name, n in Counter(drawn[:, scene.ID].tolist()).items() if name and n > 1]
            assert not twice, f"elements of seat {seat}'s scene share the ID {twice[0]}"


def test_every_label_of_a_scene_is_declared_and_can_be_filled(game: Any) -> None:
    labels = game.labels
    for table in situations(game, 6):
        for _, drawn in seen_by(table):
            for row in drawn[np.isin(drawn[:, scene.KIND], WORDS)]:
                assert words.fill(labels[int(row[scene.FACE])], row[scene.A : scene.C + 1].tolist(), NAMES)


def test_every_legal_action_can_be_made_with_what_the_mover_sees(game: Any) -> None:
    labels = game.labels
    for table in situations(game, 8, every=3):
        if table.over:
            continue
        keys = Counter(rows(table, table.turn)[:, scene.KEY].tolist())
        made: dict[tuple[int, ...], int] = {}
        for action in np.flatnonzero(table.mask()).tolist():
            way = entries(table, action)
            how, said, target, arguments = way[:4]
            assert how in (input_spec.SELECT, input_spec.BUTTON, input_spec.AMOUNT)
            assert said == input_spec.AS_TEXT or said in labels
            asked = Counter(way[4 + arguments :])
            assert all(0 < key < scene.MOST_KEYS and keys[key] >= n for key, n in asked.items()), (action, asked, keys)
            assert target == 0 or keys[target] > 0, f"nothing in the scene has the key {target}, the target of {action}"
            assert way not in made or said == input_spec.AS_TEXT, f"actions {made.get(way)} and {action} are made alike"
            made[way] = action


def test_what_is_hidden_changes_no_scene_and_no_choice(game: Any) -> None:
    for table in situations(game, 10, every=17):
        for seat in range(table.seats):
            if not table.over:  # a showdown lays hands open, which no view holds
                assert_alike(*told_apart_by_all(table, seat))


def test_a_real_position_with_other_hidden_cards_has_the_same_scene(game: Any) -> None:
    for table in situations(game, 8, every=4):
        other = swapped(table)
        if other is not None and not table.over:
            assert_alike(table, other)


def assert_alike(one: Table, other: Table) -> None:
    """Fail unless seat 0 is shown and offered the same in both."""
    assert rows(one, 0).tolist() == rows(other, 0).tolist(), f"`scene` {TELLS}"
    if one.turn == 0:
        for action in np.flatnonzero(one.mask()).tolist():
            assert entries(one, action) == entries(other, action), f"`elements` {TELLS}"
