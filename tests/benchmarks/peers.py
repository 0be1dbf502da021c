"""Measure the peers: PettingZoo, OpenSpiel, Pgx and RLCard, each where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from random import Random
from statistics import fmean
from typing import Any

from . import aec, pgx
from .timing import SECONDS, Row, measure

SEED = 1
OPENSPIEL_GAMES = ("gomoku(size=15)", "crazy_eights")
OPENSPIEL_OVER = -4  # pyspiel.PlayerId.TERMINAL as a plain int
ROLLOUTS = 200  # random games inside one call into C++
SAMPLE = 2000  # games that the mean length of a random game is taken from
RLCARD_GAMES = ("doudizhu", "leduc-holdem")


def rows(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure every peer that is installed and say which are not."""
    for peer in (pettingzoo, openspiel, openspiel_playouts, pgx.tic_tac_toe, rlcard):
        try:
            yield from peer(seconds)
        except ModuleNotFoundError as missing:
            print(f"skipped {peer.__name__}: {missing} (install the extra [bench])", file=sys.stderr)


def pettingzoo(seconds: float) -> Iterator[Row]:
    """Measure the AEC loop on two classic environments, bare and wrapped."""
    from pettingzoo.classic import connect_four_v3, tictactoe_v3

    for module in (connect_four_v3, tictactoe_v3):
        for maker in ("raw_env", "env"):
            env = getattr(module, maker)()
            yield measure(
                f"{module.__name__.rsplit('.', 1)[-1]}.{maker}",
                aec.games(env, SEED),
                library=f"pettingzoo {version('pettingzoo')}",
                counts=aec.COUNTS,
                views=True,
                masks=True,
                seconds=seconds,
            )


def openspiel(seconds: float) -> Iterator[Row]:
    """Measure OpenSpiel's states stepped from Python, with an observation buffer and a mask a decision."""
    import pyspiel

    for name in OPENSPIEL_GAMES:
        yield measure(
            f"{name} from Python",
            _openspiel_games(pyspiel.load_game(name)),
            library=f"open_spiel {version('open_spiel')}",
            counts="decision: observation into a reused buffer, mask (a list), choice, apply; "
            "chance moves and new games run inside, uncounted",
            views=True,
            masks=True,
            seconds=seconds,
        )


def openspiel_playouts(seconds: float) -> Iterator[Row]:
    """Measure OpenSpiel's random playouts that run wholly in C++."""
    import pyspiel

    for name in OPENSPIEL_GAMES:
        game = pyspiel.load_game(name)
        length = _openspiel_length(game)
        yield measure(
            f"{name} C++ playouts",
            _openspiel_rollouts(game, length),
            library=f"open_spiel {version('open_spiel')}",
            counts=f"decision inside RandomRolloutEvaluator: {ROLLOUTS} rollouts a call times "
            f"{length:.1f}, the mean of {SAMPLE} random games; chance moves uncounted",
            views=False,
            masks=False,
            seconds=seconds,
        )


def rlcard(seconds: float) -> Iterator[Row]:
    """Measure RLCard's step loop, which returns an encoded state and the legal actions as a dict."""
    import rlcard as library

    for name in RLCARD_GAMES:
        yield measure(
            name,
            _rlcard_games(library.make(name, config={"seed": SEED})),
            library=f"rlcard {version('rlcard')}",
            counts="decision: random legal action (from the state's dict of them) + step; resets run inside, uncounted",
            views=True,
            masks=False,
            seconds=seconds,
        )


def _openspiel_games(game: Any) -> Callable[[], int]:
    """Return a function that plays one game through Python and returns its decisions."""
    from open_spiel.python.observation import make_observation

    view: Any = make_observation(game)
    actions = game.num_distinct_actions()
    draw = Random(SEED).random

    def run() -> int:
        state = game.new_initial_state()
        decisions = 0
        while (seat := state.current_player()) != OPENSPIEL_OVER:
            if seat < 0:  # chance, whose outcomes are equally likely in these games
                outcomes = state.legal_actions()
                state.apply_action(outcomes[int(draw() * len(outcomes))])
                continue
            view.set_from(state, seat)
            state.apply_action(_first_legal(state.legal_actions_mask(), int(draw() * actions)))
            decisions += 1
        return decisions

    return run


def _first_legal(mask: list[int], place: int) -> int:
    """Return the first legal action from `place` on, or else from the beginning."""
    try:
        return mask.index(1, place)
    except ValueError:
        return mask.index(1)


def _openspiel_length(game: Any) -> float:
    """Return the mean number of decisions in a random game that C++ bots play."""
    import pyspiel

    bots = [pyspiel.make_uniform_random_bot(seat, SEED + seat) for seat in range(game.num_players())]
    lengths = []
    for deal in range(SAMPLE):
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, deal)
        lengths.append(sum(move.player >= 0 for move in state.full_history()))
    return fmean(lengths)


def _openspiel_rollouts(game: Any, length: float) -> Callable[[], float]:
    """Return a function that runs rollouts from a fresh deal and returns about how many decisions they took.

    Python cannot call an evaluator itself; a search of one simulation does nothing but evaluate its root.
    """
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, SEED)
    search = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1, False, SEED, False)
    draw = Random(SEED).random

    def run() -> float:
        state = game.new_initial_state()
        while state.is_chance_node():
            outcomes = state.legal_actions()
            state.apply_action(outcomes[int(draw() * len(outcomes))])
        search.mcts_search(state)
        return ROLLOUTS * length

    return run


def _rlcard_games(env: Any) -> Callable[[], int]:
    """Return a function that plays one game and returns its decisions."""
    draw = Random(SEED).random

    def run() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(draw() * len(legal))])
            decisions += 1
        return decisions

    return run
