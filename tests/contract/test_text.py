"""Positions and actions as text, both ways: in the game's own forms, and in those that follow from its declarations."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from kozyr import envs
from kozyr.envs.core.text import Texts

from . import variants
from .plugin import TEXT
from .table import Table, content
from .test_blind import FAR, READS, situations
from .test_rules import quick
from .words import assert_same_view

pytestmark = TEXT


def test_positions_parse_back_and_play_on_the_same(game: Any) -> None:
    for table in situations(game, 8, every=9):
        text = game.text.write(table.v, table.s)
        other = Table.of(game, table.v, game.text.read(table.v, text))
        assert game.text.write(other.v, other.s) == text
        assert other.payoffs == table.payoffs
        for seat in range(table.seats):
            views = ("the game", table.view(seat)), ("what `read` makes of its text", other.view(seat))
            assert_same_view(game, table.v, *views, "the text of a position must hold all of it", table, seat)
        once = table.copy()
        assert list(other.walk(4, FAR)) == list(once.walk(4, FAR))
        assert game.text.write(other.v, other.s) == game.text.write(once.v, once.s)


def test_the_text_of_a_seat_parses_back_to_its_view(game: Any) -> None:
    for table in situations(game, 20, every=13):
        for seat in range(table.seats):
            text = game.text.write(table.v, table.s, seat)
            view = game.text.read_view(table.v, text)
            assert view.dtype == game.view_dtype
            views = ("`read_view` of the seat's text", view), ("the game", table.view(seat))
            assert_same_view(game, table.v, *views, READS, table, seat)
            assert game.text.write_view(table.v, view, seat) == text
            assert text.startswith(f"player_{seat} (you): ")


def test_derived_texts_of_positions_parse_back_to_equal_bytes(game: Any) -> None:
    derived = Texts(game)
    for table in situations(game, 8, every=9):
        text = derived.write(table.v, table.s)
        assert content(derived.read(table.v, text)) == table.bytes
        assert derived.write(table.v, derived.read(table.v, text)[0]) == text


@given(data=st.data())
@quick
def test_derived_texts_of_any_view_parse_back_to_equal_bytes(game_name: str, data: st.DataObject) -> None:
    game = envs.game(game_name)
    v, derived = data.draw(variants.strategy(game)), Texts(game)
    entries = data.draw(arrays.arrays(np.int64, game.size(v), elements=st.integers(0, 2**31)))
    view = (entries % (game.high(v).astype(np.int64) + 1)).astype(game.view_dtype)
    seat = data.draw(st.integers(0, game.seats(v) - 1))
    text = derived.write_view(v, view, seat)
    assert text.startswith(f"player_{seat} (you): ")
    again = derived.read_view(v, text)
    assert (again.dtype, again.tobytes()) == (view.dtype, view.tobytes())


def test_a_reader_learns_how_the_text_of_a_seat_is_read(game: Any) -> None:
    v = game.make_variant()
    assert game.text.explain_view(v)
    lines = Texts(game).explain_view(v).splitlines()
    assert [line.split(":")[0] for line in lines] == [f"- {name}" for name, *_ in game.declaration(v)]


@pytest.fixture(params=["own", "derived"])
def texts(request: pytest.FixtureRequest, game: Any) -> Any:
    """The forms that the game uses, and those that its declarations give."""
    return game.text if request.param == "own" else Texts(game)


def test_damaged_texts_of_a_seat_are_refused_in_words(game: Any, texts: Any) -> None:
    v = game.make_variant()
    table = Table(game, v)
    list(table.walk(1, plies=5))
    lines = texts.write(v, table.s, 1).splitlines()
    refused = [
        "",
        "nonsense",
        texts.write(v, table.s),
        "\n".join(lines[1:]),
        "\n".join(["player_9 (you): -", *lines[1:]]),
        "\n".join(lines[:2]),
        *("\n".join([*lines[:i], "x" + lines[i], *lines[i + 1 :]]) for i in range(len(lines))),
    ]
    for text in refused:
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            texts.read_view(v, text)


def test_actions_parse_back(game: Any, texts: Any, drawn: list[Any]) -> None:
    for v in drawn:
        s = Table(game, v).s
        words = [texts.say(v, s, action) for action in range(game.actions(v))]
        assert len(set(words)) == len(words)
        assert [texts.parse(v, text) for text in words] == list(range(len(words)))


def test_what_a_mover_hears_of_its_actions_parses_back(game: Any) -> None:
    for table in situations(game, 6, every=5):
        if not table.over:
            for action in np.flatnonzero(table.mask()).tolist():
                assert game.text.parse(table.v, game.text.say(table.v, table.s, action, table.turn)) == action


@pytest.mark.parametrize("text", ["", "?", "zz99", "-1", "a0", "🂡", "pass pass pass"])
def test_foreign_actions_are_refused_in_words(game: Any, texts: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        texts.parse(game.make_variant(), text)


def test_damaged_positions_are_refused_in_words(game: Any, texts: Any) -> None:
    v = game.make_variant()
    table = Table(game, v)
    list(table.walk(1, plies=5))
    lines = texts.write(v, table.s).splitlines()
    damaged = ["", "nonsense", "\n".join(lines[1:]), "\n".join(lines[:-1]), "\n".join(["x" + lines[0], *lines[1:]])]
    for text in damaged:
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            texts.read(v, text)
