"""The command that lets a person play: `kozyr play`."""

import sys
from secrets import randbits
from typing import Annotated, Any

import typer

from kozyr.training.cli.terminal import Failure, Settings, options


def sit(
    game: Annotated[str, typer.Argument(help="A name from `kozyr games`.")],
    against: Annotated[
        list[str] | None,
        typer.Option(help="Who plays against you, as policy, low or pimc@50ms; once a seat, the last fills the rest."),
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    settings: Settings = None,
    seed: Annotated[int | None, typer.Option(help="Fixes the deal; drawn if you do not say.")] = None,
    clock: Annotated[
        str | None, typer.Option(help="Seconds for each move, as 30, or for the game and each move more, as 300+5.")
    ] = None,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in this terminal.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Play line by line: for pipes and screen readers.")] = False,
) -> None:
    """Play a game yourself."""
    from kozyr import envs
    from kozyr.agents.human import seating
    from kozyr.envs.api import check

    it = envs.game(game)
    variant = it.make_variant(**options(settings))
    seats = seating.seating(it, variant, against or [], seat)
    if not (terminal or plain):
        raise ValueError("say where to play: --terminal, or --plain for pipes and screen readers")
    start = _plain if plain else _terminal
    start(it, variant, seats, randbits(63) if seed is None else check.seed(seed), seating.clock(clock))


def _plain(game: Any, variant: Any, seats: list[str], seed: int, clock: Any) -> None:
    """Play one game line by line."""
    from kozyr.agents.human import plain
    from kozyr.envs.api.table import Table

    table = Table(game, variant, seed, clock=clock, names=_names(seats))
    plain.run(table, _players(game, variant, seats))


def _terminal(game: Any, variant: Any, seats: list[str], seed: int, clock: Any) -> None:
    """Play game after game in the terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("--terminal needs a terminal: play with --plain where input or output is a pipe")
    try:
        from kozyr.agents.human import terminal
    except ModuleNotFoundError as missing:
        raise Failure("the terminal needs Textual: pip install 'kozyr[play]', or play with --plain") from missing
    from kozyr.envs.api.table import Table

    players = _players(game, variant, seats)
    terminal.run(lambda n: Table(game, variant, (seed + n) % 2**63, clock=clock, names=_names(seats)), players)


def _names(seats: list[str]) -> list[str]:
    """Return what the seats are called."""
    from kozyr.agents.human.opponents import ME

    return ["you" if one == ME else one for one in seats]


def _players(game: Any, variant: Any, seats: list[str]) -> list[Any]:
    """Return the agents of the seats, None for the person."""
    from kozyr import agents
    from kozyr.agents.human.opponents import ME

    set_to = game.options(variant)
    return [None if one == ME else agents.load(one, game=game.name, **set_to) for one in seats]
