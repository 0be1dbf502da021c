"""The command `kozyr`: games, agents, matches, records, figures and training from a terminal."""

from collections.abc import Callable
from copy import copy
from typing import Annotated, Any, get_args

import typer

from kozyr.training.cli import build, datasets, evaluate, games, learn, play, records, remote, scores, tournaments
from kozyr.training.cli.terminal import app

PLAY, TRAIN, EVALUATE, INSPECT, BUILD = "Play", "Train", "Evaluate", "Inspect", "Build on it"
MORE = "More options"  # the second group in the help of a command


def _add(panel: str, command: Callable[..., Any], example: str, first: str = "", hidden: bool = False) -> None:
    """Add a command to a group of the overview.

    Args:
        panel: the group; command: what it calls.
        example: a command line; its first word is the command's name.
        first: the options that most users need, which the help shows before all others; none: all of them.
        hidden: leave the command out of the overview.
    """
    _sort_options(command, first)
    epilog = f"Example: kozyr {example}"
    app.command(example.split()[0], epilog=epilog, rich_help_panel=panel, hidden=hidden)(command)


def _add_all(panel: str, commands: typer.Typer, name: str, first: str) -> None:
    """Add commands that have a name in common."""
    for one in commands.registered_commands:
        assert one.callback is not None
        _sort_options(one.callback, first)
    app.add_typer(commands, name=name, rich_help_panel=panel)


def _sort_options(command: Callable[..., Any], first: str) -> None:
    """Put the options that are not among the first into the second group of a command's help."""
    for name, hint in command.__annotations__.items():
        kind, *infos = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
        if first and infos and name not in first.split() and not isinstance(infos[0], typer.models.ArgumentInfo):
            option = copy(infos[0])
            option.rich_help_panel = MORE
            command.__annotations__[name] = Annotated[kind, option]


_add(PLAY, play.sit, "play durak --against policy", "against seat settings clock terminal")
_add(PLAY, play.watch, "watch mnk search policy", "settings seed")

_add(
    TRAIN,
    learn.train,
    "train durak --preset demo --out runs/demo --seed 1",
    "preset out seed seeds timesteps minutes resume settings_file settings",
)
_add(
    TRAIN,
    learn.imitate,
    "imitate durak --teacher heuristic --out runs/taught",
    "teacher decisions preset out seed resume settings",
)
_add(
    TRAIN,
    learn.iterate,
    "iterate durak --preset strong --first policy --search pimc@100 --out runs/iterate",
    "preset first start search rounds out settings",
)
_add(
    TRAIN,
    learn.train_search,
    "train-search mnk --rounds 3 --workers 2 --out runs/search",
    "rounds games workers out",
    hidden=True,
)
_add(TRAIN, learn.plot, "plot runs/durak-demo runs/mine --out curves.html")
_add(TRAIN, learn.sweep, "sweep durak --preset demo --trials 16 --timesteps 200000", "preset trials timesteps out")
_add(TRAIN, learn.publish, "publish runs/demo mine --out policies --against low", "out against deals settings hub")

_add(
    EVALUATE,
    evaluate.match,
    "match durak passive low --deals 2000 --set deck=36 --workers 2",
    "deals seed settings workers record",
)
_add(
    EVALUATE,
    evaluate.evaluate,
    "evaluate runs/demo/policy.onnx --against passive --deals 2000",
    "against deals seed workers",
)
_add(EVALUATE, evaluate.compare, "compare durak heuristic low --elo0 0 --elo1 20", "elo0 elo1 deals settings store")
_add(EVALUATE, tournaments.league, "league durak --deals 500 --out runs/league", "deals settings out workers")
_add(EVALUATE, tournaments.ladder, "ladder war --set pickup=choice --out runs/ladder", "deals settings out workers")
_add(
    EVALUATE,
    tournaments.cup,
    "cup daifugo random course low heuristic policy --out runs/cup",
    "form deals settings out workers time",
)
_add(
    EVALUATE,
    evaluate.exploit,
    "exploit runs/demo/policy.onnx --by search --deals 500",
    "by decisions deals out settings",
)
_add(
    EVALUATE,
    evaluate.exploitability,
    "exploitability war --set deck=8 --set pickup=choice",
    "settings out",
    hidden=True,
)
_add_all(EVALUATE, scores.score, "score", "suite quick out card workers sample")

_add(INSPECT, games.games, "games durak")
_add(INSPECT, games.agents, "agents durak")
_add(INSPECT, records.replay, "replay games.jsonl --game 1 --every", "game every html open_ analyst seat")
_add(INSPECT, games.stats, "stats durak --deals 100000")
_add(INSPECT, games.schema, "schema durak --set deck=36", hidden=True)
_add(INSPECT, datasets.export, "export games.jsonl games.parquet", "to card")
_add(INSPECT, datasets.import_games, "import 0_1_0_1.psq 0_1_1_1.psq --out games.jsonl", hidden=True)

_add(BUILD, build.new_game, "new-game my_game --cards")
_add(BUILD, build.new_agent, "new-agent mine --language cpp")
_add(BUILD, build.site, "web durak 'mnk m=3 n=3 k=3' --out site")
_add(BUILD, build.wasm, "wasm durak --set deck=36 --out site/games", "out policy settings")
_add(BUILD, remote.mcp, "mcp --replays replays")
_add(BUILD, build.warm, "warm durak")
_add_all(BUILD, remote.serve, "serve", "address port host clients agent games settings")
_add_all(BUILD, remote.join, "join", "agent name")
_add_all(BUILD, remote.engine, "engine", "agent")

__all__ = ["app"]
