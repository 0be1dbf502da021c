"""The players of the m,n,k-game: legal and blind everywhere, and right about forced wins and the last reply."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.mnk import search as mnk
from kozyr.agents.mnk import tree as mnk_tree
from kozyr.agents.mnk.board import lines
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import legal, play
from kozyr.envs.core.state import OVER
from tests.agents.mnk_walks import walks
from tests.contract import variants
from tests.contract.table import Table

GAME = envs.game("mnk")
PLAYERS = ["threat@100", "search@300", "search@1ms"]
FREE = [
    {"m": m, "n": n, "k": k, "last_reply": reply, "max_moves": cap, "obstacles": walls}
    for m, n, k in ((3, 3, 3), (3, 4, 3), (2, 5, 3), (3, 4, 4), (2, 4, 2))
    for reply, cap, walls in ((True, 0, 0.0), (False, 0, 0.0), (True, 7, 0.1))
]
EXACT = [
    {"m": m, "n": n, "k": k, "last_reply": reply, "line": "exact"}
    for m, n, k in ((3, 4, 3), (2, 6, 3), (2, 5, 2), (4, 4, 3))
    for reply in (True, False)
]
SMALL = FREE + EXACT


def made(v: Any, name: str) -> Any:
    """Return a player of a variant."""
    return agents.load(name, "mnk", **GAME.options(v))


@pytest.mark.parametrize("name", PLAYERS)
def test_players_survive_every_variant(name: str) -> None:
    for v in variants.drawn(GAME, 40, seed=3):
        player = made(v, name)
        for i, table in enumerate(walks(v, 1)):
            if i % 9:
                continue
            assert table.mask()[player.act(table.view(table.turn), table.mask())] == 1


@pytest.mark.parametrize("name", PLAYERS[:2])
def test_an_answer_depends_on_view_mask_and_seed_alone(name: str) -> None:
    for v in variants.drawn(GAME, 8, seed=4, most=400):
        used = made(v, name)
        for i, table in enumerate(walks(v, 1)):
            if i % 7 == 3:
                seen, mask = table.view(table.turn), table.mask()
                answers = {int(used.act(seen, mask)), made(v, name).act(seen, mask)}
                guess = table.imagined(table.turn, seed=i)
                assert answers == {used.act(guess.view(0), guess.mask())}


@jit
def worth(v: Any, states: Any, masks: Any, level: int) -> int:
    """Return the payoff of the seat to move with perfect play, by the game's own functions."""
    s, best = states[level], -2
    legal(v, s, masks[level])
    for a in range(masks.shape[1]):
        if masks[level, a] and best < 1:
            states[level + 1] = s
            t = states[level + 1]
            play(v, t, a)
            if t.turn == OVER:
                value = int(t.payoff[s.turn])
            else:
                value = worth(v, states, masks, level + 1)
                value = value if t.turn == s.turn else -value
            best = max(best, value)
    return best


def exact(table: Table) -> int:
    cells = table.v.m * table.v.n
    states, masks = np.zeros(cells + 2, GAME.layout(table.v)), np.zeros((cells + 2, cells), np.int8)
    states[0] = table.states[0]
    return int(worth(table.v, states, masks, 0))


@pytest.mark.parametrize("options", SMALL, ids=str)
def test_a_full_search_finds_the_true_value_and_a_move_that_keeps_it(options: dict[str, Any]) -> None:
    v = GAME.make_variant(**options)
    player = made(v, "search@100000")
    boards, known = lines(v), np.zeros(2**12, mnk_tree.ENTRY)
    for age, table in enumerate(walks(v, 12, fewest=max(1, v.m * v.n - 9))):
        due = exact(table)
        if not table.s.reply:
            me = mnk.prepare(v, table.view(table.turn), boards)
            n = mnk.begin(boards, me, age + 1)
            if mnk.at_once(boards, me) < 0:
                deep = int(boards[0]["left"])
                value = mnk.searched(boards, known, me, deep, n, 0, 10**6)
                value = max(value, 0) if mnk.drawing(boards, me) >= 0 else value
                assert np.sign(value) * (abs(value) > mnk_tree.SURE) == due
        after = table.copy()
        after.play(player.act(table.view(table.turn), table.mask()))
        kept = after.payoffs[table.turn] if after.over else exact(after) * (1 if after.turn == table.turn else -1)
        assert kept == due


