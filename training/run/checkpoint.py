"""Checkpoints of a training run: written whole or not at all, read with care, refused in words."""

import math
import os
import pickle
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from kozyr.envs.core.game import Game
from kozyr.envs.table import file_output, files
from kozyr.envs.table.lock import locked
from kozyr.training.run.checkpoint_schema import FORMAT, WEIGHTS, first_not_finite, validate

NAME, POLICY, RECORD, CURVE = "checkpoint.pt", "policy.onnx", "run.json", "learning_curve.png"  # in a run's folder
PREVIOUS = "checkpoint.previous.pt"  # the one before, in case something happens to the newest
_LARGEST, _ENTRIES = 8 << 30, 1_000_000  # bytes of a file, and tensors in it


@contextmanager
def new_run(folder: Path) -> Generator[None]:
    """Make a run's folder and keep other processes away while the block runs.

    Raises:
        ValueError: if there is a run in it already, which has a checkpoint or a record, or another process makes one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be made: {error.strerror}") from None
    with locked(folder, "run"):
        if any((folder / name).exists() for name in (NAME, RECORD)):
            raise ValueError(f"there is a run in {folder} already: resume it, choose another folder, or remove it")
        yield


@contextmanager
def existing_run(folder: Path) -> Generator[dict[str, Any]]:
    """Give the checkpoint of a run and keep other processes away while the block runs.

    Raises:
        ValueError: as `load`, or if another process is at work on the run.
    """
    _require_there(folder)
    with locked(folder, "run"):
        yield load(folder)


def restart(folder: Path, game: Game, options: dict[str, Any]) -> dict[str, Any]:
    """Return the checkpoint of a run as one from which another begins, with its weights and no decisions.

    Raises:
        ValueError: as `existing_run` and `require`.
    """
    with existing_run(folder) as saved:
        require(saved, folder, game, options)
        nothing = {"timesteps": 0, "imitated": 0, "seconds": 0.0, "lessons_seconds": 0.0}
        return {**saved, **nothing, "curve": [], "evaluations": [], "games": None}


def _require_there(folder: Path) -> None:
    """Raise ValueError unless there is a checkpoint in a folder."""
    if not (folder / NAME).is_file():
        raise ValueError(f"there is no run to resume in {folder}: it has no {NAME}")


def require_finite(folder: Path, weights: dict[str, Any], loss: float = 0.0) -> None:
    """Raise unless the loss of a run's last update and all weights are finite numbers.

    Args:
        folder: the run's, with its last good checkpoint; weights: tensors by name, nested or not; loss: of the update.

    Raises:
        RuntimeError: saying what is wrong, and how to go on.
    """
    wrong = first_not_finite(weights) or ("" if math.isfinite(loss) else "the loss")
    if not wrong:
        return
    advice = (
        "Its last good checkpoint is kept: resume from it with another seed"
        if (folder / NAME).is_file()
        else "Nothing was saved: begin again with another seed"
    )
    raise RuntimeError(
        f"the run in {folder} has diverged: {wrong} is NaN or infinite. {advice}, or begin a new run with a lower "
        "learning_rate or max_grad_norm"
    )


def save(folder: Path, game: Game, variant: Any, content: dict[str, Any]) -> None:
    """Replace the checkpoint of a run by a new one, marked with all that it depends on.

    It is read again before it takes that place, and the one of before is kept as `PREVIOUS`.

    Raises:
        RuntimeError: as `require_finite`, or if it cannot be written whole; the one of before is left as it is.
        OSError: naming the file, if the folder cannot be written to.
    """
    require_finite(folder, {name: content[name] for name in WEIGHTS})
    marks = {
        "format": FORMAT,
        "game": game.id,
        "options": game.options(variant),
        "view": game.declaration(variant),
    }
    newest = folder / NAME
    with file_output.replacement(newest) as part:
        try:
            torch.save({**marks, **_by_themselves(content)}, part)
            _read(part)
        except (RuntimeError, ValueError) as error:  # what torch says where the disk is full
            remark = f"; that of before is kept in {newest}" if newest.is_file() else ""
            raise RuntimeError(f"the checkpoint {newest} could not be written: is the disk full?{remark}") from error
        if newest.is_file():
            _keep(newest)


def _keep(newest: Path) -> None:
    """Give a checkpoint a second name, under which it stays when another one takes its first."""
    with file_output.replacement(newest.with_name(PREVIOUS)) as other:
        try:
            other.hardlink_to(newest)
        except OSError:  # a file system without such links
            shutil.copyfile(newest, other)


def _by_themselves(content: Any) -> Any:
    """Return nested values whose tensors have memory of their own, without what else lies beside them in an array."""
    if isinstance(content, torch.Tensor):
        return content.detach().clone(memory_format=torch.contiguous_format)
    if isinstance(content, dict):
        return {key: _by_themselves(one) for key, one in content.items()}
    return [_by_themselves(one) for one in content] if isinstance(content, list) else content


def _unpickled(file: Any) -> Any:
    """Return the content of an open file of torch's, or raise ValueError."""
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, ValueError, LookupError, TypeError, AttributeError):
        # torch would tell how to run what is in it, or speak of what it stumbled over
        raise ValueError("it is no list of numbers and texts") from None


def load(folder: Path) -> dict[str, Any]:
    """Return the checkpoint of a run.

    Raises:
        ValueError: if there is none, it cannot be read, or something in it is not what belongs there.
    """
    path = folder / NAME
    _require_there(folder)
    try:
        return _read(path)
    except ValueError as error:
        before = folder / PREVIOUS
        advice = f". The one before it is {before}: give it the name {NAME}" if before.is_file() else ""
        raise ValueError(f"{error}{advice}") from None


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint.

    Raises:
        ValueError: if it cannot be read, or something in it is not what belongs there.
    """
    try:
        with files.opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            files.require_small(file, min(size, _LARGEST), _ENTRIES)  # what is in it is not packed
            content = _unpickled(file)
    except Exception as error:  # the readers of damaged archives raise whatever they stumble over
        words = str(error).strip().partition("\n")[0]
        raise ValueError(f"the checkpoint {path} cannot be read: {files.cut(words, 300)}") from None
    return validate(content, path)


def require(content: dict[str, Any], folder: Path, game: Game, options: dict[str, Any]) -> Any:
    """Return the variant of a checkpoint if it fits the game as it is now and the options asked for.

    Raises:
        ValueError: saying what differs.
    """
    owner = f"the run in {folder}"
    if content["game"] != game.id:
        raise ValueError(f"{owner} trains {content['game']}, not {game.id}: choose another folder")
    try:
        variant = game.make_variant(**content["options"])
    except ValueError as error:
        raise ValueError(f"{owner} trains a variant that is no more: {error}. Start a new run") from None
    mine, target = game.options(variant), game.options(game.make_variant(**{**content["options"], **options}))
    other = [f"{name}={mine[name]!r}, not {target[name]!r}" for name in mine if mine[name] != target[name]]
    if other:
        raise ValueError(f"{owner} trains another variant: {'; '.join(other)}. Choose another folder")
    parts = ", ".join(dict.fromkeys(game.changed(variant, content["view"])))
    if parts:
        raise ValueError(f"{owner} was trained with another view of {game.id} ({parts}): start a new run")
    return variant
