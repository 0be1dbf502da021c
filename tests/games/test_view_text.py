"""The text of a seat in every game: the examples on its page, and what is refused in words."""

import re
import sys
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.core import dispatch

VARIANTS: dict[str, dict[str, Any]] = {
    "daifugo": {"players": 3, "rounds": 3, "exchange": True, "revolution": True},
    "draw_poker": {"players": 4, "stack": 75, "episode": "tournament", "max_hands": 50},
    "durak": {"players": 3, "deck": 36, "open_trump": True},
    "mnk": {"m": 3, "n": 3, "k": 3},
    "war": {"deck": 52, "pickup": "random"},
}


def example(name: str) -> tuple[Any, Any, str]:
    """Return a game, a variant of it and the text that the docstring of its module shows."""
    game = envs.game(name)
    page = sys.modules[game.text.read_view.__module__].__doc__ or ""
    text = next(part for part in page.split("\n\n") if " (you)" in part)
    return game, game.make_variant(**VARIANTS[name]), dedent(text).strip()


@pytest.mark.parametrize("name", VARIANTS)
def test_the_example_of_the_page_is_a_text_of_that_seat(name: str) -> None:
    game, v, text = example(name)
    seat = int(text.removeprefix("player_")[0])
    view = game.text.read_view(v, text)
    assert view.any()
    assert game.text.write_view(v, view, seat) == text
    loose = "\n".join(f"   {line}  " for line in text.splitlines())
    np.testing.assert_array_equal(game.text.read_view(v, f"\n{loose}\n"), view)


REFUSED = [
    ("daifugo", "player_1 (you)", "player_7 (you)", "begins with its own line, as 'player_0 .you.: …'"),
    ("daifugo", "player_2:", "player_0:", "'player_0: 5 cards.*' stands where the line 'player_2: …' belongs"),
    ("daifugo", "JKAA2,", "JKAA8X,", "'X' in 'JKAA8X' is no card of this deck"),
    (
        "daifugo",
        "5 cards",
        "five cards",
        "not what is known of a seat: 'five cards, known JK.*'; write it as '5 cards'",
    ),
    ("daifugo", "JKAA2,", "JKAA222,", "more than 4 of a rank"),
    ("daifugo", "place 1", "place 7", "7 is too much for 'place' .*: at most 3"),
    ("daifugo", "player_1 to move", "player_6 to move", "there is no player_6 among 3 players"),
    ("daifugo", ", round 2 of 3", "", "not a status line here: .* write it as 'player_0 to move, round 1 of 3'"),
    ("daifugo", "KK by", "KQ by", "not a pile: 'KQ by player_2'"),
    ("daifugo", "player_1, player_0, player_2", "player_0, player_1, player_2", "write all seats, player_1 first"),
    ("draw_poker", "AC (pair)", "AC", "not a hand: .*; write it as '2C 2H 9D TS AC .pair., chips"),
    ("draw_poker", "(pair)", "(couple)", "'couple' is none of high card, pair"),
    ("draw_poker", "2C 2H 9D", "2C 9D", "a hand has 5 cards or none"),
    ("draw_poker", "discarded KS", "discarded 2C", "a hand has 5 cards or none, and no card twice"),
    ("draw_poker", "chips 99", "chips many", "'chips many, .*' does not read as 'chips 99, paid 1, bets 0 0, to act'"),
    ("draw_poker", "second bets", "third bets", "not a status line: .*; write it as 'first bets, .*, hand 1 of 50'"),
    ("draw_poker", "pot 17", "pot full", "not a pot: .*; write it as 'pot 17, highest bet 4, 4 to match'"),
    ("draw_poker", "highest bet 4", "highest bet 99", "99 is too much for 'highest' .*: at most 10"),
    ("durak", "\ndiscard: 7C 6D", "", "the text of a seat has 7 lines here; 6 are too few"),
    ("durak", "TS* 7D", "T0* 7D", "'T0' is no card of this deck"),
    ("durak", "TS* 7D", "TS* 6D", "6D lies in two places"),
    ("durak", "trump S", "trump X", "not a status line: 'trump X, .*'; write it as 'trump S, player_0 attacks"),
    ("durak", "3 cards, 9H known", "3 cards: 9H", "not what is known of a hand: '3 cards: 9H'"),
    ("durak", "8C/JC", "8C/JC/QC", "'8C/JC/QC' is wrong: one card beats another, as 6C/7C"),
    ("durak", "stock: 2 cards", "stock: two", "not a stock: 'two, AS open'; write it as '2 cards, AS open'"),
    ("durak", "3 cards", "99 cards", "99 is too much for 'sizes' .*: at most 36"),
    ("mnk", "O to move", "O moves", "one seat plays X, the other O, and below them stands 'X to move'"),
    ("mnk", "X O O", "X O #", "not a board of 3×3: write 3 rows of 3 marks O X ."),
    ("mnk", "X O O", "X O", "not a board of 3×3"),
    ("war", "player_0 began", "player_2 began", "not a status line: 'player_2 began"),
    ("war", "7C ? ? ? 9C |", "7C ? ? ? 9C", "not the cards of a seat: '7C . . . 9C a a a 2H'"),
    ("war", "a a a", "a a", "2 cards are marked a, but 3 are named"),
    ("war", "b b", "2H ?", "2H lies in two places"),
    ("war", "b b", "? ?", "no card of a line is marked b"),
    ("war", "b: 6C", "c: 6C", "'c: 6C AS' stands where the line 'b: …' belongs"),
    ("war", "12 turns", "99999 turns", "99999 turns left are too many: the game is cut off after"),
]


@pytest.mark.parametrize(("name", "old", "new", "words"), REFUSED)
def test_what_does_not_fit_is_refused_in_words(name: str, old: str, new: str, words: str) -> None:
    game, v, text = example(name)
    assert old in text
    with pytest.raises(ValueError, match=words):
        game.text.read_view(v, text.replace(old, new, 1))


def test_only_variants_with_an_open_trump_have_one_under_the_stock() -> None:
    game, v, text = example("durak")
    with pytest.raises(ValueError, match=r"not a stock: '2 cards, AS open'; write it as '2 cards'$"):
        game.text.read_view(v._replace(open_trump=False), text)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_seat_of_a_text_is_named_first_and_marked(name: str) -> None:
    game, v, _ = example(name)
    state = np.zeros(1, game.layout(v))[0]
    dispatch.start(v, state, 3, 0)
    for seat in range(game.seats(v)):
        lines = game.text.write(v, state, seat).splitlines()
        names = [re.split(r": ", line)[0] for line in lines[: game.seats(v)]]
        order = [(seat + j) % game.seats(v) for j in range(game.seats(v))]
        assert names == [f"player_{k}{' (you)' if k == seat else ''}" for k in order]
