"""Labels: every form that a place in a text may have, and what names may do in it."""

from importlib import import_module

import pytest

from kozyr import envs
from kozyr.envs.core.labels import SHARED, fill


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("plain words", (), "plain words"),
        ("{0} {1} {2}", (4, -5, 0), "4 -5 0"),
        ("{2}{0}", (1, 2, 3), "31"),
        ("{0:seat} and {1:seat}", (1, 0), "player_1 and player_0"),
        ("{0:signed} {1:signed} {2:signed}", (3, -3, 0), "+3 −3 0"),
        ("{0:milli} {1:milli} {2:milli}", (333, -1000, 0), "+0.333 −1 0"),
        ("{0:milli}", (2500,), "+2.5"),
        ("{0} {0|cards|card|cards}", (0,), "0 cards"),
        ("{0} {0|cards|card|cards}", (1,), "1 card"),
        ("{0} {0|cards|card|cards}", (17,), "17 cards"),
        ("{0||s}", (0,), ""),
        ("{0|a|b}", (-1,), "a"),
        ("{no} {} {0:", (1,), "{no} {} {0:"),
    ],
)
def test_labels_are_filled(text, arguments, said):
    assert fill(text, arguments) == said


def test_names_are_words_and_no_labels():
    assert fill("{0:seat}!", (1,), ["Ann", "{0} <b>\\1"]) == "{0} <b>\\1!"


@pytest.mark.parametrize("game", sorted(envs.games()))
def test_every_label_of_our_games_can_be_filled(game):
    labels, own = envs.game(game).labels, import_module(".scene", envs.game(game).package).LABELS
    assert labels == {**SHARED, **own}
    assert all(isinstance(number, int) and number > 0 for number in labels)
    assert not set(SHARED) & set(own)
    assert not set(SHARED.values()) & set(own.values())
    for text in labels.values():
        assert fill(text, (0, 1, 0), ["Ann", "Ben"]).strip()
        assert "{" not in fill(text, (0, 1, 0), ["Ann", "Ben"])
