"""Measure Pgx's tic_tac_toe: on one core, and where JAX has a GPU, there."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from .timing import Row, measure

SEED = 1
TABLES = 1024
CALLS = 20  # calls from Python between two waits for the device
SCAN = 100  # steps inside one compiled scan


def tic_tac_toe(seconds: float) -> Iterator[Row]:
    """Measure Pgx's tic_tac_toe on one CPU thread, stepped from Python and inside one compiled scan."""
    with _one_core():
        import jax

        one, batch = _pgx_step()
        with jax.default_device(jax.local_devices(backend="cpu")[0]):
            for name, run in (
                ("step called from Python", _pgx_called(one, batch)),
                (f"compiled scan of {SCAN}", _pgx_scanned(one, batch)),
            ):
                yield measure(
                    f"tic_tac_toe N={TABLES}, {name}",
                    run,
                    library=f"pgx {version('pgx')}, jax {version('jax')}",
                    counts="decision: random legal action, step, auto reset, all jitted and vmapped",
                    views=True,
                    masks=True,
                    seconds=seconds,
                )


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


def tic_tac_toe_on_gpu(seconds: float, tables: int) -> Iterator[Row]:
    """Measure Pgx's tic_tac_toe inside one compiled scan on JAX's GPU; no row where JAX has none."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take three quarters of the memory
    import jax

    if jax.default_backend() == "gpu":
        yield measure(
            f"tic_tac_toe on {jax.devices()[0].device_kind}, N={tables:,}, compiled scan of {SCAN}",
            _pgx_scanned(*_pgx_step(tables), tables),
            library=f"pgx {version('pgx')}, jax {version('jax')}",
            counts="decision: random legal action, step, auto reset, all jitted and vmapped",
            views=True,
            masks=True,
            clock="wall",
            seconds=seconds,
        )


def _pgx_step(tables: int = TABLES) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
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
        for _ in range(CALLS):
            carry = step(carry)
        jax.block_until_ready(carry)
        return CALLS * TABLES

    return run


def _pgx_scanned(one: Callable[[Any], Any], batch: Callable[[], Any], tables: int = TABLES) -> Callable[[], int]:
    """Return a function that makes many steps in one compiled call: Pgx at its best."""
    import jax

    scan = jax.jit(lambda carry: jax.lax.scan(lambda c, _: (one(c), None), carry, length=SCAN)[0])
    carry = batch()

    def run() -> int:
        nonlocal carry
        carry = jax.block_until_ready(scan(carry))
        return SCAN * tables

    return run
