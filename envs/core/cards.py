"""French-suited cards: names of ranks and suits, and the text of a card."""

from kozyr.envs.core.quote import quote

RANKS = "23456789TJQKA"
SUITS = "CSHD"  # clubs, spades, hearts, diamonds


def name(card: int, ranks: int) -> str:
    """Return the text of a card, as "TH", in a deck whose suits hold the `ranks` highest ranks."""
    return RANKS[len(RANKS) - ranks + card % ranks] + SUITS[card // ranks]


def number(text: str, ranks: int) -> int:
    """Return the index of the card that `text` names; the inverse of `name`."""
    if len(text) == 2 and text[0] in RANKS[-ranks:] and text[1] in SUITS:
        return SUITS.index(text[1]) * ranks + RANKS[-ranks:].index(text[0])
    raise ValueError(f"{quote(text)} is no card of this deck: write a rank of {RANKS[-ranks:]} and a suit of {SUITS}")


def names(cards: list[int], ranks: int) -> str:
    """Return the text of several cards, or a dash if there are none."""
    return " ".join(name(card, ranks) for card in cards) or "-"


def numbers(text: str, ranks: int) -> list[int]:
    """Return the indices of several cards; the inverse of `names`."""
    return [] if text.strip() == "-" else [number(word, ranks) for word in text.split()]
