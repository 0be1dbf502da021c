"""Names of agents, and the one parser of them.

A name is written in one of six ways:

- a player of a game, "durak:low". A search player may carry a budget for each decision, in simulations,
  "durak:pimc@400", or in time, "durak:pimc@50ms". It may also carry a guide, an agent whose move the search starts
  from, "durak:pimc+policy". In "durak:pimc++policy" the guide also plays the seat's later moves in the simulations:
  stronger, but slower.
- a file with a trained policy, "runs/demo/policy.onnx", or .npz for a condensed one.
- a policy on the Hugging Face Hub, "hf:OWNER/NAME", with a revision at the end if you like, "hf:OWNER/NAME@v1".
- a class of your own, "package.module:Class".
- a program that speaks a protocol: "process:./mybot" or "gomocup:./engine", with arguments as in a shell, and at the
  end "@100ms" if it is to take that long for a decision.
- a language model behind an endpoint that speaks OpenAI's chat completions, "llm:MODEL". Options stand at the end, as
  "llm:gpt-4o-mini@temperature=0.2,retries=1,prices=0.15/0.6,timeout=60": questions put again after an answer that is no
  legal action, prices of a million tokens of prompt and answer, and seconds for an answer.

`str` of a parsed name writes it again.
"""

import difflib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from kozyr import envs
from kozyr.agents import hub_name, model_name
from kozyr.agents.hub_name import HubPolicy
from kozyr.agents.model_name import LanguageModel

ONNX, CONDENSED = ".onnx", ".npz"  # how files of policies end
POLICY = "policy"  # the player that is the bundled policy of the game's variant
FORMS = (
    "write game:player, as durak:low, package.module:Class, a file.onnx, hf:OWNER/NAME, process:./program, or llm:MODEL"
)
POLICY_FORMS = f"write a file{ONNX}, a file{CONDENSED}, hf:OWNER/NAME, or game:{POLICY}"
PROTOCOLS = ("process", "gomocup")
MOST_SIMULATIONS = 100_000_000  # of a decision: some hours of the fastest search, ten thousand times what is usual
MOST_MILLISECONDS = 3_600_000  # an hour
_SHOWN = 60  # characters of a name that a message repeats
_GUIDES = 8  # one after the other, in a name


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


@dataclass(frozen=True)
class Program:
    """The name of a program that plays.

    Attributes:
        protocol: that it speaks, one of PROTOCOLS; command: the program and its arguments.
        milliseconds: that it is to take for a decision, or 0.
    """

    protocol: str
    command: str
    milliseconds: int = 0

    def __str__(self) -> str:
        return f"{self.protocol}:{self.command}" + (f"@{self.milliseconds}ms" if self.milliseconds else "")


Name = AgentName | PolicyFile | HubPolicy | AgentClass | Program | LanguageModel


def parse(text: str) -> Name:
    """Read the name of an agent; whether there is such an agent, `kozyr.agents.load` finds out.

    Raises:
        ValueError: for a text that is no name of an agent.

    Example:
        >>> parse("durak:pimc@400+policy").guide
        AgentName(player='policy', game='', simulations=0, milliseconds=0, guide=None, rolls=False)
        >>> str(parse("durak:pimc@50ms++runs/demo/policy.onnx"))
        'durak:pimc@50ms++runs/demo/policy.onnx'
        >>> parse("hf:alice/durak@v1")
        HubPolicy(repository='alice/durak', revision='v1')
        >>> parse("bots:Mine")
        AgentClass(module='bots', attribute='Mine')
        >>> parse("process:node bots/low.js@100ms")
        Program(protocol='process', command='node bots/low.js', milliseconds=100)
    """
    return _parsed(text, _GUIDES)


def _parsed(text: str, guides: int) -> Name:
    """Return what a text names; it may have so many guides, each of which guides the one before it."""
    if text.partition(":")[0] in PROTOCOLS:
        return _program(text)
    if text.partition(":")[0] == model_name.MODEL:
        return model_name.parse(text)
    if text.partition(":")[0] == hub_name.HUB:
        return hub_name.parse(text)
    if _is_file(text):
        return PolicyFile(text)
    before, plus, guide = text.partition("+")
    head, colon, tail = before.partition(":")
    if not colon:
        return _player(text, "", head, plus, guide, guides)
    if head.partition("_v")[0] in envs.games():
        return _player(text, head, tail, plus, guide, guides)
    if plus or not tail.isidentifier() or not all(part.isidentifier() for part in head.split(".")):
        raise ValueError(f"unknown agent {text!r}{meant(head, f':{tail}')}: {FORMS}")
    return AgentClass(head, tail)


