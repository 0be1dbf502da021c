"""Schema of a checkpoint, checked before any of it is used: it may have come from anybody."""

from pathlib import Path
from typing import Annotated, Any, Literal

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kozyr import envs
from kozyr.agents.nets.trained import require_known
from kozyr.envs.table import files
from kozyr.training.settings import run_settings as settings_file

FORMAT = 9  # to be raised whenever the content or the keys of the settings change
_MOMENTS = {"step", "exp_avg", "exp_avg_sq"}  # of Adam, for each parameter
WEIGHTS = ("policy", "optimizer", "pool")
_TENSORS = (*WEIGHTS, "games")  # where they may be
_PLAIN = (bool, int, float, str, type(None))

Count = Annotated[int, Field(ge=0, le=2**62)]
Seconds = Annotated[float, Field(ge=0, le=1e12)]
Number = Annotated[float, Field(ge=-1e15, le=1e15)]
Weights = dict[str, torch.Tensor]


class _Table(BaseModel):
    """Keys that a table must have, with their types and ranges."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, arbitrary_types_allowed=True)


class _Row(_Table):
    """A row of `kozyr.training.run.evaluation.measure`, and when it was measured."""

    timesteps: Count
    trained_seconds: Seconds
    against: str
    deals: Count
    games: Count
    mean: Number
    score: Number
    low: Number
    high: Number
    wins: Number
    draws: Number
    losses: Number
    errors: Count
    seconds: Seconds
    interval_method: str = "normal approximation"  # of rows that were measured before it was written down


class _Optimizer(_Table):
    """The state of the optimizer; its settings are taken from the run's."""

    state: dict[Count, Weights]
    param_groups: list[dict[str, Any]]


class _Pool(_Table):
    """The snapshots of `kozyr.training.opponents.opponent_pool.Pool`."""

    taken: Count
    snapshots: list[Weights]


class _Games(_Table):
    """The games in progress: see `kozyr.training.run.games`, which checks what these tensors hold."""

    generators: torch.Tensor
    occupants: torch.Tensor
    counts: torch.Tensor
    actions: torch.Tensor
    returns: torch.Tensor
    lengths: torch.Tensor
    dense: Annotated[list[bool], Field(min_length=2, max_length=2)]


class _OwnGames(_Table):
    """The games in progress of deep Monte-Carlo, and the decisions that are ready: see `in_progress` there."""

    generators: torch.Tensor
    counts: torch.Tensor
    actions: torch.Tensor
    views: torch.Tensor
    choices: torch.Tensor
    results: torch.Tensor
    returns: torch.Tensor
    lengths: torch.Tensor


class _Content(_Table):
    """A whole checkpoint."""

    format: Literal[9]
    game: str
    options: dict[str, Any]
    view: list[list[Any]]
    settings: dict[str, Any]
    timesteps: Count
    imitated: Count
    seconds: Seconds
    lessons_seconds: Seconds
    curve: list[Annotated[list[Number], Field(min_length=3, max_length=3)]]
    evaluations: list[_Row]
    policy: Weights
    optimizer: _Optimizer
    pool: _Pool
    games: _Games | _OwnGames | None = None  # of a run that has begun to play, since they are kept


def validate(content: Any, path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint's file, if it is one.

    Raises:
        ValueError: if it is of another format, or anything in it is not what belongs there, saying where.
    """
    if not isinstance(content, dict) or type(content.get("format")) is not int or content["format"] != FORMAT:
        raise ValueError(f"{path} is no checkpoint of this version of kozyr (format {FORMAT}): start a new run")
    owner = f"the checkpoint {path}"
    try:
        files.require_plain(content)
        _require_sound(content)
        saved = _Content.model_validate(content).model_dump()
    except ValidationError as errors:
        raise ValueError(f"{owner} is damaged: {_first_error(errors)}") from None
    except ValueError as error:
        raise ValueError(f"{owner} is damaged: {error}") from None
    require_known(owner, saved["game"], saved["options"], saved["view"])
    saved["settings"] = settings_file.from_checkpoint(saved["settings"], _game(saved["game"], owner), owner)
    if len(saved["pool"]["snapshots"]) > saved["settings"]["pool_size"]:
        raise ValueError(f"{owner} is damaged: it has more snapshots than its settings allow")
    return saved


def _game(name: str, owner: str) -> Any:
    """Return the game of a checkpoint, in its newest version."""
    try:
        return envs.game(name.rpartition("_v")[0])
    except ValueError as error:
        raise ValueError(f"{owner} is of a game that is not here: {error}") from None


def _first_error(errors: ValidationError) -> str:
    """Return the first error, with its place."""
    error = errors.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, error["loc"]))
    return f"{files.cut(place, 200)}: {error['msg']}"


def _require_sound(content: dict[Any, Any]) -> None:
    """Raise ValueError for anything but numbers, texts and lists, and tensors where they belong."""
    rest: list[tuple[Any, bool]] = [(one, key in _TENSORS) for key, one in content.items()]
    while rest:
        one, tensors = rest.pop()
        if isinstance(one, (dict, list, tuple)):
            rest += [(each, tensors) for each in (one.values() if isinstance(one, dict) else one)]
        elif tensors and isinstance(one, torch.Tensor):
            _require_numbers(one)
        elif type(one) not in _PLAIN:
            raise ValueError(f"it has a {type(one).__name__} where none belongs")


def _require_numbers(one: torch.Tensor) -> None:
    """Raise ValueError unless a tensor has numbers of its own, and none of them is endless."""
    plain = one.layout == torch.strided and one.device.type == "cpu" and not (one.is_quantized or one.is_complex())
    if not plain or one.numel() * one.element_size() > one.untyped_storage().nbytes():
        raise ValueError("it has a tensor of another kind")
    if one.is_floating_point() and not bool(torch.isfinite(one).all()):
        raise ValueError("it has numbers that are none")


def first_not_finite(weights: Any, name: str = "") -> str:
    """Return the name of the first tensor in nested weights that holds NaN or an infinity, or "" if none does."""
    if isinstance(weights, torch.Tensor):
        return "" if not weights.is_floating_point() or bool(torch.isfinite(weights).all()) else name
    if not isinstance(weights, (dict, list)):
        return ""
    inner: Any = weights.items() if isinstance(weights, dict) else enumerate(weights)
    return next((wrong for key, one in inner if (wrong := first_not_finite(one, f"{name}.{key}".lstrip(".")))), "")


def require_moments(optimizer: torch.optim.Optimizer) -> None:
    """Raise ValueError unless an optimizer's state fits its parameters."""
    known = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    for parameter, moments in optimizer.state.items():
        if id(parameter) not in known or set(moments) != _MOMENTS:
            raise ValueError("its optimizer is another one")
        shapes = [moments[name].shape for name in ("exp_avg", "exp_avg_sq")]
        if shapes != [parameter.shape] * 2 or moments["step"].numel() != 1 or moments["step"].item() < 0:
            raise ValueError("its optimizer does not fit the network")
        if bool((moments["exp_avg_sq"] < 0).any()):
            raise ValueError("its optimizer has a negative square")
