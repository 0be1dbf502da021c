"""Transfers of Durak by a trump that is only shown (§15): the rule, what seats know, texts, pictures and players."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents import search
from kozyr.agents.durak import LADDER
from kozyr.agents.durak.search import DurakSolver
from kozyr.agents.search import history_sampling
from kozyr.envs import registry
from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.rng import generators
from kozyr.envs.durak import text, view
from kozyr.envs.durak.actions import Actions
from kozyr.envs.durak.cards import bit
from kozyr.envs.durak.scene import ROUND_SHOWN
from kozyr.envs.pictures import scene
from tests.contract.table import Table
from tests.games import positions
from tests.games.durak_diagrams import after, becomes, moves, position

GAME = envs.game("durak")
registry.seat_bots(GAME)
SHOW = GAME.make_variant(deck=36, transfer=True, show_trump=True)
THREE = GAME.make_variant(deck=36, players=3, transfer=True, show_trump=True)
HEURISTIC = LADDER.index("heuristic")

ATTACKED = """
    trump S, player_0 began, player_0 attacks player_1, player_1 to move, round 2, limit 2
    player_0: 8D
    player_1: 6S 7D
    table: 6C
    stock: -
    """


def test_s15_a_shown_trump_swaps_the_parts_and_stays_in_hand() -> None:
    becomes(
        SHOW,
        ATTACKED,
        "show",
        """
        trump S, player_0 began, player_1 attacks player_0, player_0 to move, round 2, limit 1, trump shown
        player_0: 8D
        player_1: 6S* 7D
        table: 6C
        stock: -
        """,
    )


def test_s15_the_next_seat_needs_as_many_cards_as_lie() -> None:
    assert moves(SHOW, position(SHOW, ATTACKED)) == "6S, pass, show"  # to lay the trump would take two
    assert "show" not in moves(SHOW, position(SHOW, ATTACKED.replace("table: 6C", "table: 6C 6D")))


@pytest.mark.parametrize(
    ("hand", "table"), [("6H 7D", "6C"), ("7S 7D", "6C"), ("6S 7D", "6C/TC 6D")], ids=["plain", "rank", "beaten"]
)
def test_s15_only_the_trump_of_the_rank_is_shown_and_only_while_nothing_is_beaten(hand: str, table: str) -> None:
    changed = ATTACKED.replace("6S 7D", hand).replace("table: 6C", f"table: {table}").replace("8D", "8D 9D JD")
    assert "show" not in moves(SHOW, position(SHOW, changed)).split(", ")


def test_s15_a_trump_is_shown_once_a_round() -> None:
    roomy = ATTACKED.replace("8D", "6D 8D 9D JD").replace("6S 7D", "6S 7D 7C")
    assert moves(SHOW, after(SHOW, roomy, "show")) == "pass, transfer 6D"
    back = after(SHOW, roomy, "show, transfer 6D")
    assert moves(SHOW, back) == "7C, 6S, pass, transfer 6S"
    seven = ATTACKED.replace("6C", "7H").replace("6S 7D", "7S 6D").replace("8D", "7C 8D JD")
    later = after(SHOW, seven, "show, pass, 6D, 8D, pass, 7C")
    assert moves(SHOW, later) == "7S, pass, transfer 7S, show"


def test_s15_the_next_seat_answers_among_three() -> None:
    s = after(THREE, ATTACKED.replace("table", "player_2: 9D JD QD\n    table"), "show")[0]
    assert (s.attacker, s.defender, s.turn, s.limit, s.laid) == (1, 2, 2, 3, 1)


def test_s15_without_transfers_the_option_is_refused() -> None:
    with pytest.raises(ValueError, match="show_trump=True does nothing without transfers: set transfer=True too"):
        GAME.make_variant(show_trump=True)
    assert GAME.make_variant(rules="proyezdnoy") == GAME.make_variant(rules="perevodnoy")._replace(show_trump=True)


def test_s15_everybody_knows_the_shown_trump_until_it_is_played() -> None:
    states, at = after(SHOW, ATTACKED, "show"), view.Parts(SHOW)
    trump = text.parse(SHOW, "6S")
    mine, theirs = (GAME.view(SHOW, states[0], seat) for seat in (1, 0))
    assert (mine[at.shown + trump], mine[at.trump_shown]) == (1, 1)
    assert (theirs[at.known + trump], theirs[at.trump_shown]) == (1, 1)
    for action in ("pass", "6S"):
        dispatch.play(SHOW, states[0], text.parse(SHOW, action))
    theirs = GAME.view(SHOW, states[0], 0)
    assert (theirs[at.known + trump], theirs[at.attack + trump], theirs[at.trump_shown]) == (0, 1, 0)


def shown(v: Any, seeds: int, player: str = "random") -> Any:
    """Give tables at the decisions of a round in which a trump was shown."""
    mover = agents.load(f"durak:{player}", **GAME.options(v))
    for seed in range(seeds):
        table = Table(GAME, v, seed)
        for _ in range(400):
            if table.over:
                break
            if table.s.trump_shown:
                yield table
            table.play(mover.act(table.view(table.turn), table.mask()))


def test_s15_imagined_worlds_hold_the_shown_trump() -> None:
    checked = 0
    for table in shown(GAME.make_variant(rules="proyezdnoy", players=3), 40):
        s, me = table.s, table.turn
        holders = [k for k in range(3) if k != me and s.cards[k] & s.known & position_trump(table)]
        for seed in range(3):
            guess = table.imagined(me, seed)
            assert dispatch.sound(table.v, guess.s)
            assert guess.s.trump_shown == 1
            for k in holders:
                assert guess.s.cards[(k - me) % 3] & position_trump(table)
                checked += 1
    assert checked > 20


def position_trump(table: Table) -> Any:
    """Return the trump that could be shown in this round."""
    ranks = table.v.deck // 4
    return bit(int(table.s.trump) * ranks + int(table.s.attack[0]) % ranks)


def test_views_of_a_shown_trump_are_read_back() -> None:
    states = after(SHOW, ATTACKED, "show")
    for seat in (0, 1):
        told = text.write(SHOW, states[0], seat)
        assert "limit 1, trump shown\n" in told
        assert (text.read_view(SHOW, told) == GAME.view(SHOW, states[0], seat)).all()
        assert ", trump shown" in text.write_short(SHOW, GAME.view(SHOW, states[0], seat), seat)
    with pytest.raises(ValueError, match="no trump can be shown in this variant"):
        text.read_view(GAME.make_variant(deck=36, transfer=True), told)


@pytest.mark.parametrize(
    ("v", "hand", "error"),
    [
        (SHOW, "6S 7D", "the trump of the attack's rank must be marked in a hand, or lie on the table"),
        (SHOW, "6S 7D*", "the trump of the attack's rank must be marked in a hand, or lie on the table"),
        (SHOW._replace(show_trump=False), "6S* 7D", r"no trump can be shown in this variant \(show_trump=False\)"),
    ],
    ids=["unmarked", "another card", "another variant"],
)
def test_positions_in_which_no_trump_can_have_been_shown_are_refused(v: Any, hand: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        position(v, ATTACKED.replace("limit 2", "limit 2, trump shown").replace("6S 7D", hand))


def test_the_action_is_there_only_with_the_option() -> None:
    assert Actions(SHOW).size == GAME.actions(GAME.make_variant(deck=36, transfer=True)) + 1
    with pytest.raises(ValueError, match="'show' is no action here: in this variant no trump is shown to transfer"):
        text.parse(GAME.make_variant(deck=36, transfer=True), "show")


def test_buttons_name_the_trump_and_pictures_mark_the_round() -> None:
    assert GAME.text.table_words(SHOW, position(SHOW, ATTACKED)[0], Actions(SHOW).show) == "show 6♠"
    for seat in (0, 1, scene.SEES_PUBLIC):
        states = after(SHOW, ATTACKED, "show")
        assert ROUND_SHOWN in labels(states[0], seat)
        states[0].trump_shown = 0
        assert ROUND_SHOWN not in labels(states[0], seat)


def labels(s: Any, seat: int) -> list[int]:
    """Return the numbers of the labels that a seat's picture has."""
    rows = positions.shown(GAME, SHOW, s, seat)
    return rows[rows[:, scene.KIND] == scene.LABEL, scene.FACE].tolist()