def refuse_code(names: Iterable[str], where: str, allowed: Collection[str] = ()) -> None:
    """Raise ValueError if a file names what runs, asks or fetches something that the user has not named as well.

    Args:
        names: of agents, as they stand in the file; where: which file it is; allowed: what the user has named.
    """
    for text in names:
        if text not in allowed and (what := _foreign(text)):
            raise ValueError(
                f"{where} names {text!r}, which is {what}: what a file names is not run, unless you name it as well "
                f"with --allow-code {text!r}, or allow_code=[{text!r}]"
            )


def _foreign(text: str) -> str:
    """Say what a file may not name, if a name means that or has it as a guide; else ""."""
    try:
        name: Name | None = parse(text)
    except ValueError:  # it will be told of where it is loaded
        return ""
    while isinstance(name, AgentName):
        name = name.guide
    if isinstance(name, LanguageModel):
        return "a language model elsewhere, which may cost money"
    if isinstance(name, HubPolicy):
        return "a policy elsewhere, which would be fetched"
    return "code" if isinstance(name, (AgentClass, Program)) else ""


def _program(text: str) -> Program:
    """Return the name of a program; a time stands at its end."""
    protocol, _, command = text.partition(":")
    head, at, budget = command.rpartition("@")
    if at and re.fullmatch(r"[0-9]+ms", budget) and budget.strip("0ms"):
        return Program(protocol, head, _most(text, budget, MOST_MILLISECONDS))
    return Program(protocol, command)


def _is_file(text: str) -> bool:
    """Tell whether a text is a path; a + ends the name of a player, unless a folder stands before it."""
    before = text.partition("+")[0]
    return text.endswith((ONNX, CONDENSED)) and (before == text or "/" in before or "\\" in before)


def _player(text: str, game: str, player: str, plus: str, guide: str, guides: int) -> AgentName:
    """Return the name of a player with its budget and its guide."""
    searching, at, budget = player.partition("@")
    if not searching and (at or plus):
        raise ValueError(f"unknown agent {text!r}: write the player before {at or plus}")
    simulations, milliseconds = _budget(text, budget) if at else (0, 0)
    rolls = guide.startswith("+")
    if plus and not guides:
        raise ValueError(f"{text[:_SHOWN]!r}: a guide has a guide, and so on, more than {_GUIDES} times: name fewer")
    guided = _parsed(guide.removeprefix("+"), guides - 1) if plus else None
    if isinstance(guided, (Program, LanguageModel)):
        what = "program" if isinstance(guided, Program) else "language model"
        raise ValueError(f"{text!r}: a {what} is no guide, as it tells only one action")
    return AgentName(searching, game, simulations, milliseconds, guided, rolls)


def _budget(text: str, budget: str) -> tuple[int, int]:
    """Return simulations and milliseconds, one of which is 0."""
    number = budget.removesuffix("ms")
    if not (number.isascii() and number.isdecimal() and number.strip("0")):
        raise ValueError(f"{text!r}: the budget {budget!r} is not allowed: write simulations as @400 or time as @50ms")
    if budget.endswith("ms"):
        return 0, _most(text, budget, MOST_MILLISECONDS)
    return _most(text, budget, MOST_SIMULATIONS), 0


def _most(text: str, budget: str, most: int) -> int:
    """Return the number of a budget, or say how high it may be."""
    number = budget.removesuffix("ms").lstrip("0")
    if len(number) > len(str(most)) or int(number) > most:
        raise ValueError(
            f"{text[:_SHOWN]!r}: the budget {budget[:_SHOWN]!r} is too high: a decision takes at most "
            f"{MOST_SIMULATIONS:,} simulations, or {MOST_MILLISECONDS}ms, which is an hour"
        )
    return int(number)


def meant(game: str, rest: str = "") -> str:
    """Return a hint at the game whose name is close, or ""."""
    close = difflib.get_close_matches(game, envs.games(), 1)
    return f" (did you mean {close[0] + rest!r}?)" if close else ""
