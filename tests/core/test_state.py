import numpy as np
import pytest

from kozyr.envs.core.state import layout


def test_the_header_comes_first_and_gaps_have_names() -> None:
    record = layout(3, ("hand", np.int8, 3), ("stock", np.int32))
    assert record.names is not None
    assert record.names[:6] == ("rng", "turn", "ply", "payoff", "truncated", "starter")
    assert [name for name in record.names[6:] if not name.startswith("gap")] == ["hand", "stock"]
    assert sum(record[name].itemsize for name in record.names) == record.itemsize


@pytest.mark.parametrize("name", [name for name in dir(np.record) if not name.startswith("_")])
def test_names_that_records_have_already_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"^the state cannot have a field '{name}': NumPy's records .*; rename it$"):
        layout(2, ("hand", np.int8, 5), (name, np.int32))


def test_a_method_would_stand_for_the_field() -> None:
    """What the refusal is for: uncompiled rules read a method where they mean a number."""
    record: np.record = np.zeros(1, np.dtype((np.record, [("round", np.int32)])))[0]
    assert callable(record.round)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("turn", "there is one of that name already"),
        ("hand", "there is one of that name already"),
        ("_hidden", "do not begin with an underscore"),
        ("two words", "no name in Python"),
        ("class", "no name in Python"),
        ("", "no name in Python"),
        (3, "no name in Python"),
        ("gap12", "gaps between fields"),
    ],
)
def test_other_names_that_rules_cannot_use_are_refused(name: object, reason: str) -> None:
    with pytest.raises(ValueError, match=f"field {name!r}: .*{reason}.*; rename it$"):
        layout(2, ("hand", np.int8, 5), (name, np.int32))
