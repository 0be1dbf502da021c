"""One word for one action: on the button, in the log, in the viewer, as a hint and in the terminal."""

from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.play.host.choices import choices, find_choice
from kozyr.agents.play.host.seat_view import RENDERER
from kozyr.agents.play.host.server_table import ServerTable
from kozyr.agents.play.session.words import in_english, lines
from kozyr.agents.text.question import QuestionWriter
from kozyr.envs.core import labels
from kozyr.envs.table import record
from kozyr.envs.table.event import Kind
from kozyr.envs.table.table import Table
from kozyr.envs.viewer.frames import frames

UECDA = {"rules": "uecda", "rounds": 2}
RULES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in envs.games()),
    ("durak", {"rules": "perevodnoy", "players": 3}),
    ("durak", {"rules": "proyezdnoy"}),
    ("war", {"pickup": "choice"}),
    ("war", {"deck": 12, "shortage": "last_card"}),
    ("daifugo", UECDA),
]
PLIES = 120


def games(name: str, options: dict[str, Any]) -> Any:
    """Give tables at which somebody is to move, with a legal action that was drawn."""
    game, rng = envs.game(name), np.random.default_rng(5)
    for seed in range(3):
        table = Table(game, game.make_variant(**options), seed)
        while not table.over and table.ply < PLIES:
            yield table, int(rng.choice(np.flatnonzero(table.mask)))


@pytest.mark.parametrize(("name", "options"), RULES)
def test_the_button_and_the_log_call_an_action_the_same(name: str, options: dict[str, Any]) -> None:
    for table, action in games(name, options):
        seat = table.turn
        offered = {one.action: one.words for one in choices(table)}
        assert len(set(offered.values())) == len(offered)
        [event, *_] = [one for one in table.apply(action) if one.kind == Kind.MOVED]
        assert event.for_seat(seat).words == offered[action]
        assert in_english(lines([event], seat)) == [(event.ply, seat, offered[action])]
        heard = [event.for_seat(k).words for k in range(table.seats)]
        assert {one.split()[0] for one in heard} == {offered[action].split()[0]}


@pytest.mark.parametrize(("name", "options"), RULES)
def test_what_one_may_not_hear_is_hidden_in_both_wordings(name: str, options: dict[str, Any]) -> None:
    for table, action in games(name, options):
        seat = table.turn
        event = table.apply(action)[0]
        own = event.for_seat(seat)
        assert own.action == action
        for k in (None, *range(table.seats)):
            one = event.for_seat(k)
            assert (one.text == own.text) == (one.action == action)
            if one.action is None:
                assert one.words != own.words


@pytest.mark.parametrize(("name", "options"), RULES)
def test_the_old_words_are_still_understood(name: str, options: dict[str, Any]) -> None:
    for table, action in games(name, options):
        offered = choices(table)
        for one in offered:
            assert find_choice(table, offered, one.words.upper()) == one
            assert find_choice(table, offered, one.text) == one
        table.apply(action)


@pytest.mark.parametrize("name", ["durak", "draw_poker", "war"])
def test_a_language_model_may_answer_with_the_words_of_a_button(name: str) -> None:
    game = envs.game(name)
    writer = QuestionWriter(game, game.make_variant())
    for table, action in games(name, {}):
        question = writer.question(table.turn, table.view(table.turn), table.mask, [])
        for one in choices(table):
            assert question.reader.read(f"I think of it.\n{one.words}") == one.action
            assert question.reader.read(one.text) == one.action
        table.apply(action)


def test_words_of_a_position_are_those_that_card_players_use() -> None:
    durak, poker = envs.game("durak"), envs.game("draw_poker")
    table = Table(durak, durak.make_variant(deck=36), 1)
    table.apply(int(np.flatnonzero(table.mask)[0]))
    assert [one.words for one in choices(table) if one.text == "pass"] == ["take"]
    table = Table(poker, poker.make_variant(), 1)
    assert [one.words for one in choices(table)][:3] == ["fold", "check", "bet 1"]
    for _ in range(4):
        table.apply(1)
    assert choices(table)[0].words == "stand pat"
    event = table.apply(choices(table)[3].action)[0]
    assert [event.for_seat(k).words for k in range(4)].count("exchange 2 cards") == 3


def test_the_viewer_uses_the_same_words() -> None:
    game = envs.game("durak")
    table, told, rng = Table(game, game.make_variant(deck=36), 1), list[str](), np.random.default_rng(1)
    while not table.over:
        told.append(table.apply(int(rng.choice(np.flatnonzero(table.mask))))[0].words)
    assert {"take", "done"} <= set(told)
    shown = [one.words for one in frames(table.record)][1:]
    assert [words[0].partition(": ")[2] for words in shown] == told


def test_advice_at_a_table_has_the_words_of_its_buttons() -> None:
    game = envs.game("durak")
    table = Table(game, game.make_variant(deck=36), 1, id="one")
    table.apply(int(np.flatnonzero(table.mask)[0]))
    server = ServerTable(record.write(table.record), {}, None)
    actions = [one.action for one in choices(table)]
    assert [labels.say(one) for one in server.say(table.ply, actions)] == [one.words for one in choices(table)]
    assert b'"take"' in bytes(RENDERER.render(server.table, table.turn).choices)
