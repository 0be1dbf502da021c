from typing import NamedTuple

import pytest

from kozyr.envs.core.variant import Field, describe, make


class Variant(NamedTuple):
    seats: int = 2
    deck: int = 52
    open_hand: bool = False
    share: float = 0.5
    order: int = 0


FIELDS = {
    "seats": Field("seats", 2, 6),
    "deck": Field("cards", numbers=(36, 52)),
    "open_hand": Field("hands are open"),
    "share": Field("share", 0.0, 1.0),
    "order": Field("order", choices=("left", "right")),
}


def test_options_become_a_variant_and_come_back() -> None:
    options = {"seats": 3, "deck": 36, "open_hand": True, "share": 0.25, "order": "right"}
    variant = make(Variant, FIELDS, options)
    assert variant == Variant(3, 36, True, 0.25, 1)
    assert describe(variant, FIELDS) == options
    assert make(Variant, FIELDS, {}) == Variant()


def test_values_take_the_type_of_the_default() -> None:
    variant = make(Variant, FIELDS, {"seats": 3.0, "open_hand": 1, "share": 1})
    assert [type(value) for value in variant] == [int, int, bool, float, int]


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("seats", 7, "a whole number from 2 to 6"),
        ("seats", 2.5, "a whole number from 2 to 6"),
        ("seats", "3", "a whole number from 2 to 6"),
        ("deck", 40, "one of 36, 52"),
        ("open_hand", 2, "True or False"),
        ("open_hand", "yes", "True or False"),
        ("share", 1.5, "a number from 0.0 to 1.0"),
        ("share", float("nan"), "a number from 0.0 to 1.0"),
        ("order", 1, "one of 'left', 'right'"),
        ("order", "up", "one of 'left', 'right'"),
    ],
)
def test_what_is_not_allowed_is_named(name: str, value: object, allowed: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}={value!r} is not allowed: {name} is {allowed}$"):
        make(Variant, FIELDS, {name: value})


def test_an_unknown_field_is_named_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="unknown variant field 'seat'; did you mean 'seats'"):
        make(Variant, FIELDS, {"seat": 3})


def test_an_unknown_field_that_is_near_to_none_is_told_in_sentences() -> None:
    with pytest.raises(ValueError, match=rf"^unknown variant field 'zzz'\. The fields are: {', '.join(FIELDS)}$"):
        make(Variant, FIELDS, {"zzz": 3})
