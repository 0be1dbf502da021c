"""Ask every agent about views and masks that contradict themselves: `python -m tests.fuzz.views --seconds 600`.

Each game is asked in a process of its own, once as players run it and once with Numba's checks of every index. An
answer is a legal action, or a ValueError; any other end, and none, is reported with the question.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kozyr import agents, envs
from tests.fuzz import spoilt

PATIENCE = 900.0  # seconds for one answer; the compiler may need most of them, once, where indices are checked
WARMED = 4  # cases of real positions of each agent before the clock runs
BUDGETS = {"pimc": 20, "solver": 500}
BUDGET, LEAST, LARGE = 30, 2, 200  # elsewhere; and where so many actions make every world take long
FOREIGN = {"openspiel-mcts"}  # slow, and stands on the same checks as the others
_PLACE = struct.Struct("<qq")


@lru_cache(maxsize=8)
def names(game: str, variant: Any) -> list[str]:
    """Return the agents of a game."""
    least = LEAST if envs.game(game).actions(variant) > LARGE else 10**9
    searches = [f"{one}@{min(least, BUDGETS.get(one, BUDGET))}" for one in agents.searchers(game) if one not in FOREIGN]
    return [*agents.names(game), *searches, "policy", f"pimc@{LEAST}+policy"]


@lru_cache(maxsize=64)
def loaded(game: str, variant: Any, name: str) -> Any:
    """Return an agent, or None where it does not play the variant."""
    try:
        return agents.load(name, game=game, **envs.game(game).options(variant))
    except (ValueError, ImportError):
        return None


def put(agent: Any, case: spoilt.Case) -> str:
    """Put a case to an agent and return what became of it: "answered" or "refused", or a complaint."""
    try:
        if len(case.views) == 1:
            actions = [agent.act(case.views[0].copy(), case.masks[0].copy())]
        else:
            actions = list(agent.act_batch(case.views.copy(), case.masks.copy()))
    except ValueError as error:
        if not str(error):
            return "refuses without words"
        return f"refuses a real position: {error}" if case.real else "refused"
    except Exception as error:
        return f"raises {error!r}"
    for action, mask in zip(actions, case.masks, strict=True):
        if not (0 <= int(action) < len(mask) and mask[int(action)] == 1):
            return f"answers {action}, which is not legal"
    return "answered"


def replay(data: bytes) -> str:
    """Put a find to its agent again and return what becomes of it, as `put` does."""
    one = json.loads(data)
    name, _, player = one["agent"].partition(":")
    game = envs.game(name)
    v = game.make_variant(**one["options"])
    it = spoilt.Case(v, np.array(one["views"], game.view_dtype), np.array(one["masks"], np.int8), one["how"], False)
    agent = agents.load(player, name, **one["options"])
    agent.reset(0, one["case"][2])
    return put(agent, it)


def ask(game: str, seed: int, first: int, most: int, seconds: float, place: Path, found: Path) -> Counter[str]:
    """Put the cases from `first` on, before `most`, to every agent until time is up.

    `place` tells which one is put, `found` what was wrong.
    """
    counts, began, number, parent = Counter[str](), None, first, os.getppid()
    with place.open("r+b", buffering=0) as now, found.open("a", encoding="utf-8") as wrong:
        while number < most and (began is None or time.monotonic() - began < seconds) and os.getppid() == parent:
            case = spoilt.case(game, seed, number)
            for j, name in enumerate(names(game, case.variant)):
                agent = loaded(game, case.variant, name)
                if agent is None:
                    continue
                now.seek(0)
                now.write(_PLACE.pack(number, j))
                agent.reset(0, number)
                said = put(agent, case)
                counts[said if said in ("answered", "refused") else "wrong"] += 1
                if said not in ("answered", "refused"):
                    wrong.write(json.dumps(told(game, seed, number, name, said)) + "\n")
                    wrong.flush()
            counts["cases"] += 1
            number += 1
            if began is None and number >= first + WARMED:
                began = time.monotonic()
    return counts


def told(game: str, seed: int, number: int, name: str, said: str) -> dict[str, Any]:
    """Return what a person needs to put a case again."""
    case = spoilt.case(game, seed, number)
    return {
        "said": said,
        "agent": f"{game}:{name}",
        "options": envs.game(game).options(case.variant),
        "how": case.how,
        "case": [game, seed, number],
        "views": case.views.tolist(),
        "masks": case.masks.tolist(),
    }


class Child:
    """A process that asks the agents of a game, and is begun anew behind the case that has ended it."""

    def __init__(self, game: str, seed: int, seconds: float, bounds: bool, patience: float, most: int) -> None:
        self.game, self.seed, self.seconds, self.bounds, self.patience = game, seed, seconds, bounds, patience
        self.most = most

    def run(self, counts: Counter[str]) -> Iterator[dict[str, Any]]:
        """Add to the counts and give what is wrong."""
        number, left = 0, self.seconds
        with tempfile.TemporaryDirectory() as folder:
            place, found = Path(folder, "place"), Path(folder, "found")
            found.touch()
            while left > 0:
                place.write_bytes(_PLACE.pack(number, 0))
                began = time.monotonic()
                died = self._lived(number, left, place, found, counts)
                left -= time.monotonic() - began
                if not died:
                    break
                number, j = _PLACE.unpack(place.read_bytes())
                counts["wrong"] += 1
                variant = spoilt.case(self.game, self.seed, number).variant
                yield told(self.game, self.seed, number, names(self.game, variant)[j], died)
                number += 1
            yield from map(json.loads, found.read_text(encoding="utf-8").splitlines())

    def _lived(self, number: int, left: float, place: Path, found: Path, counts: Counter[str]) -> str:
        """Let the process live, and return what it has died of, or nothing."""
        command = [sys.executable, "-m", __spec__.name if __name__ == "__main__" and __spec__ else __name__]
        given = [self.game, str(self.seed), str(number), str(self.most), str(left), str(place), str(found)]
        env = {**os.environ, "NUMBA_BOUNDSCHECK": "1"} if self.bounds else dict(os.environ)
        child = subprocess.Popen([*command, "--ask", *given], stdout=subprocess.PIPE, env=env, text=True)
        try:
            last, since = b"", time.monotonic()
            while child.poll() is None:
                time.sleep(0.05)
                if (now := place.read_bytes()) != last:
                    last, since = now, time.monotonic()
                elif time.monotonic() - since > self.patience:
                    return f"no answer in {self.patience:g} s"
        finally:
            child.kill()
            out, _ = child.communicate()
        if child.returncode:
            return f"the process has died: {child.returncode}"
        counts.update(json.loads(out))
        return ""


def run(
    seconds: float,
    seed: int,
    games: tuple[str, ...] = (),
    modes: tuple[bool, ...] = (False, True),
    patience: float = PATIENCE,
    most: int = sys.maxsize,
) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """Ask for so many seconds, shared by the games and the two ways to run them.

    Args:
        seconds: without the time that it takes to compile.
        seed: fixes the cases; games: all of ours by default; modes: whether indices are checked.
        patience: seconds after which no answer is coming.
        most: cases, shared in the same way.

    Returns:
        How many cases were put, answers and refusals there were; and what was wrong.
    """
    counts, wrong = Counter[str](), list[dict[str, Any]]()
    games = games or tuple(envs.games())
    for game in games:
        for bounds in modes:
            runs = len(games) * len(modes)
            child = Child(game, seed, seconds / runs, bounds, patience, max(1, most // runs))
            wrong += [{**one, "bounds": bounds} for one in child.run(counts)]
    return dict(counts), wrong


def main() -> None:
    """Ask, and print what was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.views", description=__doc__)
    parser.add_argument("games", nargs="*")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mode", choices=("plain", "bounds", "both"), default="both")
    parser.add_argument("--patience", type=float, default=PATIENCE)
    parser.add_argument("--ask", nargs=7, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        game, seed, first, most, seconds, place, found = given.ask
        asked = ask(game, int(seed), int(first), int(most), float(seconds), Path(place), Path(found))
        print(json.dumps(asked))
        return
    modes = {"plain": (False,), "bounds": (True,), "both": (False, True)}[given.mode]
    counts, wrong = run(given.seconds, given.seed, tuple(given.games), modes, given.patience)
    for one in wrong:
        print(json.dumps(one))
    print(json.dumps(counts), file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
