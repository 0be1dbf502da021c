"""Publication of a policy: its measured scores, and its ONNX file beside a card with all facts about it."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kozyr import agents
from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.results.escape import in_code, in_markdown
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.agents.nets.trained import Trained
from kozyr.agents.statistics.intervals import METHOD
from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output, files
from kozyr.envs.table.lock import locked

LARGEST = 2 * 2**20  # bytes of a policy
_RECORD, _LARGEST_RECORD = "run.json", 64 << 20
_NAME = re.compile(r"\w[\w.-]{0,99}")


def publish(
    run: Path,
    folder: Path,
    name: str,
    against: Sequence[str],
    deals: int = 4000,
    search_deals: int = 1000,
    seed: int = 7_000_000,
    workers: int = 1,
    limits: str = "",
    condensed: bool = False,
    progress: bool = False,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Measure a run's policy against agents, write it with its card into a folder and return the card's facts.

    Args:
        run: the run's folder; folder: where the policy goes.
        name: of the policy: its file is `name`.onnx, or .npz if it is condensed, and its card `name`.md.
        against: agents by name; deals: duplicate deals against each, search_deals: against search players.
        seed: of the deals, which training has not seen; workers: processes that play.
        limits: what a user should know, in words.
        condensed: write the small compiled form, see `kozyr.agents.nets.condensed`.
        progress: show a bar for each match on stderr.
        options: fields of the variant that it is published for, where that is not the one that it was trained for. The
            two may differ in parts of the view that the network does not read, see `net.unseen`.

    Raises:
        ValueError: if the run is not finished, the policy is too large or, to be condensed, of another kind, or
            it does not fit the options, or an agent is unknown, or another process is at work on the run or on a
            policy of this name.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{quote(name)} is no name of a policy: write letters, digits, -, _ and dots, as mine_v2")
    source, recorded = _policy_file(run, condensed, options), _record_facts(run / _RECORD)
    if options and not condensed:
        source = _carried(run, source, recorded["settings"], options)
    content = files.content(source, LARGEST)
    policy = agents.load(str(source))
    assert isinstance(policy, Trained)  # as every agent from a file is
    its = policy.game.options(policy.variant)
    numbers = {
        other: deals if hasattr(agents.load(other, game=policy.game.name, **its), "level") else search_deals
        for other in against
    }
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / name, "policy"):
        rows = [_measured(policy, other, number, seed, workers, progress) for other, number in numbers.items()]
        facts = {"game": policy.game.id, "options": its, "results": rows, "seed": seed, **recorded}
        file_output.write(folder / f"{name}{source.suffix}", content)
        file_output.write(folder / f"{name}.md", card(name, facts, len(content), limits or _limits(policy)))
    return facts


def _limits(policy: Trained) -> str:
    """Return the usual advice to users."""
    parts = " and ".join(f"`{name}`" for name in policy.unseen)
    others = f", and others that change only {parts} of the view," if parts else " only,"
    return f"It plays this variant{others} and knows nothing that is not in one view."


def _carried(run: Path, source: Path, settings: dict[str, Any], options: Mapping[str, Any]) -> Path:
    """Write a run's policy for another variant beside it and return where.

    Raises:
        ValueError: if it does not fit the options.
    """
    from kozyr.training.export.onnx_export import carried

    policy = OnnxPolicy(source)
    unseen = _Settings.model_validate(settings).net.unseen
    variant = policy.game.altered(policy.variant, **options)
    path = run / "carried.onnx"
    file_output.write(path, carried(files.content(source, LARGEST), policy, variant, unseen))
    return path


def _policy_file(run: Path, condensed: bool, options: Mapping[str, Any] | None) -> Path:
    """Return the file of a finished run's policy, or of its small form.

    Raises:
        ValueError: if the run is not finished, or the policy is too large or cannot be condensed.
    """
    source = run / "policy.onnx"
    if not (source.is_file() and (run / _RECORD).is_file()):
        raise ValueError(f"{run} holds no finished run: it needs policy.onnx and {_RECORD}")
    source = _condensed(run, options) if condensed else source
    size = source.stat().st_size
    if size > LARGEST:
        raise ValueError(f"{source} has {size:,} bytes, more than {LARGEST:,}: train a smaller net")
    return source


class _Machine(BaseModel):
    """Machine of a run."""

    model_config = ConfigDict(strict=True)
    system: str
    processor: str
    cores: Annotated[int, Field(ge=1)] | None


class _Lessons(BaseModel):
    """Imitation, as far as the card shows it."""

    model_config = ConfigDict(strict=True)
    teacher: str | None = None
    critic_only: bool = False


class _Net(BaseModel):
    """Network, as far as a policy for another variant depends on it."""

    model_config = ConfigDict(strict=True)
    unseen: list[str] = []


class _Settings(BaseModel):
    """Settings that the card puts into words; it also shows all of them."""

    model_config = ConfigDict(strict=True)
    preset: str
    seed: int
    imitation: _Lessons
    net: _Net = _Net()


class _Record(BaseModel):
    """Facts of a run's record for the card."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)
    timesteps: Annotated[int, Field(ge=0)]
    imitated: Annotated[int, Field(ge=0)]
    seconds: Annotated[float, Field(ge=0, le=1e12)]
    settings: _Settings
    versions: dict[str, str]
    machine: _Machine


