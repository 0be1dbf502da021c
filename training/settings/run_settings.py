"""Settings of a training run: read from TOML, checked key by key, with sentences for errors.

A file holds presets as tables. Every preset starts from [default], or from the preset that its key `like` names, and
changes the keys that it names; the keys of its own tables (variant, net, opponents, evaluation) are changed one by one
too. A user's file without [default] need not be complete: it starts from the game's own file, and may name its presets.
"""

import difflib
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from kozyr.agents.agent_names import refuse_code
from kozyr.envs.core.quote import quote
from kozyr.envs.table import files
from kozyr.training import encoders
from kozyr.training.settings import presets

Count = Annotated[int, Field(ge=1, le=2**40)]
Whole = Annotated[int, Field(ge=0, le=2**40)]
Few = Annotated[int, Field(ge=1, le=2**20)]  # of what is all in memory
Weight = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Rate = Annotated[float, Field(gt=0)]


class _Table(BaseModel):
    """Keys that a table may have, with their types and ranges."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Layers(_Table):
    """The table `net`, but for the encoders' keys."""

    trunk: Annotated[list[Few], Field(max_length=64)]  # widths of the layers that actor and critic share
    heads: Annotated[list[Few], Field(max_length=64)]  # widths of the layers of each
    activation: Literal["relu", "tanh", "silu"]


class Evaluation(_Table):
    """The table `evaluation`."""

    against: list[str]  # agents by name
    deals: Annotated[int, Field(ge=2, le=2**30)]  # while training
    final_deals: Annotated[int, Field(ge=2, le=2**30)]
    every: Count  # decisions between two evaluations
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)]


class Imitation(_Table):
    """The table `imitation`, which may be left out."""

    teacher: str  # an agent by name
    decisions: Count = 1_000_000  # positions it is asked about
    learning_rate: Rate = 1e-3  # at first; it falls in a straight line
    own: Share = 0.5  # share of the tables at which the learner's own actions are played
    epochs: Few = 2  # how often a position is learned from, on average
    memory: Annotated[int, Field(ge=1, le=2**30)] = 400_000  # positions that are remembered
    critic_only: bool = False  # let the actor be as it is


class MirrorDescent(_Table):
    """The table `mmd`, which may be left out; it counts with `algorithm = "mmd"`."""

    magnet: Literal["uniform", "average"] = "uniform"  # all legal actions alike, or a moving average of the weights
    decay: Share = 0.98  # what the moving average keeps of itself at each rollout
    trust: Weight = 0.1  # of the divergence from the policy that has played the rollout; 1 / η in the paper


class MonteCarlo(_Table):
    """The table `dmc`, which may be left out; it counts with `algorithm = "dmc"`."""

    epsilon: Share = 0.05  # chance of any legal action in place of the best one, at first
    epsilon_end: Share = 0.03  # what it goes to in a straight line


class _Preset(_Table):
    """Settings of a run but the table `net`."""

    like: str | None = None  # another preset that this one starts from
    timesteps: Count  # decisions of the learner in the whole run
    minutes: Weight = 0.0  # wall time after which it ends if it has not made its decisions; 0: no limit
    num_tables: Few
    n_steps: Few  # decisions a table in one rollout
    batch_size: Annotated[int, Field(ge=2, le=2**30)]
    n_epochs: Few
    engine: Literal["auto", "compiled", "sb3"] = "auto"  # what learns; auto: compiled where it can, else sb3
    algorithm: Literal["ppo", "mmd", "dmc"] = "ppo"
    advantage: Literal["gae", "action_values"] = "gae"  # GAE(λ), or Expected SARSA(λ) from a critic of actions
    mmd: MirrorDescent = MirrorDescent()
    dmc: MonteCarlo = MonteCarlo()
    learning_rate: Rate
    anneal: bool  # let the learning rate fall to 0 in a straight line
    entropy: Weight  # with `mmd`: weight of the divergence from the magnet
    entropy_end: Weight | None = None  # what the entropy's weight goes to in a straight line; left out, it stays
    clip: Rate
    gae_lambda: Share
    gamma: Share
    bootstrap: bool = True  # where a cap ends a game, count what the critic expects, not what the game pays then
    max_grad_norm: Rate
    value_weight: Weight
    threads: Annotated[int, Field(ge=0, le=4096)]  # of the network, the tables and the opponents; 0: one a core
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)]
    snapshot_every: Count  # rollouts
    pool_size: Annotated[int, Field(ge=0, le=10_000)]  # snapshots that are kept
    variant: dict[str, Any] = {}
    opponents: dict[str, Weight] = {}  # how often each sits in the other seats
    evaluation: Evaluation
    imitation: Imitation | None = None


KEYS = frozenset({*_Preset.model_fields, "net"})  # of a preset
DEFAULT, _LIKE, _PRESET = "default", "like", "preset"
_KINDS = {"boolean": "true or false", "string": "a text", "integer": "a whole number", "number": "a number"}