@pytest.mark.parametrize("options", SMALL, ids=str)
def test_a_forced_win_is_one(options: dict[str, Any]) -> None:
    v = GAME.make_variant(**options)
    boards = lines(v)
    for table in walks(v, 30, fewest=max(1, v.m * v.n - 9)):
        if not table.s.reply:
            me = mnk.prepare(v, table.view(table.turn), boards)
            if mnk.forced(boards, me, 20, 10**6) >= 0:
                assert exact(table) == 1


def answer(player: str, status: str, *rows: str, **options: Any) -> str:
    """Return the move of a player in a position, as text."""
    v = GAME.make_variant(m=len(rows), n=len(rows[0].split()), **options)
    table = Table.of(GAME, v, GAME.text.read(v, "\n".join([f"player_0 is X, {status}", *rows])))
    agent = agents.load(player, game="mnk", **GAME.options(v))
    return GAME.text.say(v, table.s, agent.act(table.view(table.turn), table.mask()))


@pytest.mark.parametrize("player", ["hard", "threat"])
def test_x_stops_the_five_of_o_before_it_completes_its_own(player: str) -> None:
    rows = (
        ". . . . . . . .",
        "O X X X X . . .",
        ". . . . . . . .",
        ". . . . . . . .",
        "X O O O O . . .",
        ". . . . . . . .",
        ". . . . . . . .",
    )
    assert answer(player, "X to move", *rows) == "f5"
    assert answer(player, "O to move", *rows) == "f5"
    assert answer(player, "X to move", *rows, last_reply=False) == "f2"


@pytest.mark.parametrize("player", ["hard", "threat", "search@20000"])
def test_o_with_a_last_reply_draws(player: str) -> None:
    rows = (". . . . . . .", "X X X X X . .", ". O O O O X .", ". . . . . . .", ". . . . . . .")
    assert answer(player, "O to move (last reply)", *rows) == "a3"


def test_fours_of_o_refute_the_open_four_of_x() -> None:
    rows = (
        ". . . . . . . . .",
        ". . X X X . . . .",
        ". . . . . . . . .",
        ". . . . . . . . .",
        ". O O O . . . . .",
        ". . . . . . . . .",
    )
    assert forced(*rows, last_reply=False)
    assert not forced(*rows)
    assert forced(*rows[:4], "O O . . . . . . .", rows[5])  # two stones of O make no four


def forced(*rows: str, **options: Any) -> bool:
    """Tell whether X, to move, wins by fours."""
    v = GAME.make_variant(m=len(rows), n=len(rows[0].split()), **options)
    table = Table.of(GAME, v, GAME.text.read(v, "\n".join(["player_0 is X, X to move", *rows])))
    boards = lines(v)
    return mnk.forced(boards, mnk.prepare(v, table.view(0), boards), 20, 10**6) >= 0


def test_nodes_are_those_of_the_newest_decision() -> None:
    v = GAME.make_variant(m=9, n=9)
    player = made(v, "search@500")
    table = Table(GAME, v, 1)
    player.act(table.view(table.turn), table.mask())
    assert player.nodes >= 500
    for a in (0, 80, 1, 78, 2, 76, 3, 74):
        table.play(a)
    assert player.act(table.view(table.turn), table.mask()) == 4
    assert player.nodes == 0


def test_search_beats_hard() -> None:
    from kozyr.agents.arena.matches.match import match

    result = match("mnk", ["search@2000", "hard"], 12, m=12, n=12, obstacles=0.05)
    assert result.agents[0].score > 0.7


CAUGHT = (141, 199, 203, 18, 171, 155, 157, 143, 173, 125, 189, 205, 175, 161, 156, 126, 186, 201, 188, 185)


@pytest.mark.parametrize("name", ["search@2000", "shapes@2000"])
def test_a_four_of_x_is_no_win_while_a_four_of_o_answers_it(name: str) -> None:
    table = Table(GAME, GAME.make_variant(), 1)
    player, x, claimed = made(table.v, name), table.turn, False
    for a in CAUGHT:
        table.play(a)
    while table.turn != OVER:
        seat = table.turn
        table.play(int(player.act(table.view(seat), table.mask())))
        claimed |= seat == x and mnk_tree.SURE <= player.value < mnk.UNKNOWN
    assert not claimed or table.s.payoff[x] == 1
