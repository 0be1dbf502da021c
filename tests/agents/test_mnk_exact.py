"""The players of the m,n,k-game and its rules agree on what a line is, whichever rows win."""

from itertools import islice
from typing import Any

import numpy as np
import pytest

from kozyr import agents
from kozyr.agents.mnk import search as mnk
from kozyr.agents.mnk import tree
from kozyr.agents.mnk.board import fits, lines
from kozyr.envs.compile import jit
from tests.agents.mnk_walks import GAME, completing, walks
from tests.contract.table import Table
from tests.games.lockstep import play_led

PLAYERS = ["easy", "hard", "threat@50", "shapes@50", "search@50"]
BOARDS = [(7, 7, 3, 0.0), (2, 14, 3, 0.0), (8, 6, 4, 0.0), (9, 9, 4, 0.1), (9, 8, 5, 0.0), (10, 10, 5, 0.05)]
LINES = GAME.fields["line"].choices


@jit
def settled(boards: Any, me: int) -> int:
    """Return the value of a position that the tree does not look beyond."""
    return tree.settled(boards[0], me, 0)


def loaded(v: Any) -> list[Any]:
    return [agents.load(name, "mnk", **GAME.options(v)) for name in PLAYERS]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_a_win_and_a_threat_of_every_player_are_those_of_the_rules(board: Any, line: str) -> None:
    m, n, k, walls = board
    v = GAME.make_variant(m=m, n=n, k=k, obstacles=walls, line=line, last_reply=False)
    players, met = loaded(v), np.zeros(3, int)
    boards = lines(v) if fits(v) else None
    for table in islice(walks(v, 60), 700):
        wins, threats = completing(table, table.turn), completing(table, 1 - table.turn)
        if boards is not None:
            me = mnk.prepare(v, table.view(table.turn), boards)
            won, at_once = settled(boards, me) == tree.WIN - 1, mnk.at_once(boards, me)
            assert won == (at_once >= 0) == bool(wins)
            assert at_once in wins | ({-1} if not wins else set())
        due = wins or threats
        met += [bool(wins), bool(threats), not due]
        if due:
            seen, mask = table.view(table.turn), table.mask()
            assert {int(player.act(seen, mask)) for player in players} <= due
    assert met.min() > 20


@pytest.mark.parametrize("line", LINES)
def test_the_last_reply_makes_a_line_by_the_rules_where_one_can_be_made(line: str) -> None:
    replies = 0
    for m, n, k in ((5, 5, 3), (2, 9, 3), (7, 7, 4)):
        v = GAME.make_variant(m=m, n=n, k=k, line=line)
        players = loaded(v)
        for table in walks(v, 150):
            if table.s.reply and (wins := completing(table, table.turn)):
                seen, mask = table.view(table.turn), table.mask()
                assert {int(player.act(seen, mask)) for player in players} <= wins
                replies += 1
    assert replies > 20


@pytest.mark.parametrize("games", [2, pytest.param(40, marks=pytest.mark.long)])
def test_games_with_exact_lines_are_those_of_the_oracle(games: int) -> None:
    rng = np.random.default_rng(games)
    for seed in range(games):
        m, n = rng.integers(9, 16, 2).tolist()
        v = GAME.make_variant(m=m, n=n, line="exact", last_reply=seed % 2 == 0)
        players = [agents.load(name, "mnk", **GAME.options(v)) for name in ("hard", "search@200")]
        play_led(GAME, v, seed, players)


OWN_SIX = """
    player_0 is X, X to move
    . . . . . . . . .
    . O . . . . . . .
    . . . . . . . . O
    . X X X . X X . .
    . . . . . . . . .
    . O . O . . . . .
    . . . . . . . O .
    . . . . . . . . .
    """


@pytest.mark.parametrize("name", [*PLAYERS, "shapes@5000", "search@5000"])
@pytest.mark.parametrize("reply", [True, False])
def test_a_cell_that_makes_six_is_no_win(name: str, reply: bool) -> None:
    assert answer(name, OWN_SIX, line="free", last_reply=reply) == "e4"
    assert answer(name, OWN_SIX, line="exact", last_reply=reply) != "e4"


THEIR_SIX = """
    player_0 is X, O to move
    . . . . . . . . .
    . X X X . X X . .
    . . . . . . . . .
    . . . . . . . . .
    . . O O O . . . .
    . . . . . . . . .
    . . . . . . . X .
    . O . . . . . . .
    . . . . . . . . O
    """


@pytest.mark.parametrize("name", ["hard", "threat", "shapes@5000", "search@5000"])
@pytest.mark.parametrize("reply", [True, False])
def test_a_cell_where_the_other_side_makes_six_is_no_threat(name: str, reply: bool) -> None:
    assert answer(name, THEIR_SIX, line="free", last_reply=reply) == "e2"
    assert answer(name, THEIR_SIX, line="exact", last_reply=reply) in ("b5", "f5")


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("reply", [True, False])
def test_where_x_is_banned_it_does_not_play_and_threatens_nothing(name: str, reply: bool) -> None:
    assert answer(name, OWN_SIX, bans="renju", last_reply=reply) != "e4"
    assert answer(name, THEIR_SIX, bans="renju", last_reply=reply) != "e2"
    six_of_o = "\n".join(
        line.translate(str.maketrans("XO", "OX")) if "to" not in line else line for line in OWN_SIX.splitlines()
    )
    assert answer(name, six_of_o.replace("X to", "O to"), bans="renju", last_reply=reply) == "e4"


def test_stones_that_only_make_six_are_no_four() -> None:
    gaps = ". . X . X X . X . ."  # a stone on d1 leaves b1, which makes five, and g1, which makes six
    assert forced(gaps, "free") in ("d1", "g1")
    assert forced(gaps, "exact") == ""
    near = ". . . X X X . . X ."  # one on g1 leaves c1 and, for six, h1; one on c1 leaves b1 and g1 for five
    assert forced(near, "free") in ("c1", "g1")
    assert forced(near, "exact") == "c1"


def forced(row: str, line: str) -> str:
    """Return the first cell of a win by one four of X, to move, on a board whose second row is told; or nothing."""
    v = GAME.make_variant(m=2, n=10, line=line, last_reply=False)
    table = Table.of(GAME, v, GAME.text.read(v, f"player_0 is X, X to move\n{row}\n. . . . . . . . . ."))
    boards = lines(v)
    me = mnk.prepare(v, table.view(0), boards)
    cell = mnk.forced(boards, me, 1, 1000)
    return GAME.text.say(v, table.s, cell) if cell >= 0 else ""


def answer(name: str, diagram: str, **options: Any) -> str:
    """Return the move of a player in a position, as text."""
    rows = [row.strip() for row in diagram.strip().splitlines()]
    v = GAME.make_variant(m=len(rows) - 1, n=len(rows[1].split()), **options)
    table = Table.of(GAME, v, GAME.text.read(v, "\n".join(rows)))
    agent = agents.load(name, "mnk", **GAME.options(v))
    return GAME.text.say(v, table.s, agent.act(table.view(table.turn), table.mask()))
