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
    from kozyr.envs.api import check

    it = envs.game(game)
    variant = it.make_variant(**options(settings))
    names = seated(it.seats(variant), against or ["random"], check.seat("seat", seat, it.seats(variant)))
    if not (terminal or plain):
        raise ValueError("say where to play: --terminal, or --plain for pipes and screen readers")
    start = _plain if plain else _terminal
    start(it, variant, names, randbits(63) if seed is None else check.seed(seed), timed(clock))


def seated(seats: int, against: list[str], seat: int) -> list[str | None]:
    """Return who plays in each seat, None for the person; the last opponent fills the seats left.

    Raises:
        ValueError: for more opponents than there are seats.
    """
    if len(against) > seats - 1:
        raise ValueError(f"{len(against)} opponents are too many: this game has {seats} seats, and one is yours")
    names = [*against, *[against[-1]] * (seats - 1 - len(against))]
    return [*names[:seat], None, *names[seat:]]


def timed(text: str | None) -> Any:
    """Return the clock that a text describes: "30" for each move, "300+5" for the game with 5 more a move.

    Raises:
        ValueError: for anything else.
    """
    from kozyr.envs.api.clock import Clock

    if text is None:
        return None
    game, plus, more = text.partition("+")
    try:
        numbers = [float(part) for part in ((game, more) if plus else (game,))]
    except ValueError:
        raise ValueError(f"--clock {text!r} is not allowed: write 30 for each move, or 300+5 for the game") from None
    return Clock(game=numbers[0], increment=numbers[1]) if plus else Clock(move=numbers[0])


def _plain(game: Any, variant: Any, names: list[str | None], seed: int, clock: Any) -> None:
    """Play one game line by line."""
    from kozyr.agents.human import plain
    from kozyr.envs.api.table import Table

    table = Table(game, variant, seed, clock=clock, names=[name or "you" for name in names])
    plain.run(table, _players(game, variant, names))


def _terminal(game: Any, variant: Any, names: list[str | None], seed: int, clock: Any) -> None:
    """Play game after game in the terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("--terminal needs a terminal: play with --plain where input or output is a pipe")
    try:
        from kozyr.agents.human import terminal
    except ModuleNotFoundError as missing:
        raise Failure("the terminal needs Textual: pip install 'kozyr[play]', or play with --plain") from missing
    from kozyr.envs.api.table import Table

    players = _players(game, variant, names)
    shown = [name or "you" for name in names]
    terminal.run(lambda n: Table(game, variant, (seed + n) % 2**63, clock=clock, names=shown), players)


def _players(game: Any, variant: Any, names: list[str | None]) -> list[Any]:
    """Return the agents of the seats, None for the person."""
    from kozyr import agents

    set_to = game.options(variant)
    return [None if name is None else agents.load(name, game=game.name, **set_to) for name in names]
