"""Play against the programs of the course: `python -m tests.originals.ttt PATH/cli_server PATH/cli_client`.

They are not part of kozyr. Build them from github.com/vsennov/tictactoe-course with -DBUILD_TTTREMOTE=ON.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from kozyr.agents.remote.ttt.client import Client, GameEnd, JoinSettings

SERVER, OURS = "tcp://127.0.0.1:5571", "tcp://127.0.0.1:5572"
KOZYR = [sys.executable, "-m", "kozyr.training.cli"]


def joins(server: Path, client: Path, games: int, agent: str) -> None:
    """Play in their server, against their client, a game each time it is started, with either sign in turn."""
    slowest, results = 0.0, list[str]()
    for number in range(games):
        ended = list[GameEnd]()
        ours = Client(JoinSettings(SERVER, "kozyr", agent), lambda _: None, ended.append)
        with subprocess.Popen([server, "-N", "-a", SERVER, "-s", "15"], stdout=subprocess.DEVNULL) as theirs:
            other = _later(client, 0.0 if number % 2 else 1.5)
            if number % 2:
                time.sleep(0.5)
            try:
                ours.run()
            except RuntimeError as error:  # their server dies of a late answer
                results.append(str(error))
            code = theirs.wait(60)
            other.kill()
            other.wait()
        if not ended:
            continue
        one = ended[0]
        slowest = max(slowest, one.slowest)
        won = "draw" if one.winner is None else "won" if one.winner == one.seat else "lost"
        results.append(f"{'XO'[one.seat or 0]} {won}{'' if code == 0 else f' (server ended with {code})'}")
    print(f"{agent} in their server: {', '.join(results)}; slowest answer {1000 * slowest:.0f} ms of 300")


def _later(client: Path, seconds: float) -> subprocess.Popen[bytes]:
    """Start their client after some seconds."""
    command = f"sleep {seconds}; exec {client} -r -a {SERVER} them"
    return subprocess.Popen(["sh", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def serves(client: Path, games: int, agent: str) -> None:
    """Let two of their clients, and one that watches, play here with an agent of ours."""
    command = [*KOZYR, "serve", "ttt", "--address", OURS, "--clients", "2", "--agent", agent, "--games", str(games)]
    with subprocess.Popen(command) as ours:
        time.sleep(5)
        theirs = [subprocess.Popen([client, "-a", OURS, name], stdout=subprocess.DEVNULL) for name in ("one", "two")]
        theirs.append(subprocess.Popen([client, "-a", OURS, "-N", "watcher"], stdout=subprocess.DEVNULL))
        ours.wait(600)
        print("their clients ended with", [one.wait(20) for one in theirs])


def main() -> None:
    """Play both ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", type=Path)
    parser.add_argument("client", type=Path)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--agent", default="search@50ms")
    given = parser.parse_args()
    joins(given.server, given.client, given.games, given.agent)
    serves(given.client, given.games, given.agent)


if __name__ == "__main__":
    main()
