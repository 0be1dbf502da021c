"""What a program as an agent costs beyond its own thinking: one in C++ that takes the first legal action."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kozyr import agents, envs
from kozyr.envs.table.table import Table

from .timing import Row, measure

GAMES = ("durak", "daifugo", "draw_poker", "mnk", "war")
WANTS = ("", "view", "view,words", "view,words,text")
_POSITIONS = 50
_SOURCE = r"""
#include <iostream>
#include <string>
int main(int, char** given) {
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find("\"type\":\"hello\"") != std::string::npos)
            std::cout << R"({"type":"hello","kozyr":1,"wants":[)" << given[1] << "]}" << std::endl;
        if (line.find("\"type\":\"act\"") == std::string::npos) continue;
        const auto id = line.find("\"id\":") + 5, legal = line.find("\"legal\":[") + 9;
        std::cout << R"({"type":"move","id":)" << line.substr(id, line.find(',', id) - id) << ",\"action\":"
                  << line.substr(legal, line.find_first_of(",]", legal) - legal) << "}" << std::endl;
    }
}
"""


def rows(seconds: float) -> Iterator[Row]:
    """Give moves a second in positions of random games, by what the program wants to be told."""
    if shutil.which("g++") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "first"
        subprocess.run(["g++", "-O2", "-x", "c++", "-o", path, "-"], input=_SOURCE, text=True, check=True)
        for game in GAMES:
            for wants in WANTS:
                yield _row(game, path, wants, seconds)


def _row(name: str, path: Path, wants: str, seconds: float) -> Row:
    """Measure one game with one wish."""
    quoted = ",".join(f'\\"{part}\\"' for part in wants.split(",") if part)
    agent: Any = agents.load(f'process:{path} "{quoted}"', game=name)
    asked = positions(name)

    def ask() -> float:
        for view, mask in asked:
            agent.act(view, mask)
        return len(asked)

    told = wants or "nothing but the legal actions"
    row = measure(
        f"{name}, told {told}",
        ask,
        library="kozyr",
        counts="a move",
        views="view" in wants,
        masks=True,
        clock="wall",
        unit="moves/s",
        seconds=seconds,
    )
    agent.close()
    return row


def positions(name: str) -> list[tuple[Any, Any]]:
    """Return views and masks of random games."""
    game, rng, found, seed = envs.game(name), np.random.default_rng(1), list[tuple[Any, Any]](), 0
    while len(found) < _POSITIONS:
        table, seed = Table(game, game.make_variant(), seed), seed + 1
        while not table.over and len(found) < _POSITIONS:
            found.append((table.view(table.turn).copy(), table.mask.copy()))
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
    return found
