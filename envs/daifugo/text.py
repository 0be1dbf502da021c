"""Positions and actions as text: a status line, a line a seat, then the pile and the cards played.

    player_1 began, player_0 to move, round 2, luck 10615391314449192864, ply 52
    player_0: JJQQK, known JK, top A, before 3, total 2
    player_1: -, place 1, before 1, total 0
    player_2: JKAA2, before 2, total 1
    pile: KK by player_1
    played: JQQKKAA222*

Cards are named by rank, without suits, and the joker is "*"; the set on the pile is among the cards played. Places
count from 1. "known" are cards that everybody knows to be in a hand, "top" is the rank that the others do not exceed,
"before" the place in the round before, "total" the sum of places in finished rounds, the first counted as 0. "luck" is
the generator from which the rounds to come are dealt. With `history` a last line has all sets laid in this round:

    sets: player_0 leads J, player_2 2, player_2 leads A, player_1 2
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import verify
from kozyr.envs.daifugo.exchange import GIVE_FIRST, GIVE_SECOND, PLAY, TWO_EXCHANGES
from kozyr.envs.daifugo.rules import (
    IN,
    JOKER,
    KIND,
    LETTERS,
    NATURAL,
    RANK,
    STATE,
    SUITS,
    WITH_JOKER,
    Variant,
    cards,
    clear_table,
    order_turns,
    pay_out,
    seat_in_order,
)

_STAR = "*"
_SHAPE = "player_0 began, player_0 to move, round 1"
_STATUS = re.compile(
    r"player_(?P<starter>[0-7]) began, (?:player_(?P<turn>[0-7]) to move|over), round (?P<rounds>[0-9]{1,3})"
    r"(?:, luck (?P<luck>[0-9]{1,20}))?(?:, (?P<upside>revolution))?"
    r"(?:, (?P<phase>first|second) gives (?P<gives>[12]))?(?:, ply (?P<ply>[0-9]{1,9}))?"
)
_HAND = re.compile(
    r"(?P<hand>[^,]+?)(?:, known (?P<known>[^,]+))?(?:, top (?P<top>[^,]))?(?:, (?P<passed>passed))?"
    r"(?:, place (?P<place>[1-8]))?(?:, before (?P<before>[1-8]))?(?:, total (?P<total>[0-9]{1,3}))?"
)
_SET = re.compile(r"player_(?P<seat>[0-7])(?P<lead> leads)? (?P<set>\S+)")
_PILE = re.compile(r"(?P<cards>\S+) by player_(?P<owner>[0-7])")


def say(v: Variant, s: Any, action: int, seat: int | None = None) -> str:
    """Return an action as text: "pass", a set such as "77" or "77*", or "*"; everybody hears the same."""
    return "pass" if action == 0 else _set(v, action)


def _set(v: Variant, action: int) -> str:
    """Return the cards of a set, the lone joker as "*"."""
    kind = KIND[v.ranks, action]
    return LETTERS[RANK[v.ranks, action] - v.ranks] * NATURAL[kind] + _STAR * WITH_JOKER[kind]


def parse(v: Variant, text: str) -> int:
    """Return the action that `text` names.

    Raises:
        ValueError: if the text names no action of this variant.
    """
    word = text.strip().upper()
    if word == "PASS":
        return 0
    natural = word.removesuffix(_STAR)
    joker, size = len(word) - len(natural), len(word)
    ranks = LETTERS[-v.ranks :]
    if word == _STAR:
        return (2 * SUITS - 1) * v.ranks + 1
    if not natural or natural != natural[0] * len(natural) or natural[0] not in ranks or size > SUITS:
        raise ValueError(
            f"{text!r} is no action: write pass, one to four cards of a rank of {ranks} such as 77 or 77*, or *"
        )
    kind = SUITS + size - 2 if joker else size - 1
    return 1 + kind * v.ranks + ranks.index(natural[0])


def _counts(v: Variant, text: str) -> NDArray[np.int8]:
    """Return cards written without gaps, in any order, as counts by rank."""
    counts = np.zeros(JOKER + 1, np.int8)
    letters = LETTERS[-v.ranks :] + _STAR * v.joker
    for letter in "" if text == "-" else text:
        if letter not in letters:
            raise ValueError(f"{letter!r} in {text!r} is no card of this deck: its cards are {letters}")
        counts[JOKER if letter == _STAR else letters.index(letter)] += 1
        if counts.max() > SUITS:
            raise ValueError(f"{text!r} holds {letter} more than {SUITS} times")
    return counts


def write(v: Variant, s: Any, seat: int | None = None) -> str:
    """Return the whole position, hidden cards and the generator of rounds to come too."""
    pile = "-"
    if s.laid:
        natural = int(s.laid - s.jokered)
        pile = f"{LETTERS[s.rank - v.ranks] * natural}{_STAR * int(s.jokered)} by player_{s.owner}"
    return "\n".join(
        [
            _status(v, s),
            *(f"player_{k}: {_hand(v, s, k)}" for k in range(v.players)),
            f"pile: {pile}",
            f"played: {verify.names(v, s.played)}",
            *([f"sets: {_log(v, s)}"] if v.history else []),
        ]
    )


def _status(v: Variant, s: Any) -> str:
    """Say what the cards do not show; what is not the case is left out."""
    gives = f", {'first' if s.phase == GIVE_FIRST else 'second'} gives {s.gives}" if s.phase != PLAY else ""
    return (
        f"player_{s.starter} began, {'over' if s.turn == OVER else f'player_{s.turn} to move'}, round {s.rounds}"
        f"{f', luck {s.rng}' if s.rounds < v.rounds else ''}{', revolution' if s.upside else ''}{gives}, ply {s.ply}"
    )


def _log(v: Variant, s: Any) -> str:
    """Return the sets laid in this round and who laid them."""
    leads = ["", " leads"]
    laid = [f"player_{s.log_seat[i]}{leads[s.log_lead[i]]} {_set(v, s.log_set[i])}" for i in range(s.log)]
    return ", ".join(laid) or "-"


def _hand(v: Variant, s: Any, seat: int) -> str:
    """Return the cards of a seat and all that is known of it."""
    marks = [
        (s.known[seat].any(), f"known {verify.names(v, s.known[seat])}"),
        (s.top[seat] != JOKER, f"top {LETTERS[s.top[seat] - v.ranks] if s.top[seat] != JOKER else ''}"),
        (s.passed[seat], "passed"),
        (s.place[seat] != IN, f"place {s.place[seat] + 1}"),
        (s.before[seat] != IN, f"before {s.before[seat] + 1}"),
        (v.rounds > 1, f"total {s.total[seat]}"),
    ]
    return ", ".join([verify.names(v, s.hand[seat]), *(text for holds, text in marks if holds)])


def read(v: Variant, text: str) -> NDArray[Any]:
    """Return a position as an array of one state; the inverse of `write`.

    "luck", "revolution", "ply" and all that follows the cards of a seat may be left out.

    Raises:
        ValueError: if the text is no position of this variant.
    """
    lines = text.strip().splitlines()
    labels = [*(f"player_{k}" for k in range(v.players)), "pile", "played", *(["sets"] if v.history else [])]
    if len(lines) != len(labels) + 1:
        raise ValueError(
            f"a position has {len(labels) + 1} lines: a status line, then {', '.join(labels)}; not {len(lines)}"
        )
    found = _STATUS.fullmatch(lines[0].strip())
    if not found:
        raise ValueError(f"not a status line: {lines[0].strip()!r}; write it as {_SHAPE!r}")
    contents = [_content(*pair) for pair in zip(lines[1:], labels, strict=True)]
    hands, (pile, played, *sets) = contents[: v.players], contents[v.players :]
    states = np.zeros(1, STATE)
    s: Any = states[0]
    seat_in_order(v, s)
    clear_table(s)
    _read_status(v, s, found.groupdict())
    for seat, hand in enumerate(hands):
        _read_hand(v, s, seat, hand)
    s.played[:] = _counts(v, played)
    _read_pile(v, s, pile)
    for log in sets:
        _read_log(v, s, log)
    verify.cards_fit(v, s)
    verify.places_fit(v, s)
    verify.turn_fits(v, s)
    s.taken = np.count_nonzero((s.place >= 0) & (s.place < v.players - 1))
    if s.rounds > 1:
        order_turns(v, s)
    if s.turn == OVER:
        s.total = s.place if v.rounds == 1 else s.total
        pay_out(v, s)
    return states


def _content(line: str, label: str) -> str:
    """Return what stands after a line's label."""
    head, colon, content = line.partition(":")
    if not colon or head.strip() != label:
        raise ValueError(f"{line.strip()!r} stands where the line '{label}: …' belongs")
    return content.strip()


