"""Daifugo: its options, and how a state is laid out. § points to the paragraphs of RULES.md."""

from typing import NamedTuple

import numpy as np

from kozyr.envs.core.state import layout
from kozyr.envs.core.variant import Field, describe

SEATS, RANKS, SUITS = 8, 13, 4  # the largest game; a natural set has up to SUITS cards
SETS = SUITS * RANKS + 1  # that can be laid in a round, one card each
GIFTS = 2  # cards that the last gives to the first
JOKER = RANKS  # rank of the lone joker and its place in a hand; in `top`: no limit is known
FROM_EIGHT = 8  # ranks from the eight upward
LEADER, THREE_OF_DIAMONDS = 0, 1  # who begins a round: see `start`
DISQUALIFIES, PASSES = 0, 1  # what an illegal set does: see `illegal_set`
SUITED_SEATS = 5  # seats from which on no hand of a deck with suits has more than 11 cards


class Variant(NamedTuple):
    """The options of the game."""

    players: int = 5
    ranks: int = RANKS
    joker: bool = True
    rounds: int = 1
    pass_lockout: bool = False
    revolution: bool = False
    eight_stop: bool = False
    exchange: bool = False
    dethrone: bool = False
    history: bool = False
    suits: bool = False
    sequences: bool = False
    suit_lock: bool = False
    spade_three: bool = False
    owner_answers: bool = False
    leader_may_pass: bool = False
    start: int = LEADER
    reseat: int = 0
    forget: int = 0
    pass_limit: int = 0
    illegal_set: int = DISQUALIFIES
    foul_finish: bool = False


FIELDS = {
    "players": Field("number of seats (§1)", 2, SEATS),
    "ranks": Field("ranks in the deck, the strongest of 3 … K, A, 2 (§1)", 2, RANKS),
    "joker": Field("one joker is in the deck (§1)"),
    "rounds": Field("rounds an episode (§8)", 1, 300),
    "pass_lockout": Field("who passes is out of the trick (§5)"),
    "revolution": Field("a set of four turns the order of the ranks round (§9)"),
    "eight_stop": Field("a set of eights clears the pile at once (§10)"),
    "exchange": Field("from the second round on, cards are exchanged before play (§11)"),
    "dethrone": Field("a first who is not first again drops to the last place (§12)"),
    "history": Field("the view tells who laid which set in this round, from the first on (§13)"),
    "suits": Field("cards have suits, and so have sets (§15)", later=True),
    "sequences": Field("three or more cards of a suit in a row are a set (§16)", later=True),
    "suit_lock": Field("an answer in the suits of what it answers binds all others to them (§17)", later=True),
    "spade_three": Field("the three of spades beats the lone joker (§18)", later=True),
    "owner_answers": Field("who laid the set on the pile is asked too before it is cleared (§19)", later=True),
    "leader_may_pass": Field("who leads may pass (§19)", later=True),
    "start": Field("who begins a round (§20)", choices=("leader", "three_of_diamonds"), later=True),
    "reseat": Field("rounds after which the order of turns is drawn anew; 0: never (§20)", 0, 100, later=True),
    "forget": Field("rounds after which the places are forgotten; 0: never (§20)", 0, 100, later=True),
    "pass_limit": Field("passes in a row that end a round, places drawn; 0: none do (§21)", 0, 100, later=True),
    "illegal_set": Field("what a bad move does (§14)", choices=("disqualify", "pass"), later=True),
    "foul_finish": Field("who goes out with a forbidden last set takes the last free place (§22)", later=True),
}
PRESETS = {
    "house": {"rounds": 4, "revolution": True, "eight_stop": True, "exchange": True, "dethrone": True},
    "uecda": {
        "players": 5,
        "rounds": 100,
        "pass_lockout": True,
        "revolution": True,
        "eight_stop": True,
        "exchange": True,
        "suits": True,
        "sequences": True,
        "suit_lock": True,
        "spade_three": True,
        "owner_answers": True,
        "leader_may_pass": True,
        "start": "three_of_diamonds",
        "reseat": 3,
        "forget": 100,
        "pass_limit": 20,
        "illegal_set": "pass",
    },
}
_OF_SUITS = (
    "sequences", "suit_lock", "spade_three", "owner_answers", "leader_may_pass", "start", "reseat", "forget",
    "pass_limit",
)  # fmt: skip

