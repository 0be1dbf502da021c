"""Names of agents, and their parser.

There are six forms:

- a player of a game, "durak:low". A search player may carry a budget for each decision, in simulations,
  "durak:pimc@400", or in time, "durak:pimc@50ms". It may also carry a guide, an agent whose move the search starts
  from, "durak:pimc+policy". In "durak:pimc++policy" the guide also plays the seat's later moves in the simulations:
  stronger, but slower.
- a file with a trained policy, "runs/demo/policy.onnx", or .npz for a condensed one.
- a policy on the Hugging Face Hub, "hf:OWNER/NAME", with a revision at the end if you like, "hf:OWNER/NAME@v1".
- a class of your own, "package.module:Class".
- a program that speaks a protocol: "process:./mybot" or "gomocup:./engine", with arguments as in a shell, and at the
  end "@100ms" for the time of a decision.
- a language model behind an endpoint that speaks OpenAI's chat completions, "llm:MODEL". Options stand at the end, as
  "llm:gpt-4o-mini@temperature=0.2,retries=1,prices=0.15/0.6,timeout=60,text=short": questions put again after an answer
  that is no legal action, prices of a million tokens of prompt and answer, seconds for an answer, and short prompts.

`str` of a parsed name gives the text back.
"""

import difflib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, cast

from kozyr import envs
from kozyr.envs.core.quote import quote

ONNX, CONDENSED = ".onnx", ".npz"  # suffixes of policy files
POLICY = "policy"  # the player that is the bundled policy of the game's variant
FORMS = (
    "write game:player, as durak:low, package.module:Class, a file.onnx, hf:OWNER/NAME, process:./program, or llm:MODEL"
)
POLICY_FORMS = f"write a file{ONNX}, a file{CONDENSED}, hf:OWNER/NAME, or game:{POLICY}"
PROTOCOLS = ("process", "gomocup")
HUB, MODEL = "hf", "llm"  # prefixes of the names of policies on the Hub and of language models
MOST_SIMULATIONS = 100_000_000  # of a decision: some hours of the fastest search, ten thousand times what is usual
MOST_MILLISECONDS = 3_600_000  # an hour
_GUIDES = 8  # one after the other, in a name
_PART = r"(?!\S*(?:--|\.\.))[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?"
_REPOSITORY = re.compile(f"{_PART}/{_PART}")
_REVISION = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./-]{0,199}")
_LONGEST_MODEL = 200  # characters of a model's name
_DECIMAL = r"\d{1,6}(?:\.\d{1,4})?"
OPTIONS = {  # of a language model: its pattern, its lowest and highest number, and both in words
    "temperature": (_DECIMAL, 0, 2, "a number from 0 to 2"),
    "retries": (r"\d{1,2}", 0, 20, "a whole number from 0 to 20"),
    "timeout": (_DECIMAL, 1, 3600, "seconds from 1 to 3600"),
    "prices": (rf"{_DECIMAL}/{_DECIMAL}", 0, 999_999, "two prices of a million tokens, of prompt and answer: 0.15/0.6"),
    "text": ("long|short", 0, 0, "long or short"),  # a word, no number
}


@dataclass(frozen=True)
class AgentName:
    """The name of a game's player.

    Attributes:
        player: a scripted player, a search player, or POLICY.
        game: with or without a version, as in the name; "" if the name has none.
        simulations: a decision's budget, or 0.
        milliseconds: a decision's budget in time instead, or 0.
        guide: the name of the agent whose move the search starts from, or None.
        rolls: True if the guide also plays the seat's later moves in the simulations.
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
        """Return the budget as in the name, or ""."""
        if self.milliseconds:
            return f"@{self.milliseconds}ms"
        return f"@{self.simulations}" if self.simulations else ""

    @property
    def guided(self) -> str:
        """Return the guide as in the name, with its signs, or ""."""
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
        protocol: one of PROTOCOLS; command: the program and its arguments.
        milliseconds: time of a decision, or 0.
    """

    protocol: str
    command: str
    milliseconds: int = 0

    def __str__(self) -> str:
        return f"{self.protocol}:{self.command}" + (f"@{self.milliseconds}ms" if self.milliseconds else "")


