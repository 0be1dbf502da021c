"""Responders to known players: they remember rightly, see no more than their seat, and win what can be won."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.arena.tournaments.best_response import respond
from kozyr.agents.draw_poker.local_best_response import LocalResponse, RangeSearch
from kozyr.agents.search import responders
from kozyr.agents.search.belief import Belief
from kozyr.agents.search.determinization import scratch
from kozyr.agents.search.history_sampling import (
    HIDDEN,
    History,
    begin_all,
    choices,
    deals,
    memory,
    mend_all,
    retell,
    vary_all,
)
from kozyr.agents.search.response import SearchResponder
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.rules import STOCK
from kozyr.envs.loops.tables import ILLEGAL, deal_one, legal_all, look, step_one

REMEMBERED: list[tuple[str, dict[str, Any]]] = [
    ("durak", {"deck": 36}),
    ("durak", {"deck": 52, "players": 3, "transfer": True, "pile_on": True, "open_trump": True}),
    ("daifugo", {"players": 4, "revolution": True, "eight_stop": True}),
    ("daifugo", {"players": 3, "history": True, "pass_lockout": True}),
]
PAST = 30  # plies


def remembered(game: str, options: dict[str, Any], seat: int = 0, seed: int = 5) -> Any:
    """Return a game, its variant, what a seat has seen of some random plies, and the true state."""
    it = envs.game(game)
    v, rng = it.make_variant(**options), np.random.default_rng(seed)
    state, view = np.zeros(1, it.layout(v)), np.zeros(it.size(v), it.view_dtype)
    mask, mine = np.zeros(it.actions(v), np.int8), np.zeros_like(view)
    turn = deal_one(v, state, seed, -1, view, mask)
    look(v, state, seat, mine)
    history = History(mine)
    while turn != OVER and history.plies < PAST:
        action, actor = int(rng.choice(np.flatnonzero(mask))), (turn - seat) % it.seats(v)
        turn = step_one(v, state, action, view, mask)
        look(v, state, seat, mine)
        history.add(actor, action, mine)
    return it, v, history.past


@pytest.mark.parametrize(("game", "options"), REMEMBERED)
def test_every_imagined_deal_leads_to_all_that_the_seat_has_seen(game, options):
    agents.load(f"{game}:pimc", **options)  # loads what the game says about its worlds
    it, v, past = remembered(game, options)
    found, board = deals(it, v, 50, 3), scratch(it, v)
    begin_all(v, past.views[0], found)
    mend_all(v, past, found, board)
    rows, told = choices(it, v, 50 * PAST), np.zeros(50)
    noted = retell(v, past, found, memory(), told, rows, board)
    assert found.fine.all()
    assert noted % 50 == 0 or game == "daifugo" or noted > 0  # hands differ, and with them what is a choice
    states = found.roots.copy()
    for t, action in enumerate(past.actions):
        for i in range(len(states)):
            one = states[i : i + 1]
            assert int(one["turn"][0]) == past.seats[t]
            legal_all(v, one, board.mask[None])
            assert step_one(v, one, int(action), board.observed, board.mask) != ILLEGAL
            look(v, one, 0, board.observed)
            np.testing.assert_array_equal(board.observed, past.views[t + 1])
    new = deals(it, v, 50, 4)
    assert vary_all(v, found, new) == 50
    retell(v, past, new, memory(), told, rows, board)
    assert new.fine.mean() > 0.3


def test_all_hidden_places_of_a_card_are_equally_likely():
    it, v, past = remembered("durak", {"deck": 20, "hand": 4}, seed=8)
    past = past._replace(views=past.views[:5], seats=past.seats[:4], actions=past.actions[:4])
    agents.load("durak:pimc", deck=20, hand=4)
    n = 20_000
    found = deals(it, v, n, 1)
    begin_all(v, past.views[0], found)
    mend_all(v, past, found, scratch(it, v))
    known = found.states["known"] & found.states["cards"][:, 1]
    hands = (found.states["cards"][:, 1, None] & ~known[:, None]) >> np.arange(20) & 1
    often = hands.mean(0)
    often = often[often > 0]
    assert len(often) > 5
    np.testing.assert_allclose(often, often.mean(), atol=6 * (0.25 / n) ** 0.5)


def test_what_others_have_done_tells_of_their_hands():
    known = agents.load("durak:low", deck=36)
    agents.load("durak:pimc", deck=36)
    it, v = known.game, known.variant
    belief, believed, hidden = Belief(it, v, known, 60), list[float](), list[float]()
    for seed in range(8):
        state: Any = np.zeros(1, it.layout(v))
        view = np.zeros(it.size(v), it.view_dtype)
        mask = np.zeros(it.actions(v), np.int8)
        turn, mine = deal_one(v, state, seed, -1, view, mask), np.zeros_like(view)
        look(v, state, 0, mine)
        history = History(mine)
        belief.reset(seed)
        while turn != OVER:
            if turn == 0 and mask.sum() > 1:
                worlds: Any = belief.worlds(history.past)
                theirs = int(state["cards"][0, 1] & ~state["known"][0])
                unseen = theirs | int(state["cards"][0, STOCK])
                for c in (c for c in range(36) if theirs >> c & 1 and not belief.certain):
                    believed.append(float(belief.weights @ (worlds["cards"][:, 1] >> c & 1)))
                    hidden.append(theirs.bit_count() / unseen.bit_count())
            action, actor = known.act(view, mask), turn
            turn = step_one(v, state, action, view, mask)
            look(v, state, 0, mine)
            history.add(actor, action, mine)
    assert len(hidden) > 200
    assert np.mean(believed) > np.mean(hidden) + 0.04  # the chances that pure luck would give the cards that are there


class Spy(LocalResponse):
    """Notes what it is told."""

    def begin(self, view: Any, seed: int) -> None:
        self.told: list[Any] = getattr(self, "told", [])
        super().begin(view, seed)

    def saw(self, seat: int, action: int, view: Any) -> None:
        self.told.append((seat, action))
        super().saw(seat, action, view)


def test_a_responder_is_not_told_which_cards_others_exchange():
    known = agents.load("draw_poker:heuristic")
    spy = Spy(known.game, known.variant, known, 2, 20)
    respond(known.game, known.variant, known, spy, 4)
    others = [action for seat, action in spy.told if seat]
    assert HIDDEN in others
    assert max(others) < 2 + known.variant.max_bet
    assert max(action for seat, action in spy.told if not seat) >= 2 + known.variant.max_bet


@pytest.mark.parametrize(("name", "options"), [("durak:low", {"deck": 36}), ("daifugo:low", {"players": 4})])
def test_the_same_sights_get_the_same_answers(name, options):
    known = agents.load(name, **options)
    first, second = (SearchResponder(known.game, known.variant, known, 1, 12) for _ in range(2))
    respond(known.game, known.variant, known, second, 1, 9)  # what was played before does not matter
    results = [respond(known.game, known.variant, known, one, 2, 3) for one in (first, second)]
    assert results[0] == results[1]
    np.testing.assert_array_equal(results[0].returns, results[1].returns)


SMALL = [
    ("daifugo", "course", {"players": 3, "ranks": 2, "joker": False}),
    pytest.param("daifugo", "one_card", {"players": 2, "ranks": 2, "joker": False}, marks=pytest.mark.long),
    ("durak", "passive", {"deck": 8, "hand": 3, "open_trump": True, "max_rounds": 1}),
]


@pytest.mark.parametrize(("game", "name", "options"), SMALL)
def test_on_small_variants_it_wins_most_of_what_a_best_response_wins_and_no_more(game, name, options):
    pytest.importorskip("pyspiel")
    from kozyr.training.exploitability import measure

    row = measure(game, [name], **options).rows[0]
    best = float(np.mean(np.add(row.gains, row.values)))
    known = agents.load(f"{game}:{name}", **options)
    level = len(agents.names(game)) - 1
    found = respond(
        known.game, known.variant, known, SearchResponder(known.game, known.variant, known, level, 30), 200, 1
    )
    assert found.mean <= best + 2 * found.half
    assert found.mean >= 0.7 * best - found.half


class Weak:
    """Plays like another, but has a weakness: what it may do, it does."""

    def __init__(self, inner: Any, weakness: int) -> None:
        self.inner, self.weakness, self.name = inner, weakness, "weak"

    def reset(self, seat: int, seed: int) -> None:
        self.inner.reset(seat, seed)

    def act(self, view: Any, mask: Any) -> int:
        return int(self.act_batch(view[None], mask[None])[0])

    def act_batch(self, views: Any, masks: Any) -> Any:
        return np.where(masks[:, self.weakness] != 0, self.weakness, self.inner.act_batch(views, masks))


def test_who_takes_whatever_is_laid_is_beaten():
    inner = agents.load("durak:heuristic", deck=20)
    found = respond(
        inner.game,
        inner.variant,
        known := Weak(inner, 20),
        SearchResponder(inner.game, inner.variant, known, 3, 20),
        15,
    )
    assert found.score > 0.9
    assert found.games == 30


@pytest.mark.parametrize("by", ["lbr", "search"])
def test_who_folds_to_every_bet_loses_his_ante_in_every_hand(by):
    inner = agents.load("draw_poker:heuristic")
    v, known = inner.variant, Weak(inner, 0)
    found = respond(inner.game, v, known, responders(inner.game)[by](inner.game, v, known, 2, simulations=20), 10)
    assert found.won is not None
    np.testing.assert_allclose(found.returns * found.won.mean / found.mean, (v.players - 1) * v.ante, rtol=1e-6)


def test_the_range_leaves_out_hands_with_cards_that_the_seat_has_seen():
    known, seen = agents.load("draw_poker:heuristic"), list[Any]()

    class Watching(RangeSearch):
        def worlds(self, view: Any) -> Any:
            states, weights = super().worlds(view)
            seen.append((view.copy(), states["hand"][weights > 0, 1:4].copy(), states["hand"][weights > 0, 0].copy()))
            return states, weights

    game, v = known.game, known.variant
    respond(game, v, known, Watching(game, v, known, 2, simulations=30), 6)
    at = game.parts(v)
    for view, others, own in seen:
        mine = np.flatnonzero(view[at.cards : at.cards + 52] | view[at.gone : at.gone + 52])
        assert not np.isin(others, mine).any()
        assert np.isin(own, mine).all()
    assert len(seen) > 10


def test_who_calls_every_bet_is_beaten_by_good_hands():
    inner = agents.load("draw_poker:heuristic", players=2)
    known = Weak(inner, 1)
    found = respond(inner.game, inner.variant, known, LocalResponse(inner.game, inner.variant, known, 2, 50), 60)
    assert found.mean - found.half > 0


def test_bad_input_is_told_in_a_sentence():
    known = agents.load("durak:low")
    with pytest.raises(ValueError, match="simulations=0"):
        SearchResponder(known.game, known.variant, known, 1, 0)
    with pytest.raises(ValueError, match="deals"):
        respond(known.game, known.variant, known, SearchResponder(known.game, known.variant, known, 1, 5), 0)
    poker = agents.load("draw_poker:heuristic", episode="tournament")
    with pytest.raises(ValueError, match="leave out episode=tournament"):
        LocalResponse(poker.game, poker.variant, poker, 2)
    assert set(responders(poker.game)) == {"search", "lbr"}
    assert set(responders(known.game)) == {"search"}
