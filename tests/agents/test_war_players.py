"""War's lookahead: how far its worlds are played on, what decks are worth there, and that it counts them out."""

from typing import Any

import numpy as np

from kozyr import agents, envs
from kozyr.agents.arena import match
from kozyr.agents.search import determinization
from kozyr.agents.war.search import evaluate, is_cutoff, worth
from kozyr.envs import registry
from kozyr.envs.core.dispatch import legal, play
from kozyr.envs.core.state import OVER
from kozyr.envs.war import GAME
from kozyr.envs.war.actions import HIGH_FIRST
from kozyr.envs.war.rules import RANK

CHOICE: dict[str, Any] = {"pickup": "choice"}


def test_a_world_goes_on_for_thirty_turns_or_to_the_end() -> None:
    v, board = GAME.make_variant(**CHOICE), determinization.scratch(GAME, GAME.make_variant(**CHOICE))
    registry.seat_bots(GAME)
    level, over = agents.names("war").index("high_first"), 0
    for seed in range(60):
        s = envs.make_tables("war", 1, seed=seed, **CHOICE).states.copy()[0]
        root = s.copy()
        while not is_cutoff(v, s, root):
            assert s.turns < 30
            determinization.play_out(v, s, root, level, level, 1, board)
        over += int(s.turn == OVER)
        assert s.turn == OVER or s.turns == 30
    assert over < 60


def test_what_is_won_is_the_payoff_or_the_squares_of_the_ranks() -> None:
    v = GAME.make_variant(deck=24, **CHOICE)
    s, mask = envs.make_tables("war", 1, seed=5, deck=24, **CHOICE).states.copy()[0], np.zeros(5, np.int8)
    ends = 0
    for _ in range(400):
        if s.turn == OVER:
            assert [evaluate(v, s, s, seat) for seat in range(2)] == s.payoff.tolist()
            ends += 1
            break
        for seat in range(2):
            cards = [s.line[seat, i % 64] for i in range(s.top[seat], s.end[seat])]
            np.testing.assert_allclose(worth(v, s, seat), sum(((RANK[24, c] + 1) / 6) ** 2 for c in cards))
        assert evaluate(v, s, s, 0) == -evaluate(v, s, s, 1)
        assert -1 <= evaluate(v, s, s, 0) <= 1
        legal(v, s, mask)
        play(v, s, HIGH_FIRST if mask[HIGH_FIRST] else int(mask.argmax()))
    assert ends == 1


def test_it_beats_the_player_that_is_played_in_its_worlds() -> None:
    assert match("war", ["lookahead@4", "high_first"], deals=60, **CHOICE).agents[0].score > 0.85
