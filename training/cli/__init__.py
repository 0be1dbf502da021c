"""The command `kozyr`: games, agents, matches, records, figures and training from a terminal."""

from kozyr.training.cli import (
    count,
    cup,
    exploitability,
    export,
    ladder,
    leaderboard,
    league,
    learn,
    mcp,
    new_game,
    play,
    publish,
    remote,
    replay,
    schema,
    sit,
    warm,
    web,
)
from kozyr.training.cli.terminal import app

app.command("new-game", epilog="Example: kozyr new-game my_game --cards")(new_game.new_game)
app.command("games", epilog="Example: kozyr games --json")(play.games)
app.command("agents", epilog="Example: kozyr agents durak")(play.agents)
app.command("play", epilog="Example: kozyr play durak --against policy")(sit.sit)
app.command("watch", epilog="Example: kozyr watch mnk search policy")(sit.watch)
app.command("match", epilog="Example: kozyr match durak passive low --deals 2000 --set deck=36 --workers 2")(play.match)
app.command("replay", epilog="Example: kozyr replay games.jsonl --game 1 --every")(replay.replay)
app.command("export", epilog="Example: kozyr export games.jsonl games.parquet")(export.export)
app.command("schema", epilog="Example: kozyr schema durak --set deck=36")(schema.schema)
app.command("stats", epilog="Example: kozyr stats durak --deals 100000")(count.stats)
app.command("ladder", epilog="Example: kozyr ladder war --set pickup=choice --out runs/ladder")(ladder.ladder)
app.command("league", epilog="Example: kozyr league durak --deals 500 --out runs/league")(league.league)
app.command("cup", epilog="Example: kozyr cup daifugo random course low heuristic policy --out runs/cup")(cup.cup)
app.command("compare", epilog="Example: kozyr compare durak heuristic low --elo0 0 --elo1 20")(league.compare)
app.command("train", epilog="Example: kozyr train durak --preset demo --out runs/demo --seed 1")(learn.train)
app.command("sweep", epilog="Example: kozyr sweep durak --preset demo --trials 16 --timesteps 200000")(learn.sweep)
app.command("imitate", epilog="Example: kozyr imitate durak --teacher heuristic --out runs/taught")(learn.imitate)
app.command("exploit", epilog="Example: kozyr exploit runs/demo/policy.onnx --decisions 2000000")(learn.exploit)
app.command("exploitability", epilog="Example: kozyr exploitability war --set deck=8 --set pickup=choice")(
    exploitability.exploitability
)
app.command("evaluate", epilog="Example: kozyr evaluate runs/demo/policy.onnx --against passive --deals 2000")(
    learn.evaluate
)
app.command("publish", epilog="Example: kozyr publish runs/demo mine --out policies --against low")(publish.publish)
app.command("mcp", epilog="Example: kozyr mcp --replays replays")(mcp.mcp)
app.add_typer(leaderboard.leaderboard, name="leaderboard")
app.add_typer(remote.serve, name="serve")
app.add_typer(remote.join, name="join")
app.add_typer(remote.engine, name="engine")
app.command("web", epilog="Example: kozyr web durak 'mnk m=3 n=3 k=3' --out site")(web.site)
app.command("wasm", epilog="Example: kozyr wasm durak --set deck=36 --out site/games")(web.wasm)
app.command("warm", epilog="Example: kozyr warm durak")(warm.warm)

__all__ = ["app"]