@dataclass(frozen=True)
class HubPolicy:
    """The name of a policy on the Hub.

    Attributes:
        repository: OWNER/NAME; revision: a branch, a tag or a commit of it, or "" for its main branch.
    """

    repository: str
    revision: str = ""

    def __str__(self) -> str:
        return f"{HUB}:{self.repository}" + (f"@{self.revision}" if self.revision else "")


@dataclass(frozen=True)
class LanguageModel:
    """The name of a language model.

    Attributes:
        model: its name at the endpoint.
        temperature: of its answers; retries: questions put again after an answer that is no legal action; timeout:
            seconds for an answer; prices: of a million tokens, of prompt and answer; text: of the prompts. None: from
            the environment, or else the default of `kozyr.agents.text.model`.
    """

    model: str
    temperature: float | None = None
    retries: int | None = None
    timeout: float | None = None
    prices: tuple[float, float] | None = None
    text: str | None = None

    def __str__(self) -> str:
        values = {name: getattr(self, name) for name in OPTIONS}
        options = [f"{name}={_decimals(value)}" for name, value in values.items() if value is not None]
        return f"{MODEL}:{self.model}" + (f"@{','.join(options)}" if options else "")


Name = AgentName | PolicyFile | HubPolicy | AgentClass | Program | LanguageModel


