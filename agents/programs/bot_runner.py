"""Host of a bot in a Python file, a program of its own: `python bot_runner.py BOT.PY`.

The file has a class `Bot`, or one class with `act(view, mask)`, or a function `act(view, mask)`. It gets views as
NumPy arrays and speaks to kozyr by JSON lines, protocol "kozyr" 1. What it prints goes to standard error. This file
imports nothing of kozyr, so that a bot starts at once.
"""

import contextlib
import ctypes
import importlib.util
import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

_NAME = "bot_of_a_course"  # of the module
_ADOPT = 36  # PR_SET_CHILD_SUBREAPER of Linux's prctl
_HIGHEST = 127  # number of a view up to which it is int8


def load(path: Path) -> Any:
    """Return the bot of a file: an object with `act`.

    Raises:
        ValueError: if there is none, or more than one.
    """
    view = os.environ.get("KOZYR_VIEW")  # in a cell: links to what the bot may read of its folder
    for folder in (path.parent.resolve(), *([view] if view else [])):
        sys.path.append(str(folder))  # behind Python's own: nobody's random.py may stand for its random
    spec = importlib.util.spec_from_file_location(_NAME, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)
    own = [one for one in vars(module).values() if inspect.isclass(one) and one.__module__ == _NAME]
    able = [one for one in dict.fromkeys(own) if callable(getattr(one, "act", None))]
    bots = [one for one in able if one.__name__ == "Bot"] or able
    if len(bots) == 1:
        return bots[0]()
    if not able and callable(getattr(module, "act", None)):
        return module
    names = ", ".join(one.__name__ for one in able) or "none"
    raise ValueError(f"{path} has {names} with act(view, mask): call one of them Bot")


class Session:
    """A bot's answers to messages.

    Args:
        bot: an object with `act`; `reset(seat, seed)` is called if it has one.
    """

    def __init__(self, bot: Any) -> None:
        self._bot = bot
        self._parts: list[str] = []
        self._actions, self._type = 0, np.int8

    def answer(self, message: Any) -> Any:
        """Return the answer to a message, or None."""
        if message["type"] == "hello":
            self._parts, self._actions = list(message["view"]), message["actions"]
            highest = max((part["high"] for part in message["view"].values()), default=0)
            self._type = np.int8 if np.max(highest) <= _HIGHEST else np.int16
            return {"type": "hello", "kozyr": 1, "wants": ["view"]}
        if message["type"] == "reset" and callable(getattr(self._bot, "reset", None)):
            self._bot.reset(message["seat"], message["seed"])
        if message["type"] != "act":
            return None
        parts = [message["view"][name] for name in self._parts if name in message["view"]]
        view = np.array([number for part in parts for number in part], self._type)
        mask = np.zeros(self._actions, np.int8)
        mask[message["legal"]] = 1
        return {"type": "move", "id": message["id"], "action": int(self._bot.act(view, mask))}


def adopt() -> None:
    """Keep the bot's orphans as children, to be halted and ended with the bot, where the system can do that."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)


def main(path: str) -> None:
    """Answer until the input ends."""
    adopt()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the bot prints is for people
    session = Session(load(Path(path)))
    for line in sys.stdin:
        answer = session.answer(json.loads(line))
        if answer is not None:
            out.write(json.dumps(answer) + "\n")
            out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
