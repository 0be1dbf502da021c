"""A comparison of states that fails names the first field that differs."""

from typing import Any

import numpy as np
import pytest

from kozyr.envs.core.state import layout

from .conftest import pytest_assertrepr_compare
from .table import content, difference

STATE = layout(2, ("hand", np.int8, (2, 3)), ("stock", np.int32))


@pytest.fixture
def states() -> Any:
    return np.zeros(4, STATE)


def test_equal_states_have_equal_content(states: Any) -> None:
    assert content(states) == content(states.copy())
    assert content(states[0]) == content(states[1:2])
    assert difference(content(states), content(states.copy())) == ""


def test_the_first_field_that_differs_is_told_with_both_values(states: Any) -> None:
    before = content(states[2])
    states["stock"][2], states["hand"][2, 1, 0] = 9, 5
    after = content(states[2])
    assert before != after
    assert difference(before, after) == "field hand[1][0] is 0 in the first and 5 in the second"
    states["hand"] = 0
    assert difference(content(states[2]), before) == "field stock is 9 in the first and 0 in the second"


def test_among_several_states_its_number_is_told(states: Any) -> None:
    other = states.copy()
    other["payoff"][3, 1] = -0.5
    sentence = "state 3: field payoff[1] is 0.0 in the first and -0.5 in the second"
    assert difference(content(states), content(other)) == sentence
    assert difference([content(other), content(states)], [content(other), content(other)]) == f"[1]: {sentence}"
    assert difference({"views": b"", "states": content(states)}, {"views": b"a", "states": content(other)}) == (
        f"['states']: {sentence}"
    )


def test_what_only_bytes_tell_apart_is_told_too(states: Any) -> None:
    other = states.copy()
    other["payoff"][0, 0] = -0.0
    assert difference(content(states[0]), content(other[0])) == (
        "field payoff is [0. 0.] in the first and [-0.  0.] in the second"
    )


def test_other_comparisons_are_left_to_pytest(states: Any) -> None:
    assert difference(b"a", b"b") == difference([1], [2]) == ""
    assert pytest_assertrepr_compare("==", 1, 2) is None
    assert pytest_assertrepr_compare("!=", content(states), content(states[:1])) is None


def test_pytest_says_it(states: Any) -> None:
    other = states[:1].copy()
    other["stock"] = 3
    with pytest.raises(
        AssertionError, match="should be equal are not: field stock is 0 in the first and 3 in the second"
    ):
        assert content(states[0]) == content(other)
