"""A gomoku engine, written from the protocol's page: `brain.py LOG QUIRK…`. It takes the first free cell, row by row.

It checks what the manager may send, and writes each line to LOG.
"""

import re
import select
import sys
import time
from pathlib import Path

log, quirks = Path(sys.argv[1]).open("a", encoding="utf-8"), set(sys.argv[2:])  # noqa: SIM115
stones: dict[tuple[int, int], int] = {}
width = height = 0


def line() -> str:
    found = sys.stdin.readline()
    if not found:
        sys.exit(0)
    log.write(found)
    log.flush()
    return found.strip()


def say(text: str) -> None:
    text = text.lower() if "small letters" in quirks else text
    sys.stdout.buffer.write(text.encode() + (b"\r" if "returns" in quirks else b"\r\n"))
    sys.stdout.buffer.flush()


def talk() -> None:
    """Say what may stand before any answer."""
    if "talks" in quirks:
        say("MESSAGE depth 1 value 2,3")
        say("")
        say("DEBUG 1,1")


def move() -> None:
    if "dies" in quirks:
        sys.stderr.write("no more ideas\n")
        sys.exit(7)
    if "sleeps" in quirks:
        time.sleep(100)
    talk()
    x, y = next((x, y) for y in range(height) for x in range(width) if (x, y) not in stones)
    if "off" in quirks:
        x = width
    if "taken" in quirks and stones:
        x, y = next(iter(stones))
    if "suggests" in quirks:
        say(f"SUGGEST {x},{y}")
        assert line() == f"PLAY {x},{y}"
    stones[x, y] = 1
    say(f"{x},{y}" if "spaces" not in quirks else f" {x} , {y} ")
    if "drops" in quirks:  # commands that come within a millisecond
        time.sleep(0.001)
        while select.select([sys.stdin.buffer], [], [], 0)[0]:
            sys.stdin.buffer.raw.read(65536)


def opened(laid: list[tuple[int, int]]) -> None:
    """Answer SWAP2BOARD: the quirks say how, and else it plays O as soon as it can."""
    if "no swap2" in quirks:
        say("UNKNOWN command")
        return
    talk()
    free = [f"{x},{y}" for y in range(height) for x in range(width) if (x, y) not in laid]
    if not laid:
        say(" ".join(free[:2] if "two stones" in quirks else free[:3]))
    elif "swaps" in quirks or (len(laid) == 5 and "swaps late" in quirks):
        say("SWAP")
    else:
        say(" ".join(free[: 2 if {"adds", "swaps late"} & quirks and len(laid) == 3 else 1]))


def cell(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+),(\d+)", text)
    assert found, text
    x, y = int(found[1]), int(found[2])
    assert x < width
    assert y < height
    assert (x, y) not in stones, text
    return x, y


while True:
    word, _, rest = line().partition(" ")
    if word in ("START", "RECTSTART"):
        if "no start" in quirks or ("one start" in quirks and width):
            say("ERROR unsupported size")
            continue
        talk()
        width, height = map(int, rest.split(",")) if word == "RECTSTART" else (int(rest), int(rest))
        assert word == "START" or width != height
        stones.clear()
        say("OK - everything is good")
    elif word == "RESTART":
        if {"no restart", "one start"} & quirks:
            say("UNKNOWN command")
            continue
        talk()
        stones.clear()
        say("OK")
    elif word == "BEGIN":
        assert not stones
        move()
    elif word == "TURN":
        stones[cell(rest)] = 2
        move()
    elif word == "BOARD":
        assert not stones, "BOARD comes on an empty board"
        while (row := line()) != "DONE":
            place, _, whose = row.rpartition(",")
            stones[cell(place)] = int(whose)
        move()
    elif word == "SWAP2BOARD":
        assert not stones, "SWAP2BOARD comes on an empty board"
        laid = list[tuple[int, int]]()
        while (row := line()) != "DONE":
            laid.append(cell(row))
        assert len(set(laid)) == len(laid) in (0, 3, 5)
        opened(laid)
    elif word == "INFO":
        assert re.fullmatch(r"\w+ \d+", rest), rest
    elif word == "END":
        sys.exit(0)
    else:
        say("UNKNOWN command")
