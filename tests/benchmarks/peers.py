"""Measure the peers: PettingZoo, OpenSpiel, Pgx and RLCard, each where it is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from random import Random
from statistics import fmean
from typing import Any

from . import aec
from .timing import SECONDS, Row, measure

SEED = 1
OPENSPIEL_GAMES = ("gomoku(size=15)", "crazy_eights")
OPENSPIEL_OVER = -4  # pyspiel.PlayerId.TERMINAL as a plain int
ROLLOUTS = 200  # random games inside one call into C++
SAMPLE = 2000  # games that the mean length of a random game is taken from
PGX_TABLES = 1024
PGX_CALLS = 20  # calls from Python between two waits for the device
PGX_SCAN = 100  # steps inside one compiled scan
RLCARD_GAMES = ("doudizhu", "leduc-holdem")


def rows(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure every peer that is installed and say which are not."""
    for peer in (pettingzoo, openspiel, openspiel_playouts, pgx, rlcard):
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


def pgx(seconds: float) -> Iterator[Row]:
    """Measure Pgx's tic_tac_toe on one CPU thread, stepped from Python and inside one compiled scan."""
    with _one_core():
        import jax

        one, batch = _pgx_step()
        with jax.default_device(jax.local_devices(backend="cpu")[0]):
            for name, run in (
                ("step called from Python", _pgx_called(one, batch)),
                (f"compiled scan of {PGX_SCAN}", _pgx_scanned(one, batch)),
            ):
                yield measure(
                    f"tic_tac_toe N={PGX_TABLES}, {name}",
                    run,
                    library=f"pgx {version('pgx')}, jax {version('jax')}",
                    counts="decision: random legal action, step, auto reset, all jitted and vmapped",
                    views=True,
                    masks=True,
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


@contextmanager
def _one_core() -> Generator[None]:
    """Keep the threads that JAX starts here on one core, so that it runs one thread."""
    flags = os.environ.get("XLA_FLAGS")
    os.environ["XLA_FLAGS"] = f"{flags or ''} --xla_cpu_multi_thread_eigen=false".strip()
    pins = hasattr(os, "sched_setaffinity")
    cores = os.sched_getaffinity(0) if pins else set()
    if pins:
        os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        if flags is None:
            del os.environ["XLA_FLAGS"]
        else:
            os.environ["XLA_FLAGS"] = flags
        if pins:
            os.sched_setaffinity(0, cores)


def pgx_on_gpu(seconds: float, tables: int) -> Iterator[Row]:
    """Measure Pgx's tic_tac_toe inside one compiled scan on JAX's GPU; no row where JAX has none."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take three quarters of the memory
    import jax

    if jax.default_backend() == "gpu":
        yield measure(
            f"tic_tac_toe on {jax.devices()[0].device_kind}, N={tables:,}, compiled scan of {PGX_SCAN}",
            _pgx_scanned(*_pgx_step(tables), tables),
            library=f"pgx {version('pgx')}, jax {version('jax')}",
            counts="decision: random legal action, step, auto reset, all jitted and vmapped",
            views=True,
            masks=True,
            clock="wall",
            seconds=seconds,
        )


def _pgx_step(tables: int = PGX_TABLES) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    """Return one step of all tables, from (states, key) to the same, and a maker of its first argument."""
    import jax
    import jax.numpy as jnp
    import pgx as library
    from pgx.experimental import auto_reset

    env = library.make("tic_tac_toe")
    step = jax.vmap(auto_reset(env.step, env.init))

    def choose(key: Any, masks: Any) -> Any:
        ranks = jnp.cumsum(masks.astype(jnp.int32), axis=1)
        drawn = (jax.random.uniform(key, (tables, 1)) * ranks[:, -1:]).astype(jnp.int32)
        return jnp.argmax(ranks > drawn, axis=1)

    def one(carry: Any) -> Any:
        states, key = carry
        key, choice, deals = jax.random.split(key, 3)
        actions = choose(choice, states.legal_action_mask)
        return step(states, actions, jax.random.split(deals, tables)), key

    def batch() -> Any:
        key = jax.random.key(SEED)
        return jax.jit(jax.vmap(env.init))(jax.random.split(key, tables)), key

    return one, batch


def _pgx_called(one: Callable[[Any], Any], batch: Callable[[], Any]) -> Callable[[], int]:
    """Return a function that calls the jitted step some times from Python."""
    import jax

    step = jax.jit(one)
    carry = batch()

    def run() -> int:
        nonlocal carry
        for _ in range(PGX_CALLS):
            carry = step(carry)
        jax.block_until_ready(carry)
        return PGX_CALLS * PGX_TABLES

    return run


def _pgx_scanned(one: Callable[[Any], Any], batch: Callable[[], Any], tables: int = PGX_TABLES) -> Callable[[], int]:
    """Return a function that makes many steps in one compiled call: Pgx at its best."""
    import jax

    scan = jax.jit(lambda carry: jax.lax.scan(lambda c, _: (one(c), None), carry, length=PGX_SCAN)[0])
    carry = batch()

    def run() -> int:
        nonlocal carry
        carry = jax.block_until_ready(scan(carry))
        return PGX_SCAN * tables

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
