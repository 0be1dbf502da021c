"""Suites: tasks in which agents are measured, and the opponents of each, which stand still under a version."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from kozyr import agents, envs
from kozyr.agents.arena.scores.reproducible_result import require_repeatable
from kozyr.agents.statistics.estimate import Estimate
from kozyr.envs.core.quote import quote
from kozyr.envs.core.rng import spread
from kozyr.envs.table import files

LATEST = "suite-1"
_FOLDER = Path(__file__).parent
_LONGEST = 1 << 20  # bytes of a file
_QUICK = 16  # with `quick` a task has as many deals as this part of them
_LEAST_DEALS = 2

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Deals = Annotated[int, msgspec.Meta(ge=_LEAST_DEALS, le=10**9)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Name = Annotated[str, msgspec.Meta(pattern="^[a-z0-9][a-z0-9_-]{0,59}$")]
Word = Annotated[str, msgspec.Meta(max_length=1000)]


class Opponent(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An opponent of a task: it fills all seats but the agent's.

    Attributes:
        agent: its name; deals: duplicate deals against it.
    """

    agent: Word
    deals: Deals


class Task(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A task: a variant of a game, its opponents, and the two ends of its scale.

    Attributes:
        name: of the task; game: name and version; variant: its options.
        opponents: which count the same.
        zero, hundred: mean scores, 0 to 1, that make 0 and 100 points. Without them a task has points of its score in
            percent.
        reference: the search whose score is `hundred`, in words; None if it is nobody's.
        opening: random plies first; None: as many as the game usually has.
    """

    name: Name
    game: Word
    variant: dict[str, bool | int | float | Word] = {}
    opponents: Annotated[list[Opponent], msgspec.Meta(min_length=1, max_length=32)]
    zero: Share = 0.0
    hundred: Share = 1.0
    reference: Word | None = None
    opening: Count | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of the variant."""
        return dict(self.variant)

    def points(self, score: Estimate) -> Estimate:
        """Return points for a mean score over the opponents, 0 to 1."""
        return Estimate(*(100 * (one - self.zero) / (self.hundred - self.zero) for one in score))


class Suite(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A suite.

    Attributes:
        suite: its name; seed: of its deals, unless a score is asked for others.
        tasks: of all games; each game has the same weight, and each task of a game.
    """

    suite: Name
    seed: Count
    tasks: Annotated[list[Task], msgspec.Meta(min_length=1, max_length=256)]

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all that the suite fixes."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    def task(self, name: str) -> Task:
        """Return a task by its name, or raise ValueError with the names that there are."""
        for one in self.tasks:
            if one.name == name:
                return one
        raise ValueError(f"{quote(name)} is no task of {self.suite}: {', '.join(one.name for one in self.tasks)}")

    def matches(self, task: Task, seed: int, quick: bool) -> Iterator[tuple[Opponent, int, int]]:
        """Yield the opponents of a task, each with its number of deals and their seed; no two have the same deals."""
        place = self.tasks.index(task)
        for k, opponent in enumerate(task.opponents):
            deals = max(_LEAST_DEALS, opponent.deals // _QUICK) if quick else opponent.deals
            yield opponent, deals, int(spread(int(spread(seed, place)), k))

    def weights(self, names: list[str]) -> list[float]:
        """Return the weights of tasks: every game weighs the same, and in it every task."""
        games = [self.task(name).game for name in names]
        return [1 / games.count(game) for game in games]


def load(name: str | Path = LATEST) -> Suite:
    """Return a suite by its name, or from a file of TOML, as a teacher writes it.

    Raises:
        ValueError: for an unknown name, and for a file that is no suite, saying what is wrong.
        OSError: if a file cannot be read.

    Example:
        >>> load("suite-1").task("durak_36").game
        'durak_v0'
    """
    bundled = sorted(path.stem for path in _FOLDER.glob("suite-*.toml"))
    if str(name) in bundled:
        path = _FOLDER / f"{name}.toml"
    elif Path(name).suffix == ".toml":
        path = Path(name)
    else:
        raise ValueError(f"there is no suite {quote(str(name))}: name one of {', '.join(bundled)}, or a file.toml")
    try:
        suite = msgspec.convert(files.parsed_toml(files.text(path, _LONGEST)), Suite)
    except ValueError as error:
        raise ValueError(f"{path} is no suite: {files.cut(str(error))}") from None
    if str(name) not in bundled:  # whose tasks the tests try: to load all their players costs more than a quick match
        _require_sound(path, suite)
    return suite


def _require_sound(path: Path, suite: Suite) -> None:
    """Raise ValueError if a suite's tasks cannot be played."""
    names = [one.name for one in suite.tasks]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"{path}: two tasks have the name {quote(twice)}")
    for task in suite.tasks:
        try:
            if not task.zero < task.hundred:
                raise ValueError(f"zero = {task.zero} is not below hundred = {task.hundred}")
            envs.game(task.game).make_variant(**task.options)
            require_repeatable([one.agent for one in task.opponents])
            for one in task.opponents:
                agents.load(one.agent, game=task.game, **task.options)
        except ValueError as error:
            raise ValueError(f"{path}, task {quote(task.name)}: {error}") from None
