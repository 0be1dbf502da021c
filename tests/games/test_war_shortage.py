"""The last-card rule of War (§12): who is short of cards for a war turns his last one up."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.envs import registry
from kozyr.envs.core import capabilities, dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures import scene
from kozyr.envs.war import text
from kozyr.envs.war.actions import FLIP, OWN_FIRST
from kozyr.envs.war.scene import SHORT
from kozyr.envs.war.view import Parts
from tests.contract.table import Table
from tests.games import positions
from tests.games.war_diagrams import after, becomes, cards, moves, position

GAME = envs.game("war")
registry.seat_bots(GAME)
LOSE = GAME.make_variant(deck=20)
LAST = GAME.make_variant(deck=20, shortage="last_card")
CHOICE = GAME.make_variant(deck=20, shortage="last_card", pickup="choice")
TINY = GAME.make_variant(deck=8, shortage="last_card")

SHORT_OF = """
    player_0 began, player_0 to flip, 3 turns
    player_0: - | {}
    player_1: - | {}
    """
HELD = "TC JC AC"
REST = "TH QH JH KH TD JD AH QD KD AD QC KC TS JS QS KS AS"


def test_s12_who_is_short_turns_his_last_card_up_and_may_win() -> None:
    diagram = SHORT_OF.format(HELD, REST)
    assert after(LOSE, diagram, "flip, flip").payoff.tolist() == [-1, 1]
    becomes(
        LAST,
        diagram,
        "flip, flip, flip",
        """
        player_0 began, player_1 to flip, 3 turns
        player_0: TC JC AC | -
        player_1: TH | QH JH KH TD JD AH QD KD AD QC KC TS JS QS KS AS
        """,
    )
    s = after(LAST, diagram, "flip, flip, flip, flip")
    assert (int(s.turn), int(s.turns)) == (0, 4)
    assert cards(LAST, s, 0) == ["TC", "TH", "JC", "QH", "JH", "KH", "AC", "TD"]  # the pool in its order, war by war


def test_s12_the_pool_of_a_short_war_in_each_chosen_order() -> None:
    s = after(CHOICE, SHORT_OF.format(HELD, REST), "flip, flip, flip, flip")
    assert moves(CHOICE, s) == "own_first, other_first, high_first, low_first"
    for order, pool in (("own_first", "TC JC AC TH QH JH KH TD"), ("high_first", "AC KH QH JC JH TC TH TD")):
        s = after(CHOICE, SHORT_OF.format(HELD, REST), f"flip, flip, flip, flip, {order}")
        assert cards(CHOICE, s, 0) == pool.split()


def test_s12_who_loses_with_his_last_card_has_lost_the_game_and_the_turn_counts() -> None:
    rest = "TH QH JH KH KD TD JD AH QD AD QC KC TS JS QS KS AS"
    s = after(LAST, SHORT_OF.format("TC AC JC", rest), "flip, flip, flip, flip")
    assert (s.turn, s.payoff.tolist(), int(s.turns), len(cards(LAST, s, 1))) == (OVER, [-1, 1], 4, 20)
    assert capabilities.result(LAST, s, 0) == "lost"


@pytest.mark.parametrize(("held", "plies"), [("TC", 2), ("TC JC QC", 4), ("TC JC QC KC AC", 4)])
@pytest.mark.parametrize("starter", [0, 1])
def test_s12_who_has_no_card_left_when_a_war_begins_loses(held: str, plies: int, starter: int) -> None:
    """The last upturned cards are equal: TC or QC against QH, or AC against AH."""
    last = held.split()[-1]
    rest = [c for c in [*REST.split(), "JC", "QC", "KC", "AC"] if c not in held and c not in ("TH", f"{last[0]}H")]
    rest = list(dict.fromkeys(rest))
    many = ["TH", *rest[:3], f"{last[0]}H", *rest[3:]] if plies == 4 else ["TH", *rest]
    diagram = SHORT_OF.format(held, " ".join(many))
    diagram = diagram.replace("player_0 began, player_0", f"player_{starter} began, player_{starter}")
    s = after(LAST, diagram, ", ".join(["flip"] * plies))
    assert (s.turn, s.payoff.tolist(), int(s.turns), int(s.wars)) == (OVER, [-1, 1], 3, plies // 2)
    assert capabilities.result(LAST, s, 0) == "lost, short of cards for a war"
    rows = positions.shown(GAME, LAST, s, scene.SEES_ALL)
    assert SHORT in rows[rows[:, scene.KIND] == scene.TAG, scene.FACE]


@pytest.mark.parametrize("starter", [0, 1])
def test_s12_if_neither_has_a_card_left_the_starter_loses(starter: int) -> None:
    diagram = f"""
        player_{starter} began, player_{starter} to flip, 0 turns
        player_0: - | KC KS AC AS
        player_1: - | KH KD AH AD
        """
    s = after(TINY, diagram, "flip, flip, flip, flip")
    assert (s.turn, s.payoff[starter], s.payoff[1 - starter], int(s.turns)) == (OVER, -1, 1, 0)


def played(v: Any, seeds: int) -> Any:
    """Give tables of random games whose row of a turn is no full one."""
    for seed in range(seeds):
        table, rng = Table(GAME, v, seed), np.random.default_rng(seed)
        for _ in range(600):
            if table.over:
                break
            rows = (table.s.top - table.s.first).tolist()
            if any(n and n % 4 != 1 for n in rows):
                yield table
            table.play(int(rng.choice(np.flatnonzero(table.mask()))))


@pytest.mark.parametrize("pickup", ["fixed", "random", "choice"])
def test_views_texts_and_worlds_of_short_rows_agree(pickup: str) -> None:
    v, checked = GAME.make_variant(deck=20, pickup=pickup, max_turns=200, shortage="last_card"), 0
    for table in played(v, 60):
        assert dispatch.sound(v, table.s)
        assert text.write(v, text.read(v, text.write(v, table.s))[0]) == text.write(v, table.s)
        for seat in (0, 1):
            view = GAME.view(v, table.s, seat)
            assert (text.read_view(v, text.write_view(v, view, seat)) == view).all()
            world = table.imagined(seat, checked)
            assert dispatch.sound(v, world.s)
            assert (GAME.view(v, world.s, 0) == view).all()
            short = text.write_short(v, view, seat).splitlines()[0]
            assert len(short.split()[-1].split("|")) == 2
        checked += 1
    assert checked > 10


def test_rows_may_be_longer_than_half_the_deck() -> None:
    v = GAME.make_variant(deck=16, shortage="last_card", pickup="choice")
    diagram = """
        player_0 began, player_0 to flip, 1 turns
        player_0: - | JC QC KC AC JS QS AS
        player_1: - | JH QH KH AH JD KS AD QD KD
        """
    s = after(v, diagram, "flip, flip, flip, flip, flip, flip")
    at, view = Parts(v), GAME.view(v, s, 0)
    assert view[at.laid : at.sizes].tolist() == [7, 9]
    assert (GAME.high(v)[at.laid : at.sizes] == 10).all()
    dispatch.play(v, s, OWN_FIRST)
    assert (s.turn, s.payoff.tolist()) == (OVER, [1, -1])  # AS against KD: seven cards have won over nine


def test_positions_that_the_rule_excludes_are_refused() -> None:
    row = "player_0 began, player_1 to flip, 3 turns\nplayer_0: TC JC? AC | {}\nplayer_1: TH | {}"
    rest = " ".join(f"{c}?" for c in REST.split()[1:])
    assert position(LAST, row.format("-", rest)).top[0] == 3
    with pytest.raises(ValueError, match="player_0 cannot have laid 3 cards"):
        position(LOSE, row.format("-", rest))
    with pytest.raises(ValueError, match="player_0 cannot have laid 3 cards"):  # a card is left to lay
        position(LAST, row.format("QH?", rest.replace("QH? ", "")))


def test_buttons_count_what_is_laid() -> None:
    for held, words in (("TC JC AC", "lay one and flip"), ("TC JC", "flip"), ("TC JC QC KC AC", "lay three and flip")):
        rest = " ".join(dict.fromkeys(c for c in [*REST.split(), "JC", "AC"] if c not in held.split()))
        s = after(LAST, SHORT_OF.format(held, rest), "flip, flip")
        assert GAME.text.table_words(LAST, s, FLIP) == words


def test_players_play_the_rule() -> None:
    for name in ("flip", "lookahead"):
        player: Any = agents.load(f"war:{name}", **GAME.options(CHOICE))
        for table in played(CHOICE, 10):
            mask = table.mask()
            assert mask[player.act(table.view(table.turn), mask)]


def test_short_rules_tell_the_rule() -> None:
    assert "who has fewer lays all, the last one face up; who has none loses." in text.short_rules(LAST)
    assert "who has fewer than four cards loses." in text.short_rules(LOSE)