Settings = dict[str, Any]  # every key of a preset; `imitation` is empty if it was left out; and the preset they are of


def _preset() -> type[BaseModel]:
    """Return the schema of a preset: the encoders add their keys to the table `net`."""
    keys: dict[str, Any] = {key: kind for it in encoders.ENCODERS.values() for key, kind in it.keys.items()}
    net = create_model("Net", __base__=_Layers, **keys)
    return create_model("Preset", __base__=_Preset, net=(net, ...))


def threads_of(settings: Settings) -> int:
    """Return the number of threads of a run: the settings' number, or one a core."""
    return settings["threads"] or os.cpu_count() or 1


def load(game: Any, preset: str = "default", path: Path | None = None, allow_code: Collection[str] = ()) -> Settings:
    """Return the settings of one preset.

    Args:
        game: the game they are for.
        preset: a table of the file.
        path: a TOML file; None takes the one that comes with the game.
        allow_code: classes and programs that the file may name as agents.

    Raises:
        ValueError: naming the file, the key, its value and what is allowed.
    """
    name, tables = presets.read(game.name, path)
    if tables and DEFAULT not in tables:
        tables = {**presets.usual(game.name), **tables}
    if not tables or preset not in tables:
        raise ValueError(f"{name} has no preset {quote(preset)}: its presets are {', '.join(tables) or 'none'}")
    keys: dict[str, Any] = {}
    for layer in _layers(tables, preset, name):
        _lay_over(keys, tables[layer], f"{name} [{layer}]")
    where = f"{name} [{preset}]"
    settings = _complete(keys, game, where, f"{Path(name).name} [{preset}]")
    refuse_code(agent_names(settings), where, allow_code)
    return settings


def from_checkpoint(keys: dict[str, Any], game: Any, where: str) -> Settings:
    """Return the settings that a checkpoint of a run has, checked anew.

    Args:
        keys: as they stand there; game: they are for; where: the checkpoint.

    Raises:
        ValueError: naming the key, its value and what is allowed.
    """
    preset = keys.get(_PRESET)
    if not isinstance(preset, str):
        raise ValueError(f"{where}: its settings do not say what preset they are of")
    own = {key: value for key, value in keys.items() if key != _PRESET}
    lessons = own.get("imitation")
    return _complete({**own, "imitation": None if lessons == {} else lessons}, game, where, preset)


def _complete(keys: dict[str, Any], game: Any, where: str, preset: str) -> Settings:
    """Return settings with all of their keys, or raise ValueError in words."""
    settings = _validate(_preset(), keys, where)
    _require_sense(settings, game, where)
    del settings[_LIKE]
    return {**settings, "imitation": settings["imitation"] or {}, _PRESET: preset}


