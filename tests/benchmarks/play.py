"""Measure the server of `kozyr play`: how soon it answers, what a table costs, how it starts."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from .timing import SECONDS, Row

TABLES, IDLE = 200, 1000
SEARCHING, BESIDE = 8, 50  # tables against a search, and scripted ones beside them
ROUNDS = 3
LEAST = 5.0  # seconds of a round at least
LARGEST: tuple[tuple[str, dict[str, Any]], ...] = (  # variants with the most to draw
    ("daifugo", {"players": 8}),
    ("draw_poker", {"players": 5}),
    ("durak", {"players": 6, "deck": 52}),
    ("mnk", {"m": 25, "n": 25, "k": 5}),
    ("war", {"deck": 52, "pickup": "choice"}),
)
MOVE = "from an action to the next picture at the client, random actions against "


def rows(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure the server, with the people in a process of their own."""
    if missing := [name for name in ("httpx", "uvicorn", "websockets") if find_spec(name) is None]:
        print(f"skipped play: {missing[0]} is not there (install the extra [test])", file=sys.stderr)
        return
    seconds = max(LEAST, seconds)
    yield from _many(seconds)
    yield from _beside(seconds)
    yield _idle()
    yield from _starts()
    yield from _drawings(seconds)


def _many(seconds: float) -> Iterator[Row]:
    """Measure tables whose people play as fast as they are answered."""
    for game, opponent in (("durak", "heuristic"), ("mnk", "random")):  # 15×15 has the longest messages
        with _server() as server:
            tables = _tables(server, TABLES, game, opponent)
            rounds = [_load(server, seconds, {"all": tables})["all"] for _ in range(1 + ROUNDS)][1:]
        name, move = f"{game} {TABLES} tables", f"{MOVE}`{opponent}`"
        yield _row(f"{name}, median", move, [_quantile(one, 50) for one in rounds], "ms")
        yield _row(f"{name}, 99 of 100 within", move, [_quantile(one, 99) for one in rounds], "ms")
        counts = "one action of a person, answered; the opponents' come on top"
        yield _row(name, counts, [len(one["milliseconds"]) / seconds for one in rounds], "actions/s")
        yield _row(f"{name}, lost", "one action that was not answered", [one["lost"] for one in rounds], "actions")


def _beside(seconds: float) -> Iterator[Row]:
    """Measure scripted tables while others wait for a search."""
    for game, search in (("mnk", "search"), ("durak", "pimc@50ms")):
        with _server() as server:
            groups = {
                "searching": _tables(server, SEARCHING, game, search),
                "scripted": _tables(server, BESIDE, "durak", "heuristic"),
            }
            rounds = [_load(server, seconds, groups) for _ in range(1 + ROUNDS)][1:]
        name = f"durak {BESIDE} tables beside {SEARCHING} of {game} against {search}"
        scripted = [one["scripted"] for one in rounds]
        yield _row(f"{name}, 99 of 100 within", f"{MOVE}`heuristic`", [_quantile(one, 99) for one in scripted], "ms")
        lost = [one["scripted"]["lost"] + one["searching"]["lost"] for one in rounds]
        yield _row(f"{name}, lost", "one action that was not answered", lost, "actions")


def _idle() -> Row:
    """Measure what a table holds while nobody plays."""
    with _server() as server:
        _tables(server, 20, "durak", "heuristic")
        before = server.memory()
        _tables(server, IDLE, "durak", "heuristic")
        held = (server.memory() - before) / IDLE / 1000
    return _row(f"durak idle table, {IDLE} of them", "memory of the server's process a table", [held], "kB")


def _starts() -> Iterator[Row]:
    """Measure how long it takes from the command to a page and to a game."""
    pages = [_opened() for _ in range(ROUNDS)]
    yield _row("lobby warm, page", "from `kozyr play --no-open` to the whole page", pages, "s")
    with tempfile.TemporaryDirectory() as folder:
        for name, caches in (("warm", [None] * 3), ("empty cache", [Path(folder, str(i)) for i in range(3)])):
            found = [_started(cache) for cache in caches]
            counts = "from `kozyr play durak --no-open`"
            page, first, reply = (list(times) for times in zip(*found, strict=True))
            yield _row(f"durak {name}, page", f"{counts} to the whole page", page, "s")
            yield _row(f"durak {name}, first picture", f"{counts} to the first picture", first, "s")
            yield _row(f"durak {name}, first moves", f"{counts} to my second turn", reply, "s")


def _opened() -> float:
    """Return the seconds to the lobby's page and all that it loads."""
    import httpx

    from tests.play.wire import Server

    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = ("-m", "kozyr.training.cli", "play", "--no-open", "--port", "0", "--folder", folder)
        with Server(Path(folder), command) as server, httpx.Client(base_url=server.address, timeout=60) as browser:
            _load_page(browser, "/")
            return time.perf_counter() - begun


