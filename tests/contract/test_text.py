"""Positions and actions as text, both ways."""

from typing import Any

import numpy as np
import pytest

from .table import Table
from .test_blind import FAR, READS, situations
from .words import assert_same_view


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


def test_damaged_texts_of_a_seat_are_refused_in_words(game: Any) -> None:
    v = game.make_variant()
    table = Table(game, v)
    list(table.walk(1, plies=5))
    lines = game.text.write(v, table.s, 1).splitlines()
    refused = [
        "",
        "nonsense",
        game.text.write(v, table.s),
        "\n".join(lines[1:]),
        "\n".join(["player_9 (you): -", *lines[1:]]),
        "\n".join(lines[:2]),
        *("\n".join([*lines[:i], "x" + lines[i], *lines[i + 1 :]]) for i in range(len(lines))),
    ]
    for text in refused:
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            game.text.read_view(v, text)


def test_actions_parse_back(game: Any, drawn: list[Any]) -> None:
    for v in drawn:
        s = Table(game, v).s
        texts = [game.text.say(v, s, action) for action in range(game.actions(v))]
        assert len(set(texts)) == len(texts)
        assert [game.text.parse(v, text) for text in texts] == list(range(len(texts)))


def test_what_a_mover_hears_of_its_actions_parses_back(game: Any) -> None:
    for table in situations(game, 6, every=5):
        if not table.over:
            for action in np.flatnonzero(table.mask()).tolist():
                assert game.text.parse(table.v, game.text.say(table.v, table.s, action, table.turn)) == action


@pytest.mark.parametrize("text", ["", "?", "zz99", "-1", "a0", "🂡", "pass pass pass"])
def test_foreign_actions_are_refused_in_words(game: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        game.text.parse(game.make_variant(), text)


def test_damaged_positions_are_refused_in_words(game: Any) -> None:
    v = game.make_variant()
    table = Table(game, v)
    list(table.walk(1, plies=5))
    lines = game.text.write(v, table.s).splitlines()
    damaged = ["", "nonsense", "\n".join(lines[1:]), "\n".join(lines[:-1]), "\n".join(["x" + lines[0], *lines[1:]])]
    for text in damaged:
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            game.text.read(v, text)