def parse(text: str) -> Name:
    """Parse the name of an agent, which need not exist; see `kozyr.agents.load`.

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
    """Return the name in a text with at most `guides` guides, each of which guides the one before it."""
    prefix = text.partition(":")[0]
    if prefix in PROTOCOLS:
        return _program(text)
    if prefix == MODEL:
        return _language_model(text)
    if prefix == HUB:
        return _hub_policy(text)
    if _is_file(text):
        return PolicyFile(text)
    before, plus, guide = text.partition("+")
    head, colon, tail = before.partition(":")
    if not colon:
        return _player(text, "", head, plus, guide, guides)
    if head.partition("_v")[0] in envs.games():
        return _player(text, head, tail, plus, guide, guides)
    if plus or not tail.isidentifier() or not all(part.isidentifier() for part in head.split(".")):
        raise ValueError(f"unknown agent {quote(text)}{hint_at_game(head, f':{tail}')}: {FORMS}")
    return AgentClass(head, tail)


def refuse_code(names: Iterable[str], where: str, allowed: Collection[str] = ()) -> None:
    """Raise ValueError if a file names code, a model or a policy elsewhere that the user has not named as well.

    Args:
        names: of agents, from the file; where: the file, for messages; allowed: names that the user has given as well.
    """
    for text in names:
        if text not in allowed and (what := _foreign(text)):
            raise ValueError(
                f"{where} names {quote(text)}, which is {what}: what a file names is not run, unless you name it "
                f"as well with --allow-code {text!r}, or allow_code=[{text!r}]"
            )


def _foreign(text: str) -> str:
    """Return the kind of a name that a file may not have, its guides included, in words; "" if it is allowed."""
    try:
        name: Name | None = parse(text)
    except ValueError:  # loading it raises the error
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
    """Return True if a text is a path; a + ends the name of a player, unless a folder precedes it."""
    before = text.partition("+")[0]
    return text.endswith((ONNX, CONDENSED)) and (before == text or "/" in before or "\\" in before)


def _player(text: str, game: str, player: str, plus: str, guide: str, guides: int) -> AgentName:
    """Return the name of a player with its budget and its guide."""
    searching, at, budget = player.partition("@")
    if not searching and (at or plus):
        raise ValueError(f"unknown agent {quote(text)}: write the player before {at or plus}")
    simulations, milliseconds = _budget(text, budget) if at else (0, 0)
    rolls = guide.startswith("+")
    if plus and not guides:
        raise ValueError(f"{quote(text)}: a guide has a guide, and so on, more than {_GUIDES} times: name fewer")
    guided = _parsed(guide.removeprefix("+"), guides - 1) if plus else None
    if isinstance(guided, (Program, LanguageModel)):
        what = "program" if isinstance(guided, Program) else "language model"
        raise ValueError(f"{quote(text)}: a {what} is no guide, as it tells only one action")
    return AgentName(searching, game, simulations, milliseconds, guided, rolls)


def _budget(text: str, budget: str) -> tuple[int, int]:
    """Return simulations and milliseconds, one of which is 0."""
    number = budget.removesuffix("ms")
    if not (number.isascii() and number.isdecimal() and number.strip("0")):
        raise ValueError(
            f"{quote(text)}: the budget {quote(budget)} is not allowed: write simulations as @400 or time as @50ms"
        )
    if budget.endswith("ms"):
        return 0, _most(text, budget, MOST_MILLISECONDS)
    return _most(text, budget, MOST_SIMULATIONS), 0


def _most(text: str, budget: str, most: int) -> int:
    """Return the number of a budget, or raise ValueError if it is too high."""
    number = budget.removesuffix("ms").lstrip("0")
    if len(number) > len(str(most)) or int(number) > most:
        raise ValueError(
            f"{quote(text)}: the budget {quote(budget)} is too high: a decision takes at most "
            f"{MOST_SIMULATIONS:,} simulations, or {MOST_MILLISECONDS}ms, which is an hour"
        )
    return int(number)


def _hub_policy(text: str) -> HubPolicy:
    """Return the name of a policy on the Hub; a revision follows the @."""
    repository, at, revision = text.partition(":")[2].partition("@")
    require_repository(repository, text)
    if at and not _REVISION.fullmatch(revision):
        raise ValueError(
            f"{quote(text)}: the revision {quote(revision)} is not allowed: write a branch, a tag or a commit"
        )
    return HubPolicy(repository, revision)


def require_repository(repository: str, text: str = "") -> None:
    """Raise ValueError unless the Hub allows the name of a repository; the message shows `text` instead, if any."""
    if not _REPOSITORY.fullmatch(repository):
        raise ValueError(
            f"{quote(text or repository)} is not allowed: write OWNER/NAME as the Hub does, in letters, "
            "digits, -, _ and dots"
        )


def _language_model(text: str) -> LanguageModel:
    """Return the name of a language model; its options follow the last @ and have an =."""
    model, at, listed = text.partition(":")[2].rpartition("@")
    if not at or "=" not in listed:
        model, listed = text.partition(":")[2], ""
    if not model or len(model) > _LONGEST_MODEL or not all(c.isprintable() and not c.isspace() for c in model):
        raise ValueError(f"{quote(text)} names no model: write llm:MODEL, as the endpoint calls it, without spaces")
    options = dict[str, Any]()
    for one in listed.split(",") if listed else ():
        name, _, value = one.partition("=")
        if name not in OPTIONS or name in options:
            raise ValueError(f"{quote(text)}: {quote(name)} is no option: write {', '.join(OPTIONS)}, each once")
        try:
            options[name] = option(name, value)
        except ValueError as error:
            raise ValueError(f"{quote(text)}: {error}") from None
    return LanguageModel(model, **options)


def option(name: str, value: str) -> Any:
    """Parse the value of a language model's option, from a name or the environment.

    Raises:
        ValueError: if it is not allowed, with the allowed values.
    """
    form, least, most, allowed = OPTIONS[name]
    fits = re.fullmatch(form, value, re.ASCII)
    if fits and name == "text":
        return value
    numbers = [float(one) for one in value.split("/")] if fits else []
    if not numbers or not all(least <= one <= most for one in numbers):
        raise ValueError(f"{name}={quote(value)} is not allowed: {name} is {allowed}")
    return tuple(numbers) if len(numbers) > 1 else int(numbers[0]) if name == "retries" else numbers[0]


def _decimals(value: Any) -> str:
    """Return the value of an option as text."""
    if isinstance(value, tuple):
        return "/".join(map(_decimals, cast("tuple[float, ...]", value)))
    return value if isinstance(value, str) else f"{value:.4f}".rstrip("0").rstrip(".")


def hint_at_game(game: str, rest: str = "") -> str:
    """Return a hint at the game with a similar name, or ""."""
    close = difflib.get_close_matches(game, envs.games(), 1)
    return f" (did you mean {close[0] + rest!r}?)" if close else ""
