"""Expert iteration: a search that a policy guides is the policy's next teacher, as long as that pays.

T. Anthony, Z. Tian, D. Barber, "Thinking fast and slow with deep learning and tree search", NeurIPS 2017. The lessons
are those of `kozyr.training.imitation.imitation`: positions come from the policy's own play.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kozyr import agents
from kozyr.agents.agent_names import parse
from kozyr.agents.arena.matches.match import match
from kozyr.envs.table import files
from kozyr.training.run import checkpoint
from kozyr.training.run.checkpoint import POLICY, RECORD
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.report import read_rounds, write_rounds
from kozyr.training.run.train import train

NAME = "iteration.json"
_LARGEST = 1 << 24  # bytes of a record


@dataclass(frozen=True)
class Round:
    """Result of a round.

    Attributes:
        number: from 1 on; teacher: whom the policy imitated; decisions: about which it was asked.
        seconds: that the lessons took.
        score, low, high: of the new policy against the one before it, with the ends of its 95 % interval.
        results: what the new policy scores against the settings' opponents, as in run.json.
    """

    number: int
    teacher: str
    decisions: int
    seconds: float
    score: float
    low: float
    high: float
    results: list[dict[str, Any]]

    @property
    def pays(self) -> bool:
        """True if the new policy is better than the one before, as far as the deals can tell."""
        return self.low > 0.5


@dataclass(frozen=True)
class Plan:
    """Plan of an iteration.

    Attributes:
        game: its name; out: a folder, with one a round.
        preset: of the settings file, for the first policy; settings: a file of one's own; options: of the variant.
        first: whom the first policy imitates, None: the settings' teacher.
        start: whose policy is the first one: a run's folder, then `preset`, `first` and `options` do not count; or a
            policy's file, which holds the preset's network.
        search: which the policy guides; rounds: at most; decisions: about which a teacher is asked in a round.
        deals: of the match between a policy and the one before it; seed: of everything.
        learning_rate: of the rounds' lessons at first, None: the settings'.
    """

    game: str
    out: Path
    preset: str = "default"
    settings: Path | None = None
    options: dict[str, Any] | None = None
    first: str | None = None
    start: Path | None = None
    search: str = "pimc@100"
    rounds: int = 5
    decisions: int = 200_000
    deals: int = 2000
    seed: int = 1
    learning_rate: float | None = None


def iterate(plan: Plan) -> list[Round]:
    """Carry out rounds until one does not pay, and return them; stopped, it goes on when it is called again.

    Raises:
        ValueError: as `train`, for a search that takes no guide, for `first` together with `start`, and for rounds in
            the folder that were asked for otherwise.
    """
    if plan.first and plan.start:
        raise ValueError("the first policy imitates `first`, or begins as `start`: give one of the two")
    plan.out.mkdir(parents=True, exist_ok=True)
    done = read_rounds(plan.out / NAME, _how(plan), Round)
    guided = f"{parse(plan.search)}+{agents.names(plan.game)[0]}"  # what cannot be loaded is refused before any lesson
    agents.load(guided, plan.game, **(plan.options or {}))
    before = _run(plan) or _first(plan)
    write_rounds(plan.out / NAME, _how(plan), done)
    for one in done:
        before = plan.out / f"round-{one.number}"
    while len(done) < plan.rounds and (not done or done[-1].pays):
        result = _round(plan, len(done) + 1, before)
        done.append(result)
        before = plan.out / f"round-{result.number}"
        write_rounds(plan.out / NAME, _how(plan), done)
    return done


def best(plan: Plan, done: list[Round]) -> Path:
    """Return the policy of the last round that paid, or the first one."""
    paid = [one.number for one in done if one.pays]
    return (plan.out / f"round-{paid[-1]}" if paid else _run(plan) or plan.out / "first") / POLICY


def _how(plan: Plan) -> dict[str, Any]:
    """Return the options that all rounds of a folder have in common, as JSON keeps them."""
    names = ("game", "preset", "first", "search", "decisions", "deals", "seed", "learning_rate")
    paths = {name: str(getattr(plan, name) or "") for name in ("settings", "start")}
    return {name: getattr(plan, name) for name in names} | paths | {"options": plan.options or {}}


def _run(plan: Plan) -> Path | None:
    """Return the folder of the run that the plan starts from, if it names one."""
    return plan.start if plan.start and plan.start.is_dir() else None


def _first(plan: Plan) -> Path:
    """Return the folder of the first policy, taught or copied now unless that is done."""
    folder = plan.out / "first"
    if not (folder / RECORD).is_file():
        lessons = {} if plan.first is None else {"teacher": plan.first}
        lessons_plan = RunPlan(plan.game, plan.preset, folder, plan.seed, imitation=lessons, start=plan.start)
        own: dict[str, Any] = {"settings": plan.settings, "options": plan.options, "resume": _is_stopped(folder)}
        train(replace(lessons_plan, **own))
    return folder


def _is_stopped(folder: Path) -> bool:
    """Tell if there is a run in a folder that was stopped."""
    return (folder / checkpoint.NAME).is_file()


def _round(plan: Plan, number: int, before: Path) -> Round:
    """Teach the policy by the search that the one before guides, and let both play."""
    folder, old = plan.out / f"round-{number}", before / POLICY
    teacher = f"{plan.search}+{old.resolve()}"
    record = folder / RECORD
    if record.is_file():
        content = json.loads(files.text(record, _LARGEST))
    else:
        lessons: dict[str, Any] = {"teacher": teacher, "decisions": plan.decisions, "critic_only": False}
        if plan.learning_rate is not None:
            lessons["learning_rate"] = plan.learning_rate
        seed, resume = plan.seed + number, _is_stopped(folder)
        content = train(RunPlan(plan.game, out=folder, seed=seed, resume=resume, imitation=lessons, start=before))
    pair = [str(folder / POLICY), str(old)]
    result = match(plan.game, pair, plan.deals, plan.seed, progress=True, **content["options"]).agents[0]
    decisions, seconds = content["imitated"], content["seconds"]
    return Round(number, teacher, decisions, seconds, result.score, *result.score_interval, content["results"])
