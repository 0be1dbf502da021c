"""The command `kozyr`: games, agents, matches, records, figures and training from a terminal."""

from collections.abc import Callable
from typing import Any

import typer

from kozyr.training.cli import (
    count,
    cup,
    exploit,
    exploitability,
    export,
    games,
    iterate,
    ladder,
    leaderboard,
    league,
    learn,
    mcp,
    measure,
    new_game,
    play,
    publish,
    remote,
    replay,
    schema,
    sit,
    train_search,
    warm,
    web,
)
from kozyr.training.cli.terminal import app

PLAY, TRAIN, EVALUATE, INSPECT, BUILD = "Play", "Train", "Evaluate", "Inspect", "Build on it"


def _add(panel: str, command: Callable[..., Any], example: str) -> None:
    """Add a command to a group of the overview; the first word of its example is its name."""
    app.command(example.split()[0], epilog=f"Example: kozyr {example}", rich_help_panel=panel)(command)


def _add_all(panel: str, commands: typer.Typer, name: str) -> None:
    """Add commands that have a name in common."""
    app.add_typer(commands, name=name, rich_help_panel=panel)


_add(PLAY, sit.sit, "play durak --against policy")
_add(PLAY, sit.watch, "watch mnk search policy")

_add(TRAIN, learn.train, "train durak --preset demo --out runs/demo --seed 1")
_add(TRAIN, learn.imitate, "imitate durak --teacher heuristic --out runs/taught")
_add(TRAIN, iterate.iterate, "iterate durak --preset strong --first policy --search pimc@100 --out runs/iterate")
_add(TRAIN, train_search.train_search, "train-search mnk --rounds 3 --workers 2 --out runs/search")
_add(TRAIN, learn.sweep, "sweep durak --preset demo --trials 16 --timesteps 200000")
_add(TRAIN, publish.publish, "publish runs/demo mine --out policies --against low")

_add(EVALUATE, play.match, "match durak passive low --deals 2000 --set deck=36 --workers 2")
_add(EVALUATE, measure.evaluate, "evaluate runs/demo/policy.onnx --against passive --deals 2000")
_add(EVALUATE, league.compare, "compare durak heuristic low --elo0 0 --elo1 20")
_add(EVALUATE, league.league, "league durak --deals 500 --out runs/league")
_add(EVALUATE, ladder.ladder, "ladder war --set pickup=choice --out runs/ladder")
_add(EVALUATE, cup.cup, "cup daifugo random course low heuristic policy --out runs/cup")
_add(EVALUATE, exploit.exploit, "exploit runs/demo/policy.onnx --by search --deals 500")
_add(EVALUATE, exploitability.exploitability, "exploitability war --set deck=8 --set pickup=choice")
_add_all(EVALUATE, leaderboard.leaderboard, "leaderboard")

_add(INSPECT, games.games, "games durak")
_add(INSPECT, play.agents, "agents durak")
_add(INSPECT, replay.replay, "replay games.jsonl --game 1 --every")
_add(INSPECT, count.stats, "stats durak --deals 100000")
_add(INSPECT, schema.schema, "schema durak --set deck=36")
_add(INSPECT, export.export, "export games.jsonl games.parquet")

_add(BUILD, new_game.new_game, "new-game my_game --cards")
_add(BUILD, web.site, "web durak 'mnk m=3 n=3 k=3' --out site")
_add(BUILD, web.wasm, "wasm durak --set deck=36 --out site/games")
_add(BUILD, mcp.mcp, "mcp --replays replays")
_add(BUILD, warm.warm, "warm durak")
_add_all(BUILD, remote.serve, "serve")
_add_all(BUILD, remote.join, "join")
_add_all(BUILD, remote.engine, "engine")

__all__ = ["app"]
