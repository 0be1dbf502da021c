"""Messages repeat what was given, but not all of it where it is long."""

import pytest

from kozyr.envs.core.quote import MOST, quote


@pytest.mark.parametrize("value", ["", "7C", 'say "no"', "a\nb", 3, -1.5, None, ["a", {"b": (1, 2)}], b"abc", {1, 2}])
def test_a_short_value_is_as_python_shows_it(value: object) -> None:
    assert quote(value) == repr(value)


class _Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


LONG: list[object] = [
    *("x" * 10**6, "\x00" * 10**6, b"\xff" * 10**6, "'" * 500, ("y" * 500,)),
    *(10**10**5, -(10**10**5), list(range(10**6)), {str(i): [i] for i in range(10**5)}),
    *({"a" * 10**6: "b" * 10**6}, [["x" * 10**5] * 50] * 50, _Mute()),
]


@pytest.mark.parametrize("value", LONG, ids=lambda value: type(value).__name__)
def test_a_long_value_is_cut(value: object) -> None:
    assert len(quote(value)) <= MOST + 2


def test_the_beginning_is_told() -> None:
    assert quote("abc" * 1000) == "'" + ("abc" * 40)[: MOST - 1] + "…'"
    assert quote("a" * MOST) == repr("a" * MOST)