def _read_status(v: Variant, s: Any, found: dict[str, str | None]) -> None:
    """Fill in turn, round, luck, order of ranks and phase."""
    for key in ("starter", "turn"):
        if int(found[key] or 0) >= v.players:
            raise ValueError(f"there is no player_{found[key]} among {v.players} players")
    for key in ("starter", "rounds", "gives", "ply"):
        s[key] = int(found[key] or 0)
    s.turn = OVER if found["turn"] is None else int(found["turn"])
    s.phase = {None: PLAY, "first": GIVE_FIRST, "second": GIVE_SECOND}[found["phase"]]
    s.upside = found["upside"] is not None
    luck = int(found["luck"] or 0)
    if luck >= 2**64:
        raise ValueError(f"luck {luck} is not allowed: it is a whole number below 2⁶⁴")
    s.rng = np.uint64(luck)
    if not 1 <= s.rounds <= v.rounds:
        raise ValueError(f"round {s.rounds} is not one of the {v.rounds} that are played")
    if s.upside and not v.revolution:
        raise ValueError("there is no revolution here: it was not agreed (revolution=False)")
    if s.phase != PLAY and not (v.exchange and s.rounds > 1):
        raise ValueError(f"nothing is given in round {s.rounds}: that needs exchange=True and a round before")
    if s.phase == GIVE_SECOND and v.players < TWO_EXCHANGES:
        raise ValueError(f"the second gives nothing among {v.players} players: that needs {TWO_EXCHANGES}")