STATE = layout(
    SEATS,
    ("hand", np.int8, (SEATS, RANKS + 1)),  # cards of each rank in each hand
    ("known", np.int8, (SEATS, RANKS + 1)),  # how many of them everybody knows to be there
    ("top", np.int8, SEATS),  # a seat's other cards are no stronger than this rank; JOKER: nothing is known
    ("count", np.int32, SEATS),  # cards in each hand
    ("played", np.int8, RANKS + 1),  # cards of each rank played in this round
    ("laid", np.int32),  # cards in the set on the pile, 0 if the pile is empty
    ("rank", np.int32),  # rank of that set, or NO_RANK
    ("jokered", np.int32),  # 1 if the joker is in it
    ("owner", np.int32),  # seat that laid it, or NOBODY
    ("passed", np.int8, SEATS),  # 1 for seats that have passed since (with `pass_lockout`: in this trick)
    ("place", np.int8, SEATS),  # places taken in this round, the first is 0; IN: still in play
    ("before", np.int8, SEATS),  # places of the round before; IN in the first round, or if they are forgotten
    ("next_of", np.int8, SEATS),  # the seat that follows each in the order of turns
    ("total", np.int32, SEATS),  # sum of each seat's places in the finished rounds
    ("taken", np.int32),  # places taken from the first on
    ("upside", np.int32),  # 1 while the order of the ranks is turned round
    ("phase", np.int32),  # PLAY, GIVE_FIRST or GIVE_SECOND
    ("gives", np.int32),  # cards that the seat to move has still to give
    ("rounds", np.int32),  # rounds begun
    ("log", np.int32),  # sets laid in this round; with `history` alone, as the next three
    ("log_seat", np.int8, SETS),  # who laid each
    ("log_set", np.int16, SETS),  # its action
    ("log_lead", np.int8, SETS),  # 1 if it led a trick
    # With `suits` alone, in place of `hand`, `known`, `played`, `rank` and `jokered`; `top` is a strength there:
    ("cards", np.int16, (SEATS, SUITS + 1)),  # bit r for rank r of each suit in each hand; last the joker, 0 or 1
    ("gone", np.int16, SUITS + 1),  # the same of the cards played in this round
    ("gave", np.int16, (SEATS, SUITS + 1)),  # the same of the cards that each seat has given in the exchange
    ("lies", np.int32),  # action of the set on the pile, 0 if the pile is empty
    ("bound", np.int32),  # suit mask that answers must have, 0 if none
    ("leads", np.int32),  # seat that leads when the pile is cleared, if it is still in
    ("passes", np.int32),  # passes in a row, counted with `pass_limit` alone
)


def complaint(v: Variant) -> str:
    """Return the reason why a variant is impossible, or ""."""
    for name in ("exchange", "dethrone"):
        if getattr(v, name) and v.rounds == 1:
            return f"{name}=True with rounds=1 has no meaning: it looks at the round before; choose rounds from 2 on"
    if v.eight_stop and v.ranks < FROM_EIGHT:
        return f"eight_stop=True with ranks={v.ranks} has no meaning: a deck has eights from ranks={FROM_EIGHT} on"
    for name in ("dethrone", "suits"):
        if v.foul_finish and getattr(v, name):
            return f"foul_finish=True is not there with {name}=True: leave one of them out"
    return _complaint_of_suits(v)


def _complaint_of_suits(v: Variant) -> str:
    """Return the reason why a variant with suits, or with rules that need them, is impossible, or ""."""
    if not v.suits:
        for name in _OF_SUITS:
            if getattr(v, name):
                return f"{name}={describe(v, FIELDS)[name]!r} needs suits=True"
        return ""
    if v.players < SUITED_SEATS or v.ranks != RANKS:
        return f"suits=True needs players from {SUITED_SEATS} on and ranks={RANKS}: sets are numbered for such hands"
    if v.dethrone:
        return "dethrone=True is not there with suits=True: leave one of them out"
    if v.spade_three and not v.joker:
        return "spade_three=True with joker=False has no meaning: it beats the lone joker"
    if v.leader_may_pass and not v.pass_limit:
        return "leader_may_pass=True needs a pass_limit: choose pass_limit from 1 on, or all could pass for ever"
    return ""


def bound(v: Variant) -> int:
    """Return the plies within which random play is over: between two sets lie as many passes as there can be."""
    cards = SUITS * v.ranks + v.joker
    return v.rounds * (max(v.players * cards, v.pass_limit * (cards + 1) if v.pass_limit else 0) + GIFTS + 1)
