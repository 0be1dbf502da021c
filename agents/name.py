"""Names of agents, and the one parser of them.

A name is written in one of three ways:

- a player of a game, "durak:low". A search player may carry a budget for each decision, in simulations,
  "durak:pimc@400", or in time, "durak:pimc@50ms". It may also carry a guide, an agent whose move the search starts
  from, "durak:pimc+policy". With two signs, "durak:pimc++policy", the guide also plays the seat's later moves in the
  simulations.
- a file with a trained policy, "runs/demo/policy.onnx", or .npz for a condensed one.
- a class of your own, "package.module:Class".

`str` of a parsed name writes it again.
"""

import difflib
from dataclasses import dataclass

from kozyr import envs

ONNX, CONDENSED = ".onnx", ".npz"  # how files of policies end
POLICY = "policy"  # the player that is the bundled policy of the game's variant
FORMS = "write game:player, as durak:low, package.module:Class, or a file.onnx"
_DIGITS = 9  # that a budget may have


@dataclass(frozen=True)
class AgentName:
    """The name of a game's player.

    Attributes:
        player: a scripted player, a search player, or POLICY.
        game: as written, with or without a version; "" where the name does not say it.
        simulations: a decision's budget, or 0.
        milliseconds: a decision's budget in time instead, or 0.
        guide: the name of the agent whose move the search starts from, or None.
        rolls: whether the guide also plays the seat's later moves in the simulations.
    """

    player: str
    game: str = ""
    simulations: int = 0
    milliseconds: int = 0
    guide: "Name | None" = None
    rolls: bool = False

    def __str__(self) -> str:
        game = f"{self.game}:" if self.game else ""
        return f"{game}{self.player}{self.budget}{self.guided}"

    @property
    def budget(self) -> str:
        """Return the budget as it is written, or ""."""
        if self.milliseconds:
            return f"@{self.milliseconds}ms"
        return f"@{self.simulations}" if self.simulations else ""

    @property
    def guided(self) -> str:
        """Return the guide as it is written, with its signs, or ""."""
        if self.guide is None:
            return ""
        return f"{'++' if self.rolls else '+'}{self.guide}"


@dataclass(frozen=True)
class PolicyFile:
    """The name of a trained policy: the path of its file."""

    path: str

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True)
class AgentClass:
    """The name of a class that makes agents."""

    module: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute}"


Name = AgentName | PolicyFile | AgentClass


def parse(text: str) -> Name:
    """Read the name of an agent; whether there is such an agent, `kozyr.agents.load` finds out.

    Raises:
        ValueError: for a text that is no name of an agent.

    Example:
        >>> parse("durak:pimc@400+policy").guide
        AgentName(player='policy', game='', simulations=0, milliseconds=0, guide=None, rolls=False)
        >>> str(parse("durak:pimc@50ms++runs/demo/policy.onnx"))
        'durak:pimc@50ms++runs/demo/policy.onnx'
        >>> parse("bots:Mine")
        AgentClass(module='bots', attribute='Mine')
    """
    if _is_file(text):
        return PolicyFile(text)
    before, plus, guide = text.partition("+")
    head, colon, tail = before.partition(":")
    if not colon:
        return _player(text, "", head, plus, guide)
    if head.partition("_v")[0] in envs.games():
        return _player(text, head, tail, plus, guide)
    if plus or not tail.isidentifier() or not all(part.isidentifier() for part in head.split(".")):
        raise ValueError(f"unknown agent {text!r}{meant(head, f':{tail}')}: {FORMS}")
    return AgentClass(head, tail)


def _is_file(text: str) -> bool:
    """Tell whether a text is a path; a + ends the name of a player, unless a folder stands before it."""
    before = text.partition("+")[0]
    return text.endswith((ONNX, CONDENSED)) and (before == text or "/" in before or "\\" in before)


def _player(text: str, game: str, player: str, plus: str, guide: str) -> AgentName:
    """Return the name of a player with its budget and its guide."""
    searching, at, budget = player.partition("@")
    if not searching and (at or plus):
        raise ValueError(f"unknown agent {text!r}: write the player before {at or plus}")
    simulations, milliseconds = _budget(text, budget) if at else (0, 0)
    rolls = guide.startswith("+")
    guided = parse(guide.removeprefix("+")) if plus else None
    return AgentName(searching, game, simulations, milliseconds, guided, rolls)


def _budget(text: str, budget: str) -> tuple[int, int]:
    """Return simulations and milliseconds, one of which is 0."""
    number = budget.removesuffix("ms")
    if not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS) or int(number) == 0:
        raise ValueError(f"{text!r}: the budget {budget!r} is not allowed: write simulations as @400 or time as @50ms")
    return (0, int(number)) if budget.endswith("ms") else (int(number), 0)


def meant(game: str, rest: str = "") -> str:
    """Return a hint at the game whose name is close, or ""."""
    close = difflib.get_close_matches(game, envs.games(), 1)
    return f" (did you mean {close[0] + rest!r}?)" if close else ""