def _record_facts(record: Path) -> dict[str, Any]:
    """Return the facts of a run's record for the card.

    Raises:
        ValueError: naming the file, and what in it does not belong there.
    """
    try:
        content = files.parsed(files.content(record, _LARGEST_RECORD))
        model = _Record.model_validate(content)
    except ValidationError as errors:
        error = errors.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{record} is damaged: {'.'.join(map(str, error['loc']))}: {error['msg']}") from None
    except ValueError as error:
        raise ValueError(f"{record} is damaged: {error}") from None
    lessons = content["settings"]["imitation"]
    if (teacher := Path(model.settings.imitation.teacher or "")).is_absolute():
        lessons["teacher"] = teacher.name  # where it lay is nobody's business
    return {name: content[name] for name in model.model_fields_set}


def _condensed(run: Path, options: Mapping[str, Any] | None) -> Path:
    """Write a run's policy in its small form beside the other one and return where."""
    from kozyr.training.export.condense import condense

    path = run / "policy.npz"
    with locked(run, "run"):
        condense(run, path, options)
    return path


def _measured(policy: Any, other: str, deals: int, seed: int, workers: int, progress: bool) -> dict[str, Any]:
    """Return a policy's score against an agent."""
    options = policy.game.options(policy.variant)
    me = match(policy.game.name, [str(policy.path), other], deals, seed, workers, progress, **options).agents[0]
    low, high = me.score_interval
    return {"against": other, "deals": deals, "score": me.score, "low": low, "high": high, "interval_method": METHOD}


def card(name: str, facts: dict[str, Any], size: int, limits: str) -> str:
    """Return a policy's card as Markdown; it ends with the facts as JSON."""
    options = ", ".join(f"{key}={value}" for key, value in facts["options"].items())
    rows = [
        f"| `{in_code(row['against'])}` | {100 * row['score']:.1f} % "
        f"| {100 * row['low']:.1f} … {100 * row['high']:.1f} % | {row['deals']:,} |"
        for row in facts["results"]
    ]
    lessons = facts["settings"]["imitation"]
    preset = in_code(facts["settings"]["preset"])
    start = f"taught by `{in_code(lessons.get('teacher') or '')}` about"
    if lessons.get("critic_only"):
        start = "it went on from another policy (`--start`), whose critic learned from about"
    lessons_text = f"{start} {facts['imitated']:,} positions, then " if lessons.get("teacher") else ""
    minutes, machine = facts["seconds"] / 60, facts["machine"]
    how = f"seed {facts['settings']['seed']}, {machine['cores']} cores ({in_markdown(machine['processor'])})"
    return "\n".join([
        f"# {name}",
        "",
        f"A policy for {facts['game']} ({options}), {size / 2**20:.2f} MiB, greedy.",
        "",
        "| Against, in all other seats | Score | 95 % interval | Duplicate deals |",
        "|---|---:|---:|---:|",
        *rows,
        "",
        f"**Training**: `{preset}`: {lessons_text}{facts['timesteps']:,} decisions "
        f"against the opponents in the settings below, {minutes:.0f} minutes in all; {how}.",
        "",
        f"**Limits**: {limits}",
        "",
        "```json",
        json.dumps(facts, indent=1),
        "```",
        "",
    ])  # fmt: skip


def facts(path: Path) -> dict[str, Any]:
    """Return the facts of a card."""
    _, _, rest = files.text(path, _LARGEST_RECORD).partition("```json\n")
    try:
        return files.parsed(rest.partition("\n```")[0])
    except ValueError as error:
        raise ValueError(f"{path} is no card of a policy: {error}") from None
