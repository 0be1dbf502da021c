"""Play against the programs of the UECda contest: `python -m tests.originals.uecda PATH/server PATH/client`.

They are not part of kozyr. The server is kept in github.com/YuriCat/FujiGokoroUECda, the default client in C belongs to
the contest's material. The client must take `-p PORT`, the server `-p PORT -g GAMES`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PORT = 42971
KOZYR = [sys.executable, "-m", "kozyr.training.cli"]


def their_clients(client: Path, port: int, number: int, folder: str) -> list[subprocess.Popen[bytes]]:
    """Start some of their clients, one after the other, in a folder: they leave logs of many megabytes there."""
    started = list[subprocess.Popen[bytes]]()
    for _ in range(number):
        started.append(subprocess.Popen([client, "-p", str(port)], cwd=folder, stdout=subprocess.DEVNULL))
        time.sleep(0.5)
    return started


def joins(server: Path, client: Path, games: int, agent: str, folder: str) -> None:
    """Play in their server against four of their clients; ours is the first player."""
    print(f"{agent} in their server, {games} games")
    with subprocess.Popen([server, "-p", str(PORT), "-g", str(games)], cwd=folder, stdout=subprocess.DEVNULL):
        time.sleep(1)
        command = [*KOZYR, "join", "uecda", f"localhost:{PORT}", "--agent", agent]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as ours:
            assert ours.stderr is not None
            for line in ours.stderr:
                print(line, end="")
                if line.startswith("in, as"):
                    their_clients(client, PORT, 4, folder)


def serves(client: Path, games: int, folder: str) -> None:
    """Let five of their clients play here."""
    print(f"five of their clients here, {games} games")
    command = [*KOZYR, "serve", "uecda", "--port", str(PORT + 1), "--games", str(games)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as ours:
        theirs = list[subprocess.Popen[bytes]]()
        assert ours.stderr is not None
        for line in ours.stderr:
            print(line, end="")
            if line.startswith("waiting"):
                theirs = their_clients(client, PORT + 1, 5, folder)
    print("their clients ended with", [one.wait(20) for one in theirs])


def main() -> None:
    """Read the arguments and play both ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", type=Path)
    parser.add_argument("client", type=Path)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--agent", default="pimc@60ms")
    given = parser.parse_args()
    client = given.client.absolute()
    with tempfile.TemporaryDirectory() as folder:
        serves(client, given.games, folder)
        joins(given.server.absolute(), client, given.games, given.agent, folder)


if __name__ == "__main__":
    main()
