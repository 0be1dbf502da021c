"""Status, cards, sets and what is known of a seat in words, as texts of the whole position and of a seat have them."""

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.core.text_lines import seat_number
from kozyr.envs.daifugo.actions import PASS, action_name, parse
from kozyr.envs.daifugo.round import GIVE_FIRST, GIVE_SECOND, PLAY
from kozyr.envs.daifugo.rules import cards
from kozyr.envs.daifugo.suited.words import RANK_LETTERS, STAR
from kozyr.envs.daifugo.variant import JOKER, SUITS, Variant

MARKS = (
    r"(?:, known (?P<known>[^,]+))?(?:, top (?P<top>[^,]))?(?:, (?P<passed>passed))?"
    r"(?:, place (?P<place>[1-8]))?(?:, before (?P<before>[1-8]))?(?:, total (?P<total>[0-9]{1,4}))?"
)
_SET = re.compile(r"player_(?P<seat>[0-7])(?P<lead> leads)? (?P<set>\S+)")
_PILE = re.compile(r"(?P<cards>\S+) by player_(?P<owner>[0-7])")
PHASES = {None: PLAY, "first": GIVE_FIRST, "second": GIVE_SECOND}


class Laid(NamedTuple):
    """A set that somebody has laid."""

    seat: int
    lead: bool
    action: int


class Pile(NamedTuple):
    """The set to be beaten; the rank is the joker's only if it lies alone."""

    size: int
    jokered: int
    rank: int
    owner: int


def names(v: Variant, counts: Any) -> str:
    """Return counts by rank as text: "335T*", or a dash."""
    each = np.asarray(counts).astype(np.int64).tolist()
    letters = map(str.__mul__, RANK_LETTERS[-v.ranks :], each)  # counts beyond the ranks, but for the joker's, are 0
    return "".join(letters) + STAR * each[JOKER] or "-"


def counts_of(v: Variant, text: str) -> NDArray[np.int8]:
    """Return cards written without gaps, in any order, as counts by rank."""
    counts = np.zeros(JOKER + 1, np.int8)
    letters = RANK_LETTERS[-v.ranks :] + STAR * v.joker
    for letter in "" if text == "-" else text:
        if letter not in letters:
            raise ValueError(f"{quote(letter)} in {quote(text)} is no card of this deck: its cards are {letters}")
        counts[JOKER if letter == STAR else letters.index(letter)] += 1
        if counts.max() > SUITS:
            raise ValueError(f"{quote(text)} holds {letter} more than {SUITS} times")
    return counts


def marks(v: Variant, known: Any, top: int, passed: bool, place: int, before: int, total: int) -> str:
    """Return the marks of a seat, all that is known of it but its cards, as MARKS reads it; 0 is no place."""
    told = [
        (known.any(), f"known {names(v, known)}"),
        (top != JOKER, f"top {RANK_LETTERS[top - v.ranks] if top != JOKER else ''}"),
        (passed, "passed"),
        (place, f"place {place}"),
        (before, f"before {before}"),
        (v.rounds > 1, f"total {total}"),
    ]
    return "".join(f", {text}" for holds, text in told if holds)


def top_of(v: Variant, text: str | None) -> int:
    """Return the rank that a seat's other cards do not exceed, the joker's if nothing is said."""
    return int(np.flatnonzero(counts_of(v, text))[0]) if text else JOKER


def write_pile(v: Variant, it: Pile) -> str:
    """Return the pile as text."""
    if not it.size:
        return "-"
    return f"{RANK_LETTERS[it.rank - v.ranks] * (it.size - it.jokered)}{STAR * it.jokered} by player_{it.owner}"


def read_pile(v: Variant, content: str) -> Pile | None:
    """Return the pile that `write_pile` wrote, None without cards."""
    if content == "-":
        return None
    match = _PILE.fullmatch(content)
    counts = counts_of(v, match["cards"]) if match else np.zeros(JOKER + 1, np.int8)
    ranks = np.flatnonzero(counts[:JOKER])
    if not match or len(ranks) > 1 or not 1 <= counts.sum() <= SUITS or int(match["owner"]) >= v.players:
        raise ValueError(f"not a pile: {quote(content)}; write one set and its owner, as '77* by player_0', or '-'")
    return Pile(int(counts.sum()), int(counts[JOKER]), int(ranks[0]) if len(ranks) else JOKER, int(match["owner"]))


def write_sets(v: Variant, laid: list[Laid]) -> str:
    """Return the sets laid in a round as text."""
    told = [f"player_{it.seat}{' leads' if it.lead else ''} {action_name(v, it.action)}" for it in laid]
    return ", ".join(told) or "-"


def read_sets(v: Variant, content: str) -> list[Laid]:
    """Return the sets that `write_sets` wrote."""
    told = [] if content == "-" else content.split(",")
    if len(told) > cards(v):
        raise ValueError(f"{len(told)} sets cannot be laid with {cards(v)} cards")
    laid: list[Laid] = []
    for words in told:
        match = _SET.fullmatch(words.strip())
        if not match or int(match["seat"]) >= v.players or parse(v, match["set"]) == PASS:
            raise ValueError(f"not a set that was laid: {quote(words.strip())}; write it as 'player_0 leads 77*'")
        laid.append(Laid(int(match["seat"]), match["lead"] is not None, parse(v, match["set"])))
    return laid


def fill_status(v: Variant, s: Any, fields: dict[str, str | None]) -> None:
    """Fill in turn, round, luck, order of ranks and phase.

    Raises:
        ValueError: for a seat, a number or a revolution that the variant does not have.
    """
    for key in ("starter", "turn"):
        seat_number(fields[key], v.players)
    for key in ("starter", "rounds", "gives", "ply"):
        s[key] = int(fields[key] or 0)
    s.turn = OVER if fields["turn"] is None else int(fields["turn"])
    s.phase, s.upside = PHASES[fields["phase"]], fields["upside"] is not None
    luck = int(fields["luck"] or 0)
    if luck >= 2**64:
        raise ValueError(f"luck {luck} is not allowed: it is a whole number below 2⁶⁴")
    s.rng = np.uint64(luck)
    if not 1 <= s.rounds <= v.rounds:
        raise ValueError(f"round {s.rounds} is not one of the {v.rounds} that are played")
    if s.upside and not v.revolution:
        raise ValueError("there is no revolution here: this variant has none (revolution=False)")