def _read_hand(v: Variant, s: Any, seat: int, content: str) -> None:
    """Fill in a hand and what is known of its seat."""
    found = _HAND.fullmatch(content)
    if not found:
        raise ValueError(f"not a hand: {content!r} of player_{seat}; write it as '335T*' or '335T*, passed', or '-'")
    s.hand[seat] = _counts(v, found["hand"])
    s.count[seat] = s.hand[seat].sum()
    s.known[seat] = _counts(v, found["known"] or "-")
    s.passed[seat] = found["passed"] is not None
    s.place[seat], s.before[seat] = int(found["place"] or 0) - 1, int(found["before"] or 0) - 1
    s.total[seat] = int(found["total"] or 0)
    if found["top"]:
        s.top[seat] = np.flatnonzero(_counts(v, found["top"]))[0]
    if (s.known[seat] > s.hand[seat]).any():
        raise ValueError(f"player_{seat} is known to hold {found['known']}, but does not: {found['hand']}")
    hidden = np.flatnonzero(s.hand[seat] - s.known[seat])
    if len(hidden) and hidden[-1] > s.top[seat]:
        raise ValueError(f"player_{seat} holds cards above {found['top']} that nobody knows of: {found['hand']}")
    if not v.exchange and (found["known"] or found["top"]):
        raise ValueError(f"no cards of player_{seat} are known: an exchange was not agreed (exchange=False)")


def _read_pile(v: Variant, s: Any, content: str) -> None:
    """Lay the set on the pile; its cards are among those played."""
    if content == "-":
        return
    found = _PILE.fullmatch(content)
    counts = _counts(v, found["cards"]) if found else np.zeros(JOKER + 1, np.int8)
    ranks = np.flatnonzero(counts[:JOKER])
    if not found or len(ranks) > 1 or not 1 <= counts.sum() <= SUITS or int(found["owner"]) >= v.players:
        raise ValueError(f"not a pile: {content!r}; write one set and its owner, as '77* by player_0', or '-'")
    if (counts > s.played).any():
        raise ValueError(f"the pile {content!r} is not among the cards played: {verify.names(v, s.played)}")
    s.laid, s.jokered, s.owner = counts.sum(), counts[JOKER], int(found["owner"])
    s.rank = ranks[0] if len(ranks) else JOKER


def _read_log(v: Variant, s: Any, content: str) -> None:
    """Fill in the sets laid in this round."""
    laid = [] if content == "-" else content.split(",")
    if len(laid) > cards(v):
        raise ValueError(f"{len(laid)} sets cannot be laid with {cards(v)} cards")
    for i, words in enumerate(laid):
        found = _SET.fullmatch(words.strip())
        if not found or int(found["seat"]) >= v.players or parse(v, found["set"]) == 0:
            raise ValueError(f"not a set that was laid: {words.strip()!r}; write it as 'player_0 leads 77*'")
        s.log_seat[i], s.log_set[i] = int(found["seat"]), parse(v, found["set"])
        s.log_lead[i] = found["lead"] is not None
    s.log = len(laid)
    verify.sets_fit(v, s)