def override(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Return settings with other values of some keys, all of them checked; None stands for the value that is there.

    Raises:
        ValueError: naming the key, its value and what is allowed.
    """
    keys = {key: settings[key] if value is None else value for key, value in values.items()}
    for key, value in keys.items():
        _validate(_preset(), {key: value}, "", whole=False)
    return {**settings, **keys}


def with_imitation(settings: Settings, preset: str, imitation: Mapping[str, Any] | None) -> Settings:
    """Return settings with keys laid over their table `imitation`; None asks for nothing.

    Raises:
        ValueError: for a key or value that is not allowed there, and for lessons without a teacher.
    """
    keys = {**settings["imitation"], **(imitation or {})}
    if imitation is not None and not keys:
        raise ValueError(f"{preset} names no teacher to imitate: give one")
    return {**settings, "imitation": _validate(Imitation, keys, "imitation") if keys else {}}


def with_opponent(settings: Settings, against: str) -> Settings:
    """Return settings in which one agent sits in all other seats, and is the one measured against."""
    return {**settings, "opponents": {against: 1.0}, "evaluation": {**settings["evaluation"], "against": [against]}}


def agent_names(settings: Settings) -> list[str]:
    """Return the names of all agents in settings."""
    teacher = (settings["imitation"] or {}).get("teacher")
    return [*settings["opponents"], *settings["evaluation"]["against"], *([teacher] if teacher else [])]


def _layers(tables: dict[str, Any], preset: str, name: str) -> list[str]:
    """Return the presets that make one, the first one first: [default], those that it is like, and its own."""
    for layer, table in tables.items():
        if not isinstance(table, Mapping):
            raise ValueError(f"{name} [{layer}] is not a table of settings: {files.cut(repr(table), 300)}")
    if _LIKE in tables.get(DEFAULT, {}):
        raise ValueError(f"{name} [default]: {_LIKE} is not allowed: all other presets start from [default]")
    chain = [preset]
    while _LIKE in tables[chain[-1]]:
        like = tables[chain[-1]][_LIKE]
        where = f"{name} [{chain[-1]}]: {_LIKE}={quote(like)} is not allowed"
        if not isinstance(like, str) or like not in tables:
            raise ValueError(f"{where}: the presets are {', '.join(tables)}")
        if like in chain:
            raise ValueError(f"{where}: [{like}] itself starts from [{chain[-1]}]")
        chain.append(like)
    return [layer for layer in dict.fromkeys([DEFAULT, *reversed(chain)]) if layer in tables]


def _lay_over(keys: dict[str, Any], layer: Mapping[str, Any], where: str) -> None:
    """Change settings by the keys of one preset, and raise ValueError if one of them is not allowed."""
    for key, value in layer.items():
        before = keys.get(key)
        keys[key] = {**before, **value} if isinstance(before, Mapping) and isinstance(value, Mapping) else value
    _validate(_preset(), keys, where, whole=False)


def _validate(model: type[BaseModel], keys: dict[str, Any], where: str, whole: bool = True) -> dict[str, Any]:
    """Return a table with all of its keys, or raise ValueError in words; keys may be missing unless it is `whole`."""
    try:
        return model.model_validate(keys).model_dump()
    except ValidationError as invalid:
        errors = invalid.errors()
    wrong = [error for error in errors if error["type"] != "missing"]
    if wrong:
        raise ValueError(_sentence(model, keys, wrong[0], where))
    if whole:
        missing = ", ".join(".".join(map(str, error["loc"])) for error in errors)
        also = "" if model is Imitation else " here and in [default]"
        raise ValueError(f"{where}: {missing} is missing{also}")
    return keys


def _require_sense(settings: Settings, game: Any, where: str) -> None:
    """Raise if keys do not go together or do not fit the game."""
    _require_batches(settings["num_tables"] * settings["n_steps"], settings["batch_size"], where)
    if not any(settings["opponents"].values()):
        raise ValueError(f"{where}: opponents={settings['opponents']} is not allowed: some weight must be above 0")
    try:
        variant = game.make_variant(**settings["variant"])
    except ValueError as error:
        raise ValueError(f"{where} variant: {files.cut(str(error), 300)}") from None
    complaint = encoders.complaint(settings["net"], game, variant)
    if complaint:
        raise ValueError(f"{where}: {complaint}")


def _require_batches(rollout: int, batch: int, where: str) -> None:
    """Raise if a rollout cannot be cut into minibatches that have two decisions at least.

    PPO divides the advantages of a minibatch by their standard deviation, which a single decision does not have:
    sb3-contrib then makes every weight NaN.
    """
    wrong = f"{where}: batch_size={batch} is not allowed: a rollout has num_tables × n_steps = {rollout} decisions"
    if batch > rollout:
        raise ValueError(wrong)
    if rollout % batch == 1:
        other = next(size for size in range(batch + 1, rollout + 1) if rollout % size != 1)
        raise ValueError(
            f"{wrong}, and the last minibatch would have one, from which nothing can be learned: "
            f"take batch_size={other}, or another num_tables or n_steps"
        )


def _sentence(model: type[BaseModel], settings: Mapping[str, Any], error: Mapping[str, Any], where: str) -> str:
    """Return an error of pydantic's as a sentence: its place, the key and its value, and the values that are allowed.

    Args:
        model: what the settings are checked by; settings: as they were read.
        error: one of pydantic's errors.
        where: the file and the table, or nothing.
    """
    path = [key for key in error["loc"] if isinstance(key, str) and key != "[key]"]  # a list is told as a whole
    *tables, key = path
    whole = schema = model.model_json_schema()
    value, keys = settings, list[str]()
    for each in path:
        keys = list(schema.get("properties", {}))
        value, schema = value[each], _inside(schema, each, whole)
    at = f"{' '.join([where, *tables])}: " if where else ""
    if error["type"] == "extra_forbidden":
        close = difflib.get_close_matches(key, keys, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        return f"{at}unknown key {key!r}.{hint} The keys are: {', '.join(keys)}"
    return f"{at}{key}={files.cut(repr(value), 300)} is not allowed: {key} is {_allowed(schema)}"


def _inside(schema: dict[str, Any], key: str, whole: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a key, without the choice of leaving it out."""
    inner = schema.get("properties", {}).get(key) or schema.get("additionalProperties") or {}
    inner = inner.get("anyOf", [inner])[0]
    return whole["$defs"][inner["$ref"].rpartition("/")[2]] if "$ref" in inner else inner


def _allowed(schema: dict[str, Any]) -> str:
    """Return the values that a key may have, in words."""
    if "items" in schema:
        few = f" of up to {schema['maxItems']}" if "maxItems" in schema else ""
        return f"a list{few}, each entry {_allowed(schema['items'])}"
    if "enum" in schema:
        return "one of " + ", ".join(map(repr, schema["enum"]))
    above, low, high = (schema.get(key) for key in ("exclusiveMinimum", "minimum", "maximum"))
    words = _KINDS.get(schema["type"], "a table of keys")
    words += "" if above is None else f" above {above:g}"
    words += "" if low is None else f" from {low:g}"
    return words + (f" to {high}" if high is not None else " up" if low is not None else "")
