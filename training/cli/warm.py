"""The command that compiles games ahead of time."""

import time

import typer

from kozyr.training.cli.terminal import Games


def warm(
    games: Games = None,
) -> None:
    """Compile games ahead of time, so that nothing waits later."""
    from kozyr import envs
    from kozyr.agents.arena import precompile as warm
    from kozyr.envs.compile import INTERPRETED, compiled, folder

    if INTERPRETED:
        raise ValueError("NUMBA_DISABLE_JIT is set, so nothing is compiled: unset it")
    for game in games or envs.games():
        for name, do in warm.steps(game):
            before, began = len(compiled), time.perf_counter()
            do()
            typer.echo(f"{game}: {name}: {time.perf_counter() - began:.1f} s, {len(compiled) - before} compiled")
    typer.echo(f"The machine code lies in {folder()}")