def test_the_scripted_player_shows_a_trump_unless_a_plain_card_transfers() -> None:
    player = agents.load("durak:heuristic", **GAME.options(SHOW))
    plain = ATTACKED.replace("7D", "6D").replace("8D", "8D 9D")
    for diagram, due in ((ATTACKED, "show"), (plain, "transfer 6D")):
        states, mask = position(SHOW, diagram), np.zeros(GAME.actions(SHOW), np.int8)
        dispatch.legal(SHOW, states[0], mask)
        assert text.say(SHOW, states[0], player.act(GAME.view(SHOW, states[0], 1), mask)) == due


def test_the_endgame_is_won_by_showing() -> None:
    """Beating 6C with 6S leads to a draw; the shown six wins, for player_0 must take and lacks the last card."""
    states, mask = position(SHOW, ATTACKED), np.zeros(GAME.actions(SHOW), np.int8)
    dispatch.legal(SHOW, states[0], mask)
    action = DurakSolver(GAME, SHOW, HEURISTIC).act(GAME.view(SHOW, states[0], 1), mask)
    assert text.say(SHOW, states[0], action) == "show"


@pytest.mark.parametrize("name", ["solver", "pimc"])
def test_search_players_play_on_with_a_shown_trump(name: str) -> None:
    v = GAME.make_variant(rules="proyezdnoy", players=2)
    player, plies = search.makers(GAME)[name](GAME, v, HEURISTIC, budget=20), 0
    for table in shown(v, 20):
        mask = table.mask()
        assert mask[player.act(table.view(table.turn), mask)]
        plies += 1
    assert plies > 10


@jit
def supply(v: Any, root: Any, states: Any, action: int, rngs: Any) -> None:
    history_sampling.supply(v, root[0], states[0], action, rngs[0])


def test_the_deal_of_a_history_has_the_shown_trump_in_its_hand() -> None:
    assert history_sampling.follows_from_deal(SHOW)
    states = position(SHOW, ATTACKED.replace("6S 7D", "7D 9D").replace("8D", "8D 6S"))
    root = states.copy()
    supply(SHOW, root, states, Actions(SHOW).show, generators(1, 1))
    assert states[0].cards[1] & bit(text.parse(SHOW, "6S"))
    assert root[0].cards[1] == states[0].cards[1]