def _load_page(browser: Any, place: str) -> None:
    """Get a page, and the files and drawings that it names."""
    page = browser.get(place).raise_for_status().text
    for file in re.findall(r'(?:src|href)="((?:/static/|/viewer/|/games/[^"]+[.]svg)[^"]*)"', page):
        browser.get(file).raise_for_status()


def _started(cache: Path | None) -> tuple[float, float, float]:
    """Return the seconds to the page, to the first picture, and to the second turn."""
    import asyncio

    import httpx

    from tests.play.wire import Client, Server

    begun = time.perf_counter()

    async def sit(address: str, table: str, token: str) -> tuple[float, float]:
        client = await Client.sit(address, table, token)
        first = time.perf_counter() - begun
        moved = False
        while not client.over and not (moved and client.mine):
            if client.mine:
                await client.play(client.state["choices"][0][0])
                moved = True
            else:
                await client.until("state")
        await client.close()
        return first, time.perf_counter() - begun

    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        command = ["-m", "kozyr.training.cli", "play", "durak", "--against", "heuristic", "--no-open", "--port", "0"]
        command += ["--folder", folder]
        given = {} if cache is None else {"XDG_CACHE_HOME": str(cache)}
        server = stack.enter_context(Server(Path(folder), command, environment=given))
        place, _, token = server.said.partition("#")
        with httpx.Client(base_url=server.address, timeout=60) as browser:
            _load_page(browser, place)
        loaded = time.perf_counter() - begun
        first, reply = asyncio.run(sit(server.address, place.rsplit("/", 1)[1], token))
    return loaded, first, reply


def _drawings(seconds: float) -> Iterator[Row]:
    """Measure how long it takes to draw a state as SVG, through a game of the largest variants."""
    from kozyr import agents, envs
    from kozyr.agents.player import play_game
    from kozyr.envs.table import record

    for name, options in LARGEST:
        game = envs.game(name)
        v = game.make_variant(**options)
        played = play_game(game, v, 1, 0, [agents.load("random", name, **options) for _ in range(game.seats(v))])
        states = [state[0] for state in islice(record.states(played), 400)]
        rounds = [_drawing(game, v, states, seconds / ROUNDS) for _ in range(1 + ROUNDS)][1:]
        label = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
        counts = f"a state of a random game as SVG, all of it shown; mean over {len(states)} states, compiled"
        yield _row(f"{label}, drawing", counts, rounds, "ms")


def _drawing(game: Any, v: Any, states: list[Any], seconds: float) -> float:
    """Return the milliseconds of the processor that a drawing takes."""
    begun, count = time.process_time(), 0
    while time.process_time() - begun < seconds:
        for state in states:
            game.draw(v, state)
        count += len(states)
    return (time.process_time() - begun) / count * 1000


@contextmanager
def _server() -> Generator[Any]:
    """Run a server with a folder of its own."""
    from tests.play.wire import Server

    with tempfile.TemporaryDirectory() as folder, Server(Path(folder), rate=0) as server:
        yield server


def _tables(server: Any, count: int, game: str, opponent: str) -> list[list[str]]:
    """Make tables and return each with the token of the person's seat."""
    import httpx

    from kozyr import envs
    from kozyr.agents.play.host import precompile
    from tests.play.wire import ME, made

    it = envs.game(game)
    if not precompile.mark(it, it.make_variant()).stands():  # else the first minute is played uncompiled
        precompile.run(it, it.make_variant())
    player, _, budget = opponent.removesuffix("ms").partition("@")
    with httpx.Client(base_url=server.address, timeout=60) as browser:
        page = browser.get(f"/games/{game}").text
        tables = [made(browser, game, [ME, player], page=page, budget=budget) for _ in range(count)]
    return [[one.table, one.seats[0]] for one in tables]


def _load(server: Any, seconds: float, groups: dict[str, Any]) -> dict[str, Any]:
    """Let people play in a process of their own, and return what they have seen."""
    given = json.dumps({"address": server.address, "seconds": seconds, "groups": groups})
    run = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.load"], input=given, capture_output=True, text=True, check=True
    )
    found = json.loads(run.stdout)
    for name, group in found.items():
        if group["lost"]:
            print(f"lost at tables of {name}: {group['why']}", file=sys.stderr)
    return found


def _quantile(group: dict[str, Any], percent: float) -> float:
    return float(np.percentile(group["milliseconds"], percent))


def _row(name: str, counts: str, values: list[float], unit: str) -> Row:
    library = f"kozyr {version('kozyr')}"
    return Row(name, library, counts, statistics.median(values), min(values), max(values), True, True, "wall", unit)
