"""The worlds in which Daifugo's looking-ahead players search fit the view, and what the others have done so far."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from math import comb, prod
from typing import Any

import numpy as np
import pytest

from kozyr import agents
from kozyr.agents.daifugo import LADDER, beliefs
from kozyr.agents.search.determinization import PAST, Scratch, scratch
from kozyr.envs import registry
from kozyr.envs.compile import jit
from kozyr.envs.core.rng import generators, spread
from kozyr.envs.daifugo import GAME
from kozyr.envs.daifugo.actions import KIND, NATURAL, RANK, WITH_JOKER
from kozyr.envs.daifugo.round import PLAY
from kozyr.envs.daifugo.suited.rules import DIAMONDS, strength
from kozyr.envs.daifugo.suited.sets import CARDS_OF, COLUMNS, JOKERED, SUITS
from kozyr.envs.daifugo.suited.view import put
from kozyr.envs.daifugo.variant import JOKER
from kozyr.envs.loops import tables
from tests.contract import variants
from tests.contract.table import Table

registry.seat_bots(GAME)

HEURISTIC = LADDER.index("heuristic")
SMALL = GAME.make_variant(players=3, ranks=4, joker=False, history=True)
LOCAL = {"revolution": True, "eight_stop": True, "pass_lockout": True}
ROUNDS = {"rounds": 3, "exchange": True, "dethrone": True, "revolution": True}
UECDA = {"rules": "uecda", "rounds": 3}
FEW = 8  # hidden cards, so few that every way to hold them can be tried
DRAWN = 40_000

Moment = tuple[Table, int]  # before an action, and the action


def chosen(v: Any, level: int, table: Table, rngs: Any) -> int:
    """Return the action of a scripted player."""
    action = np.zeros(1, np.int64)
    tables.choose_batch(v, level, table.view(table.turn)[None], table.mask()[None], rngs, action)
    return int(action[0])


def game(v: Any, seed: int, level: int = HEURISTIC) -> Iterator[tuple[Table, list[Moment]]]:
    """Give a table at every decision of a game between equal players, and what was done in the round before."""
    table, past, rngs = Table(GAME, v, seed), list[Moment](), generators(seed, 1)
    rounds = 1
    while not table.over:
        if table.s.rounds != rounds:
            rounds, past = int(table.s.rounds), []
        if table.s.phase == PLAY:
            yield table, past
        action = chosen(v, level, table, rngs)
        if table.s.phase == PLAY:
            past.append((table.copy(), action))
        table.play(action)


def truth(table: Table) -> Any:
    """Return the state as the seat to move would imagine it if it saw all cards."""
    states = table.imagined(table.turn, 1).states
    for k in range(table.seats):
        j = (table.turn + k) % table.seats
        states[0].hand[k], states[0].cards[k] = table.s.hand[j], table.s.cards[j]
    return states


@jit
def surprises(v: Any, level: int, board: Scratch, found: Any) -> int:
    board.notes[0] = beliefs.recall(v, board)
    for k in range(1, v.players):
        found[k] = beliefs.surprises(v, board.states[0], k, level, PAST, board)
    return board.notes[0]


@pytest.mark.parametrize(
    "options", [{}, {"players": 4, **LOCAL}, {"players": 4, **ROUNDS}, {"players": 2, **ROUNDS}, UECDA]
)
def test_what_scripted_players_do_is_no_surprise_with_their_true_hands(options: dict[str, Any]) -> None:
    v = GAME.make_variant(history=True, **options)
    board, found = scratch(GAME, v), np.zeros(v.players, np.int64)
    for seed in range(6):
        for table, past in game(v, seed):
            board.states[:1] = truth(table)
            assert surprises(v, HEURISTIC, board, found) == sum(before.turn != table.turn for before, _ in past)
            assert not found.any()


@pytest.mark.parametrize("seed", [0, 5, 8])  # the one who begins passes
def test_passes_of_those_who_lead_are_played_again(seed: int) -> None:
    v = GAME.make_variant(history=True, **UECDA)
    board, found, compared = scratch(GAME, v), np.zeros(v.players, np.int64), 0
    for table, past in game(v, seed, LADDER.index("random")):
        diamonds = table.s.gone[DIAMONDS] | table.s.cards[table.turn, DIAMONDS]
        begun = past and past[0][1] == 0 and (diamonds & 1 or table.s.log == 0)  # and it is known by whom
        if begun and table.s.log < 20:  # later, all may pass one after the other, and nothing tells
            board.states[:1], compared = truth(table), compared + 1
            assert surprises(v, HEURISTIC, board, found) == sum(before.turn != table.turn for before, _ in past)
    assert compared > 5


def test_what_random_players_do_is_a_surprise() -> None:
    v = GAME.make_variant(players=4, history=True)
    board, found, total = scratch(GAME, v), np.zeros(v.players, np.int64), 0
    for table, _ in game(v, 1, LADDER.index("random")):
        board.states[:1] = truth(table)
        surprises(v, HEURISTIC, board, found)
        total += found.sum()
    assert total > 100


@pytest.mark.parametrize("level", ["random", "heuristic"])
def test_worlds_fit_the_view(level: str) -> None:
    drawn = [*variants.drawn(GAME, 25, seed=8), *(GAME.make_variant(rules="uecda", rounds=n) for n in (2, 3))]
    for i, v in enumerate(drawn):
        v = v._replace(history=True, rounds=min(v.rounds, 3))
        v = v if v.rounds > 1 else v._replace(exchange=False, dethrone=False)
        board, rng = scratch(GAME, v), np.random.default_rng(i)
        for ply, (table, _) in enumerate(game(v, i, LADDER.index("one_card"))):
            if rng.random() > 0.1:
                continue
            view = table.view(table.turn)
            for world in range(4):
                beliefs.believe(v, view, spread(ply, world), world, LADDER.index(level), board)
                np.testing.assert_array_equal(Table.of(GAME, v, board.states[:1]).view(0), view)


def laid(v: Any, action: int) -> Any:
    """Return the cards of a set by rank."""
    cards, kind = np.zeros(JOKER + 1, np.int64), KIND[v.ranks, action]
    if action:
        cards[RANK[v.ranks, action]] += NATURAL[kind]
        cards[JOKER] += WITH_JOKER[kind]
    return cards


def strange(v: Any, past: list[Moment], seat: int, hand: Any) -> int:
    """Count at how many moments a seat that holds `hand` now did not act as the heuristic player would have."""
    held, count = hand.copy(), 0
    for before, action in reversed(past):
        if before.turn == seat:
            held = held + laid(v, action)
            there = before.copy()
            there.s.hand[seat] = held
            count += chosen(v, HEURISTIC, there, generators(1, 1)) != action
    return count


def posterior(table: Table, past: list[Moment]) -> dict[tuple[int, ...], float]:
    """Return how likely each hand of the next seat is: ways to deal it, times SURPRISE for every strange moment.

    It was dealt with what the seat has laid since.
    """
    v, me = table.v, table.turn
    one, other = (me + 1) % 3, (me + 2) % 3
    gone = {
        seat: sum((laid(v, a) for there, a in past if there.turn == seat), np.zeros(JOKER + 1, int))
        for seat in range(3)
    }
    dealt = gone[one] + gone[other] + table.s.hand[one] + table.s.hand[other]
    pool = table.s.hand[one] + table.s.hand[other]
    weights = dict[tuple[int, ...], float]()
    for part in product(*(range(n + 1) for n in pool)):
        if sum(part) == table.s.count[one]:
            hand = np.array(part)
            count = strange(v, past, one, hand) + strange(v, past, other, pool - hand)
            ways = prod(comb(int(n), int(k)) for n, k in zip(dealt, hand + gone[one], strict=True))
            weights[part] = ways * beliefs.SURPRISE**count
    total = sum(weights.values())
    return {hand: weight / total for hand, weight in weights.items()}


@jit
def draw(v: Any, view: Any, level: int, board: Scratch, hands: Any) -> None:
    for world in range(len(hands)):
        beliefs.believe(v, view, spread(3, world), world, level, board)
        for r in range(hands.shape[1]):
            hands[world, r] = board.states[0].hand[1, r]


@pytest.mark.long
def test_hands_come_as_often_as_they_are_likely() -> None:
    compared, sharp = 0, 0
    for seed in range(12):
        for ply, (table, past) in enumerate(game(SMALL, seed)):
            if ply not in (5, 8) or table.s.count[: SMALL.players].min() == 0:
                continue
            expected = posterior(table, past)
            board, hands = scratch(GAME, SMALL), np.zeros((DRAWN, JOKER + 1), np.int64)
            draw(SMALL, table.view(table.turn), HEURISTIC, board, hands)
            found = Counter(map(tuple, hands.tolist()))
            assert set(found) <= set(expected)
            off = sum(abs(found[hand] / DRAWN - chance) for hand, chance in expected.items()) / 2
            assert off < 0.05, (seed, ply, off)
            compared += 1
            sharp += max(expected.values()) > 0.3
    assert compared > 10
    assert sharp > 3


def test_a_policy_that_knows_no_history_plays_as_it_does_without() -> None:
    pytest.importorskip("onnxruntime")
    plain, told = (agents.load("daifugo:policy", players=4, history=history) for history in (False, True))
    v = GAME.make_variant(players=4, history=True)
    for table, _ in game(v, 3):
        view, mask = table.view(table.turn), table.mask()
        assert told.act(view, mask) == plain.act(view[: GAME.size(plain.variant)], mask)
    with pytest.raises(ValueError, match="players=4, not 3"):
        plain.require(GAME, GAME.make_variant(players=3, history=True))


def test_a_policy_refuses_views_that_are_not_its_own_with_more_at_the_end() -> None:
    pytest.importorskip("onnxruntime")
    policy, other = agents.load("daifugo:policy", players=4), Table(GAME, GAME.make_variant(players=5), 1)
    with pytest.raises(ValueError, match="have shape"):
        policy.act(other.view(other.turn), other.mask())


def as_bits(cards: Any) -> Any:
    """Return cards with suits as a mask for each suit, the joker last."""
    masks = np.zeros(SUITS + 1, np.int16)
    for card in cards:
        put(masks, card)
    return masks


def numbers(masks: Any) -> tuple[int, ...]:
    """Return the numbers of the cards that masks hold."""
    return tuple(row * COLUMNS + r for row in range(SUITS + 1) for r in range(COLUMNS) if masks[row] >> r & 1)


def ways(cards: tuple[int, ...], sizes: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """Give every way to deal cards out to hands of these sizes."""
    if not sizes:
        yield []
        return
    for hand in combinations(cards, sizes[0]):
        for rest in ways(tuple(card for card in cards if card not in hand), sizes[1:]):
            yield [hand, *rest]


def suited_strange(v: Any, past: list[Moment], seat: int, hand: Any) -> int:
    """Count as `strange` does, where cards have suits."""
    held, count = hand.copy(), 0
    for before, action in reversed(past):
        if before.turn == seat:
            held[:SUITS] |= CARDS_OF[action]
            held[SUITS] |= JOKERED[action]
            there = before.copy()
            there.s.cards[seat] = held
            count += chosen(v, HEURISTIC, there, generators(1, 1)) != action
    return count


def suited_posterior(table: Table, past: list[Moment]) -> dict[tuple[int, ...], float]:
    """Return how likely each way is in which the others may hold their cards, hand after hand."""
    v, here = table.v, table.imagined(table.turn, 1).states[0]
    given = [numbers(here.cards[k] & here.gave[0]) for k in range(v.players)]
    pool = tuple(sorted(card for k in range(1, v.players) for card in numbers(here.cards[k] & ~here.gave[0])))
    weights, known = dict[tuple[int, ...], float](), dict[tuple[int, Any], int]()
    for hands in ways(pool, [int(here.count[k]) - len(given[k]) for k in range(1, v.players)]):
        count = 0
        for k, hand in enumerate(hands, 1):
            if any(strength(card) >= here.top[k] for card in hand):
                break
            if (k, hand) not in known:
                seat = (table.turn + k) % v.players
                known[k, hand] = suited_strange(v, past, seat, as_bits([*hand, *given[k]]))
            count += known[k, hand]
        else:
            weights[tuple(card for hand in hands for card in hand)] = beliefs.SURPRISE**count
    total = sum(weights.values())
    return {way: weight / total for way, weight in weights.items()}


@jit
def draw_suited(v: Any, view: Any, level: int, board: Scratch, hands: Any) -> None:
    for world in range(len(hands)):
        beliefs.believe(v, view, spread(3, world), world, level, board)
        for k in range(v.players):
            for row in range(SUITS + 1):
                hands[world, k, row] = board.states[0].cards[k, row]


@pytest.mark.long
def test_hands_with_suits_come_as_often_as_they_are_likely() -> None:
    v = GAME.make_variant(rules="uecda", rounds=2, history=True)
    sharp = list[bool]()
    for seed in range(16):
        for table, past in game(v, seed):
            hidden = int(table.s.count[: v.players].sum() - table.s.count[table.turn])
            if hidden > FEW or (table.s.place[: v.players] < 0).sum() < 3 or table.s.count.max() > 5:
                continue
            expected = suited_posterior(table, past)
            board, drawn = scratch(GAME, v), np.zeros((DRAWN // 10, v.players, SUITS + 1), np.int16)
            draw_suited(v, table.view(table.turn), HEURISTIC, board, drawn)
            gave = table.imagined(table.turn, 1).states[0].gave[0]
            found = Counter(tuple(c for k in range(1, v.players) for c in numbers(one[k] & ~gave)) for one in drawn)
            assert set(found) <= set(expected)
            off = sum(abs(found[way] / len(drawn) - chance) for way, chance in expected.items()) / 2
            assert off < 0.1, (seed, hidden, off)
            sharp.append(max(expected.values()) > 0.3)
            break
    assert len(sharp) > 10
    assert sum(sharp) > 3
