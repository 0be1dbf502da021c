"""Daifugo's low, heuristic, solver and pimc do in a position what their pages say, and survive every other one."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from kozyr import agents
from kozyr.agents.daifugo import LADDER
from kozyr.agents.daifugo.endgame import LOSS, OPEN, UNKNOWN, WIN, begin, duel, endgame, forget, outlook
from kozyr.agents.nets import condensed
from kozyr.envs import registry
from kozyr.envs.core import dispatch
from kozyr.envs.core.rng import generators
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import GAME, text
from kozyr.envs.loops import tables
from tests.contract import variants
from tests.contract.table import Table
from tests.games.daifugo_diagrams import position

registry.seat_bots(GAME)

V = GAME.make_variant(players=3, revolution=True, eight_stop=True)
SEARCHING = ("solver@300", "pimc@4", "ismcts@6")


def diagram(hand: str, pile: str = "-", others: tuple[str, str] = ("5J", "5J"), status: str = "") -> str:
    lying = f"{pile} by player_2" if pile != "-" else pile
    return f"""
        player_0 began, player_0 to move, round 1{status}
        player_0: {hand}
        player_1: {others[0]}
        player_2: {others[1]}
        pile: {lying}
        """


def chosen(level: str, v: Any, states: Any) -> str:
    view, mask, action = looked(v, states[0]), marked(v, states[0]), np.zeros(1, np.int64)
    tables.choose_batch(v, LADDER.index(level), view[None], mask[None], generators(1, 1), action)
    assert mask[action[0]]
    return text.say(v, states[0], int(action[0]))


def looked(v: Any, s: Any) -> Any:
    view = np.zeros(GAME.size(v), GAME.view_dtype)
    dispatch.observe(v, s, int(s.turn), view)
    return view


def marked(v: Any, s: Any) -> Any:
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    return mask


@pytest.mark.parametrize(
    ("hand", "pile", "status", "played"),
    [
        ("4456", "-", "", "44"),  # all cards of the weakest rank
        ("4466", "-", ", revolution", "66"),
        ("*", "-", "", "*"),
        ("446779", "5", "", "6"),
        ("446779", "5", ", revolution", "4"),
        ("446779*", "66", "", "77"),
        ("446799*", "TT", "", "pass"),
        ("4467KA*", "TT", "", "K*"),  # the joker only if it must
        ("4467*", "A", "", "*"),
        ("4467", "A", "", "pass"),
    ],
)
def test_low_lays_the_weakest_set_that_fits(hand: str, pile: str, status: str, played: str) -> None:
    assert chosen("low", V, position(V, diagram(hand, pile, status=status))) == played


@pytest.mark.parametrize(
    ("hand", "pile", "others", "played"),
    [
        ("3KK", "-", ("5JJ", "55QQ"), "K"),  # nobody beats kings: they first, then the three
        ("33K", "-", ("5J", "5Q"), "K"),
        ("3388", "-", ("5JJ", "55Q"), "8"),  # eights clear the pile
        ("38", "7", ("5J", "5Q"), "8"),
        ("34*", "-", ("3J", "3J"), "3"),  # the joker takes the pile back, then the last card
        ("3K", "A", ("5J", "2Q"), "pass"),
        ("6", "5", ("5J", "2Q"), "6"),  # the last card
        ("44567889TJQ", "3", ("3579JQKA2", "3579TJQK2"), "5"),  # a pair is not broken
        ("4679TQKA2*", "3", ("3579JQKA2", "3579TJQK2"), "4"),  # the joker is dear
    ],
)
def test_heuristic_plays(hand: str, pile: str, others: tuple[str, str], played: str) -> None:
    assert chosen("heuristic", V, position(V, diagram(hand, pile, others))) == played


def wins(v: Any, s: Any, known: dict[bytes, bool]) -> bool:
    """Tell by plain recursion whether the seat to move goes out first."""
    key = s.tobytes()
    if key not in known:
        known[key] = False
        for a in np.flatnonzero(marked(v, s)):
            after = np.array([s], GAME.state)
            after[0].ply = 0
            mover, left = int(s.turn), int(s.count[s.turn])
            dispatch.play(v, after[0], int(a))
            out = after[0].turn == OVER and left > 0 and after[0].count[mover] == 0
            if out or (after[0].turn != OVER and wins(v, after[0], known) == (after[0].turn == mover)):
                known[key] = True
                break
    return known[key]


@cache
def ends(most: int) -> list[tuple[Any, Any]]:
    """Return positions of two seats that hold few cards, from games of scripted players."""
    found: list[tuple[Any, Any]] = []
    local = {"revolution": True, "eight_stop": True}
    for options in ({"players": 2}, {"players": 3, **local}, {"players": 4, "pass_lockout": True, **local}):
        v = GAME.make_variant(**options)
        for seed in range(30):
            table, action, rngs = Table(GAME, v, seed), np.zeros(1, np.int64), generators(seed, 1)
            while not table.over:
                if duel(v, table.s) and table.s.count[: v.players].sum() <= most:
                    found.append((v, table.copy().states))
                level = LADDER.index("one_card") if seed % 2 else LADDER.index("heuristic")
                tables.choose_batch(v, level, table.view(table.turn)[None], table.mask()[None], rngs, action)
                table.play(int(action[0]))
    return found


def solved(v: Any, s: Any, nodes: int, e: Any) -> int:
    """Return what the solver finds, a few positions at a time."""
    found = begin(v, s, nodes, e)
    while found == OPEN:
        found = outlook(v, 7, e)
    return found


def test_the_solver_finds_what_plain_recursion_finds() -> None:
    results = {WIN: 0, LOSS: 0}
    for v, states in ends(8):
        e = endgame(GAME, v)
        forget(e)
        found = solved(v, states[0], 1_000_000, e)
        start = states.copy()
        start[0].ply = 0
        assert found == (WIN if wins(v, start[0], {}) else LOSS), text.write(v, states)
        results[found] += 1
    assert min(results.values()) > 50


def made(name: str, v: Any) -> Any:
    """Return a player of a variant."""
    return agents.load(name, "daifugo", **GAME.options(v))


def test_a_solved_win_is_won_against_every_defence() -> None:
    for v, states in ends(8)[::5]:
        player, table = made("solver", v), Table.of(GAME, v, states.copy())
        e, me = endgame(GAME, v), table.turn
        forget(e)
        if solved(v, table.s, 100_000, e) != WIN:
            continue
        rng = np.random.default_rng(1)
        while not table.over and table.s.count[me]:
            legal = np.flatnonzero(table.mask())
            table.play(player.act(table.view(me), table.mask()) if table.turn == me else int(rng.choice(legal)))
        assert table.s.count[me] == 0


def test_without_positions_left_the_solver_does_not_know() -> None:
    v, states = max(ends(20), key=lambda one: int(one[1][0].count.sum()))
    e = endgame(GAME, v)
    forget(e)
    assert solved(v, states[0], 1, e) == UNKNOWN


def test_cards_of_a_dethroned_seat_are_hidden_so_nothing_is_solved() -> None:
    s = position(V, diagram("3K"))[0]
    assert not duel(V, s)
    s.place[2] = 2  # with cards in hand
    assert not duel(V, s)
    s.count[2] = 0
    assert duel(V, s)


@pytest.mark.parametrize("name", [*LADDER[3:], *SEARCHING])
def test_players_survive_any_position_and_see_nothing_hidden(name: str) -> None:
    rng = np.random.default_rng(3)
    netted = [policy.variant for policy in condensed.policies(GAME.name)]
    for i, v in enumerate([*netted, *variants.drawn(GAME, 16, seed=5)]):
        v = v._replace(rounds=min(v.rounds, 3))
        v = v if v.rounds > 1 else v._replace(exchange=False, dethrone=False)
        player, table = agents.load(name, game="daifugo", **GAME.options(v)), Table(GAME, v, i)
        for ply, _ in enumerate(table.walk(i, plies=250)):
            if table.over or rng.random() > 0.15:
                continue
            view, mask = table.view(table.turn), table.mask()
            player.reset(0, 7)
            action = player.act(view, mask)
            assert mask[action], (v, ply)
            guess = table.imagined(table.turn, ply)
            player.reset(0, 7)
            assert player.act(guess.view(0), guess.mask()) == action


def test_the_answer_does_not_depend_on_what_was_asked_before() -> None:
    v = GAME.make_variant(players=2)
    one, other = (made("pimc@5", v) for _ in range(2))
    table = Table(GAME, v, 1)
    asked = [(table.view(table.turn), table.mask()) for _ in table.walk(1) if not table.over][-40:]
    assert [one.act(*a) for a in asked] == [other.act(*a) for a in asked[::-1]][::-1]
