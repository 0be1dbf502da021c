import pytest

from kozyr.envs.core import cards


@pytest.mark.parametrize(("ranks", "first"), [(5, "TC"), (6, "9C"), (9, "6C"), (13, "2C")])
def test_cards_have_names_both_ways(ranks: int, first: str) -> None:
    names = [cards.name(card, ranks) for card in range(4 * ranks)]
    assert (names[0], names[-1]) == (first, "AD")
    assert len(set(names)) == 4 * ranks
    assert [cards.number(text, ranks) for text in names] == list(range(4 * ranks))
    assert cards.numbers(cards.names(list(range(4 * ranks)), ranks), ranks) == list(range(4 * ranks))


def test_no_cards_are_a_dash() -> None:
    assert cards.names([], 9) == "-"
    assert cards.numbers(" - ", 9) == []


@pytest.mark.parametrize("text", ["", "T", "5C", "10C", "TX", "ct", "TC ", "🂡"])
def test_no_card_is_refused_with_what_is_one(text: str) -> None:
    with pytest.raises(ValueError, match="write a rank of 6789TJQKA and a suit of CSHD"):
        cards.number(text, 9)
