"""Daifugo with `history`: who laid which set is in the view and in the text of a position."""

from textwrap import dedent

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import GAME, text
from tests.games.daifugo_diagrams import dealt, marked, seen

THREE = GAME.make_variant(players=3)


def test_s13_with_history_the_view_tells_who_laid_which_set():
    v = GAME.make_variant(players=3, history=True)
    told, plain = dealt(v, 5, starter=1), dealt(THREE, 5, starter=1)
    laid = []
    for choice in (0, 1, 1, 0, 1, 1):  # the lead, then a pass where it is 0, else the weakest answer
        legal = np.flatnonzero(marked(v, told))
        action = int(legal[min(choice, len(legal) - 1)])
        laid += [(1 + (told.turn - 2) % 3, action, int(told.laid == 0))] if action else []
        for w, s in ((v, told), (THREE, plain)):
            dispatch.play(w, s, action)
    view = seen(v, told, 2)
    assert len(laid) == 5
    assert list(zip(view["log_seat"], view["log_set"], view["log_lead"], strict=True))[:6] == [*laid, (0, 0, 0)]
    assert {name: part for name, part in view.items() if "log" not in name} == {
        name: part for name, part in seen(THREE, plain, 2).items() if "log" not in name
    }


def test_s13_history_begins_anew_with_every_round():
    v = GAME.make_variant(players=2, ranks=2, rounds=2, history=True)
    s = dealt(v, 1)
    lengths = []
    while s.turn != OVER:
        lengths.append((int(s.rounds), int(s.log)))
        dispatch.play(v, s, int(np.flatnonzero(marked(v, s))[-1]))
    assert next(length for rounds, length in lengths if rounds == 2) == 0
    assert max(lengths)[1] > 1


TOLD = """
    player_0 began, player_1 to move, round 1
    player_0: 2
    player_1: AA2
    player_2: 22
    pile: A by player_0
    played: KKKKAA*
    sets: player_2 leads KKKK, player_2 leads A, player_0 *, player_0 leads A
    """


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("player_2 leads KKKK, ", "", "the sets have the cards"),
        ("player_2 leads KKKK", "player_2 KKKK", "leads a trick"),
        ("player_2 leads KKKK", "player_2 leads pass", "not a set that was laid"),
        ("player_2 leads KKKK", "player_7 leads KKKK", "not a set that was laid"),
        ("player_0 leads A\n", "player_2 leads A\n", "the last set laid is the pile"),
        ("player_0 leads A\n", "player_0 leads A" + ", player_0 leads A" * 20 + "\n", "cannot be laid"),
    ],
)
def test_sets_that_do_not_fit_are_refused(old, new, words):
    v = GAME.make_variant(players=3, ranks=3, history=True)
    fine = dedent(TOLD)
    text.read(v, fine)
    with pytest.raises(ValueError, match=words):
        text.read(v, fine.replace(old, new))
