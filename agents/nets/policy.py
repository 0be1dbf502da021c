"""ONNX policies as agents: files that name their game, variant and view. They need neither torch nor an extra."""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.input_checks import ASK
from kozyr.agents.nets.forward.network import Forward
from kozyr.agents.nets.forward.onnx_file import UnsupportedError, require_one_file
from kozyr.agents.nets.session import Session
from kozyr.agents.nets.trained import Trained, longer, softmax
from kozyr.envs.core import install_hint
from kozyr.envs.table import files

GAME, OPTIONS, VIEW, ABOUT = "kozyr.game", "kozyr.variant", "kozyr.view", "kozyr.training"  # keys of the metadata
UNSEEN = "unseen"  # key in the training's facts: parts of the view that the network does not read
INPUT, OUTPUT = "view", "logits"  # [n, view] of the view's type in, float32 [n, actions] out
_ROWS = 512  # views of one call

MOST_BYTES = 256 << 20  # of a file
_KEPT, _SMALL = 16, 4 << 20  # networks that stay open, and bytes of a file up to which they do
_LONGEST = 300  # characters of a path in a message
_IN_A_CELL = "a bot.py can ask onnxruntime, which is native code, in a cell"


class OnnxPolicy(Trained):
    """A network from a file that takes the likeliest legal action, or draws one.

    Attributes:
        about: facts about its training; network: as a function of views.

    Args:
        path: an ONNX file written by the training.
        greedy: take the likeliest action; False draws from the policy's distribution.

    Raises:
        ImportError: naming the extra to install, if the network has an operator that only onnxruntime knows.
        ValueError: if the file cannot be read, is no policy, or was trained for another version of its game.
    """

    def __init__(self, path: str | Path, greedy: bool = True) -> None:
        self.greedy, self.network = greedy, _open(Path(path))
        facts = self._facts(path)
        super().__init__(Path(path), facts[GAME], facts[OPTIONS], facts[VIEW], _unseen(path, facts[ABOUT]))
        self._require_fit()
        self.about: dict[str, Any] = facts[ABOUT]
        self._longer = longer(self.game, self.variant)
        self.reset(-1, 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.greedy), {"name": self.name}

    def _facts(self, path: str | Path) -> dict[str, Any]:
        """Return the metadata that the training wrote."""
        metadata = self.network.metadata
        missing = [key for key in (GAME, OPTIONS, VIEW, ABOUT) if key not in metadata]
        if missing:
            raise ValueError(f"{path} is no policy of kozyr: its metadata has no {missing[0]!r}")
        try:
            return {GAME: metadata[GAME], **{key: files.parsed(metadata[key]) for key in (OPTIONS, VIEW, ABOUT)}}
        except ValueError as error:
            raise ValueError(f"the policy {path} is damaged: its metadata says: {error}") from None

    def _require_fit(self) -> None:
        """Raise ValueError unless the network reads the views and rates the actions of the game in the metadata."""
        inputs, outputs = self.network.inputs, self.network.outputs
        needed = [(INPUT, [self.game.size(self.variant)])], [(OUTPUT, [self.game.actions(self.variant)])]
        if (inputs, outputs) != needed:
            raise ValueError(
                f"the policy {self.path} is damaged: its network takes {inputs} and gives {outputs}, and "
                f"{self.game.id} needs {needed[0]} and {needed[1]}"
            )
        if self.network.dtype != self.game.view_dtype:
            raise ValueError(
                f"the policy {self.path} cannot be read: its network takes numbers of another type than "
                f"{self.game.view_dtype}, which views of {self.game.id} have"
            )

    def reset(self, seat: int, seed: int) -> None:
        """Seed the policy's random choices."""
        self._rng = np.random.default_rng(seed)

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return a legal action for each view; the luck of draws is shared by the whole batch."""
        logits = self._logits(views, masks)
        if not self.greedy:
            logits = logits + self._rng.gumbel(size=logits.shape)
        return logits.argmax(1)

    def chances(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the policy's exact probability of each action: [n, actions]."""
        logits = self._logits(views, masks).astype(np.float64)
        if self.greedy:
            return np.eye(masks.shape[1])[logits.argmax(1)]
        return softmax(logits)

    def probabilities(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the network's probability of each action, greedy or not: [n, actions]."""
        return softmax(self._logits(views, masks).astype(np.float64))

    def _logits(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the network's answer, minus infinity where an action is not legal."""
        views, masks = self.gate.many(views, masks)
        own_views = views[:, : self.game.size(self.variant)] if views.shape[1] in self._longer else views
        cast_views = np.ascontiguousarray(own_views, self.game.view_dtype)
        return np.where(masks != 0, self._answer(cast_views, masks.shape), -np.inf)

    def _answer(self, views: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float32]:
        """Return the network's output for views, or raise ValueError unless that is one number an action."""
        try:
            logits = self._run(views)
        except ValueError as error:
            why = f"it is damaged, or a view contradicts itself: {error}"
            raise ValueError(f"the policy {self.path} cannot answer: {why}; {ASK}") from None
        if logits.shape != shape or logits.dtype != np.float32:
            raise ValueError(f"the policy {self.path} is damaged: its answer has shape {logits.shape}, not {shape}")
        return logits

    def _run(self, views: NDArray[Any]) -> NDArray[np.float32]:
        """Return the network's answer in calls short enough for Ctrl-C."""
        runs = [views[first : first + _ROWS] for first in range(0, max(len(views), 1), _ROWS)]
        logits = [self.network(run) for run in runs]
        return logits[0] if len(logits) == 1 else np.concatenate(logits)


def _unseen(path: str | Path, about: Any) -> list[str]:
    """Return the parts of the view that the metadata says the network does not read."""
    if not isinstance(about, dict):
        raise ValueError(f"the policy {path} is damaged: what it says about its training is no object")
    declared: Any = cast(dict[str, Any], about).get(UNSEEN, [])
    names = cast(list[Any], declared) if type(declared) is list else [declared]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names) or names is not declared:
        raise ValueError(f"the policy {path} is damaged: {UNSEEN!r} in its metadata holds no names of a view's parts")
    return names


def _forward(content: bytes) -> Forward:
    """Return the network of a file's content; a match and its report open the same small files many times."""
    return _kept_forward(content) if len(content) <= _SMALL else Forward(content)


_kept_forward = lru_cache(_KEPT)(Forward)


def _open(path: Path) -> Forward | Session:
    """Return the network in an ONNX file; nothing but that file is read."""
    if not _exists(path):
        raise ValueError(f"there is no policy {files.cut(str(path), _LONGEST)}")
    content = files.content(path, MOST_BYTES)
    try:
        return _forward(content)
    except UnsupportedError as error:
        why = error
    except ValueError as error:
        raise ValueError(f"the policy {path} cannot be read: {error}") from None
    if not find_spec("onnxruntime"):
        raise ValueError(
            f"the policy {path} cannot be read: {why}; what is not known here may be to onnxruntime: "
            f"{install_hint.command('policies')}"
        )
    try:
        require_one_file(content)
        return Session(content)
    except ValueError as error:
        raise ValueError(f"the policy {path} cannot be read: {error}") from None


def require_own_code(path: Path, most: int) -> None:
    """Raise ValueError unless kozyr's code computes the network in an ONNX file, in so many steps at most an answer.

    Other faults are told by loading.
    """
    try:
        work = Forward(files.content(path, MOST_BYTES)).work
    except UnsupportedError as error:
        raise ValueError(f"{error}; {_IN_A_CELL}") from None
    except (OSError, ValueError):
        return
    if work > most:
        raise ValueError(f"it takes {work:,} steps for an answer, and {most:,} are allowed here; {_IN_A_CELL}")


def _exists(path: Path) -> bool:
    """Return True if the path exists; a name that no file can have does not."""
    try:
        return path.exists()
    except OSError:
        return False
