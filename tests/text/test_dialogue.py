"""Games played by talk: who is told what, and what bad answers come to."""

from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.text.dialogue import Dialogue, dialogue
from kozyr.envs.table.event import Kind

from .stub import legal
from .test_players import GAMES


def played(game: Dialogue, seed: int) -> list[tuple[int, str]]:
    """Play at random and return what each seat was told before its answers."""
    rng, told = np.random.default_rng(seed), list[tuple[int, str]]()
    while not game.over:
        seat, prompt = game.turn, game.ask(game.news(game.turn))
        told.append((seat, prompt))
        words = legal(prompt)
        assert game.answer(f"Let me see.\n\n{words[rng.integers(len(words))]}") == ""
    return told


@pytest.mark.parametrize(("game", "options"), GAMES, ids=[game for game, _ in GAMES])
def test_whole_games(game: str, options: dict[str, Any]) -> None:
    one = dialogue(game, 3, **options)
    told = played(one, 1)
    assert len(told) == sum(one.answers) > 3
    assert one.illegal == [0] * one.table.seats
    assert one.reason.startswith("the game is over")
    assert one.payoffs == one.table.payoffs
    assert all(f"player_{seat} (you)" in prompt for seat, prompt in told)
    assert one.rules(0) not in told[-1][1]  # the rules are told apart
    with pytest.raises(RuntimeError, match="the game is over: begin another one"):
        one.answer("pass")


def test_news_come_once_and_without_ones_own_answers() -> None:
    one = dialogue("durak", 8)
    heard = {seat: list[str]() for seat in range(2)}
    rng = np.random.default_rng(2)
    while not one.over:
        seat = one.turn
        heard[seat] += map(str, one.news(seat))
        words = legal(one.ask())
        one.answer(words[rng.integers(len(words))])
    for seat in heard:
        heard[seat] += map(str, one.news(seat))
        assert not one.news(seat)
    events = one.table.events()
    for seat, other in ((0, 1), (1, 0)):
        theirs = [str(event) for event in events if event.kind == Kind.MOVED and event.seat == other]
        assert [line for line in heard[seat] if line.startswith(f"player_{other}: ")] == theirs
        assert heard[seat][-1] == one.reason
        mine = [line for line in heard[seat] if line.startswith(f"player_{seat}: ")]
        assert len(mine) == sum(e.kind == Kind.MOVED and e.seat == seat for e in events) - one.answers[seat]  # forced


def test_bad_answers_lose_the_game() -> None:
    one = dialogue("mnk", 1, 0, retries=2, m=3, n=3, k=3)
    assert one.answer("b2") == ""
    assert one.answer("b2") == "'b2' is not legal now"
    assert "it holds no action" in one.answer("hm")
    assert one.answer("a1") == ""  # a good one makes the bad ones forgotten
    assert one.answer("c1") == ""
    for _ in range(3):
        assert not one.over
        assert "it holds no action" in one.answer("")
    assert one.over
    assert one.payoffs == [1.0, -1.0]
    assert one.reason == "player_1 forfeits: illegal action; the game is over: player_0 +1, player_1 -1"
    assert (one.answers, one.illegal) == ([2, 6], [0, 5])


def test_hidden_cards_stay_hidden() -> None:
    """No card of another hand that its seat does not know stands in what it is told."""
    it = envs.game("durak")
    for seed in range(6):
        one = dialogue("durak", seed, players=3)
        rng = np.random.default_rng(seed)
        while not one.over:
            seat, state = one.turn, one.table.states[0]
            hidden = [card for card in range(52) if hides(state, card, seat)]
            prompt = one.ask(one.news(seat))
            words = {it.text.say(one.table.variant, state, card) for card in hidden}
            assert not words & set(prompt.replace(",", " ").replace("/", " ").split())
            choice = legal(prompt)
            one.answer(choice[rng.integers(len(choice))])


def hides(state: Any, card: int, seat: int) -> bool:
    """Tell whether a card lies in another hand, unknown, or in the stock."""
    others = [k for k in range(3) if k != seat]
    hands = any(int(state.cards[k]) >> card & 1 for k in others)
    stock = card in state.stock[int(state.drawn) : 52].tolist()
    return (hands and not int(state.known) >> card & 1) or stock
