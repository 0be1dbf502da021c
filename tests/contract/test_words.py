"""Failures of the contract say what differs, both values, the promise and the position."""

from typing import Any

import numpy as np
import pytest

from kozyr.envs.core.state import OVER

from . import words
from .table import GARBAGE, Table

Failed: Any = pytest.fail.Exception


class Wrong(Table):
    """A table of a game that breaks promises: what is set here stands for what the game says."""

    told_view: Any = None
    told_mask: Any = None
    told_payoffs: Any = None
    told_turn: Any = None

    def view(self, seat: int) -> Any:
        return super().view(seat) if self.told_view is None else self.told_view

    def mask(self) -> Any:
        return super().mask() if self.told_mask is None else self.told_mask

    @property
    def payoffs(self) -> list[float]:
        return super().payoffs if self.told_payoffs is None else self.told_payoffs

    @property
    def turn(self) -> int:
        return super().turn if self.told_turn is None else self.told_turn


@pytest.fixture
def wrong(game: Any) -> Wrong:
    return Wrong(game, game.make_variant(), 1)


def message(check: Any, *arguments: Any) -> str:
    with pytest.raises(Failed) as caught:
        check(*arguments)
    return str(caught.value)


def test_the_part_the_seat_both_values_and_the_promise_are_told(wrong: Wrong) -> None:
    game, v = wrong.game, wrong.v
    for name, first, end, _ in game.declaration(v):
        one, other = wrong.view(0), wrong.view(0)
        one[end - 1], other[end - 1] = 0, 2
        place = f"{name}[{end - 1 - first}]" if end - first > 1 else name
        failure = message(words.assert_same_view, game, v, ("one", one), ("the other", other), words.LEAK, wrong, 0)
        assert (
            failure.splitlines()[0] == f"part `{place}` of seat 0's view is 0 in one and 2 in the other: {words.LEAK}"
        )
        assert failure.endswith(game.text.write(v, wrong.s, 0))


def test_equal_views_and_masks_pass(wrong: Wrong) -> None:
    view, mask = ("one", wrong.view(0)), ("one", wrong.mask())
    words.assert_same_view(wrong.game, wrong.v, view, view, "", wrong, 0)
    words.assert_same_mask(mask, mask, "", wrong)


def test_views_and_masks_of_other_lengths_are_told(wrong: Wrong) -> None:
    view, mask = wrong.view(0), wrong.mask()
    failure = message(words.assert_same_view, wrong.game, wrong.v, ("one", view), ("the other", view[1:]), "why")
    assert failure == f"the view has {len(view)} entries in one and {len(view) - 1} in the other: why"
    failure = message(words.assert_same_mask, ("one", mask[1:]), ("the other", mask), "why")
    assert failure == f"there are {len(mask) - 1} actions in one and {len(mask)} in the other: why"


def test_an_action_is_told_in_words(wrong: Wrong) -> None:
    one, other = np.zeros_like(wrong.mask()), np.zeros_like(wrong.mask())
    other[-1] = 1
    action = len(other) - 1
    failure = message(words.assert_same_mask, ("one", one), ("the other", other), "why", wrong)
    said = wrong.game.text.say(wrong.v, wrong.s, action)
    assert failure.startswith(f"action {action} ({said}) is illegal in one and legal in the other: why\nPly 0 with ")


def test_an_entry_above_its_bound_is_told(wrong: Wrong) -> None:
    name, first, end, high = min(wrong.game.declaration(wrong.v), key=lambda declared: declared[3])
    words.assert_view_within_bounds(wrong, 0)
    wrong.told_view = wrong.view(0).astype(np.int64)
    place = f"{name}[{end - 1 - first}]" if end - first > 1 else name
    for value in {high + 1, max(high + 1, GARBAGE)}:
        wrong.told_view[end - 1] = value
        failure = message(words.assert_view_within_bounds, wrong, 0)
        assert failure.startswith(f"part `{place}` of seat 0's view is {value}, Parts allows 0 to {high}")
        assert ("`observe` may have left it" in failure) == (value == GARBAGE)


def test_actions_that_cannot_be_are_told(wrong: Wrong) -> None:
    words.assert_legal_actions(wrong)
    wrong.told_mask = np.zeros_like(wrong.mask())
    assert message(words.assert_legal_actions, wrong).startswith(f"seat {wrong.turn} is to move and has no legal")
    wrong.told_mask[0] = GARBAGE
    assert message(words.assert_legal_actions, wrong).startswith(f"`legal` writes {GARBAGE} for action 0 (")
    wrong.told_mask[0], wrong.told_turn = 1, OVER
    assert message(words.assert_legal_actions, wrong).startswith("the game is over, but action 0 (")


def test_payoffs_that_cannot_be_are_told(wrong: Wrong) -> None:
    due, others = wrong.game.payoff_sum, [0.0] * (wrong.seats - 2)
    words.assert_payoffs(wrong)
    wrong.told_payoffs = [0.5, -0.5, *others]
    assert message(words.assert_payoffs, wrong).startswith("payoffs are 0.5, -0.5")
    assert "before the game is over" in message(words.assert_payoffs, wrong)
    wrong.told_turn = OVER
    wrong.told_payoffs = [due + 0.25, 0.25, *others]
    assert f"and add up to {due + 0.5:g}, payoff_sum is {due:g}" in message(words.assert_payoffs, wrong)
    wrong.told_payoffs = [2.0, -2.0, *others]
    assert "each lies between -1 and 1" in message(words.assert_payoffs, wrong)
    wrong.told_payoffs, wrong.s.truncated = [0.5, 0.0, *others], 1
    assert "add up to 0.5, a cap ended the game, so the sum is 0" in message(words.assert_payoffs, wrong)


def test_plies_and_seats_that_cannot_be_are_told(wrong: Wrong) -> None:
    most = wrong.game.bound(wrong.v)
    words.assert_plies(wrong, 0)
    assert message(words.assert_plies, wrong, 3).startswith("`ply` is 0 after 3 plies")
    wrong.s.ply = most + 1
    assert message(words.assert_plies, wrong, most + 1).startswith(f"the game goes on after {most} plies")
    wrong.s.ply, wrong.told_turn = 0, wrong.seats
    assert message(words.assert_plies, wrong, 0).startswith(f"`turn` is {wrong.seats}, seats are 0 to")


def test_a_text_that_fails_hides_no_failure(wrong: Wrong, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> str:
        raise IndexError("no such card")

    monkeypatch.setattr(wrong.game.text, "write", broken)
    monkeypatch.setattr(wrong.game.text, "say", broken)
    wrong.told_mask = np.full_like(wrong.mask(), GARBAGE)
    failure = message(words.assert_legal_actions, wrong)
    assert failure.startswith(f"`legal` writes {GARBAGE} for action 0: write 0 or 1")
    assert failure.endswith("no text: `write` raises IndexError: no such card")
