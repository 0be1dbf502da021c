"""What may follow a run: `train(..., callbacks=[...])` tells it of the start, of numbers on the way, and of the end."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from stable_baselines3.common.logger import KVWriter


class Callback:
    """Follows a run, whatever its engine; each method does nothing unless a subclass overrides it."""

    def on_start(self, run: Any) -> None:
        """Hear of a run that begins or goes on; see `kozyr.training.run.train.Run`."""

    def on_values(self, values: dict[str, float], timesteps: int) -> None:
        """Hear the numbers of a rollout by name, as "train/loss", and how many decisions the learner has made."""

    def on_end(self, run: Any, content: dict[str, Any] | None) -> None:
        """Hear what run.json says, or None of a run that was stopped or has failed."""


class _Writer(KVWriter):
    """Passes on what SB3's logger is told."""

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        self._callbacks = callbacks

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Pass on the numbers."""
        values = {key: float(x) for key, x in key_values.items() if hasattr(x, "__float__")}
        for callback in self._callbacks:
            callback.on_values(values, step)

    def close(self) -> None:
        """Do nothing: `on_end` is told of the end."""


@contextmanager
def following(run: Any, callbacks: Sequence[Callback]) -> Generator[Callable[[dict[str, Any]], None]]:
    """Let callbacks follow a run; what this gives is to be called with what run.json says."""
    told, started = dict[str, Any](), list[Callback]()
    try:
        for callback in callbacks:
            callback.on_start(run)
            started.append(callback)
        if started:
            run.model.logger.output_formats.append(_Writer(started))
        yield told.update
    finally:
        for callback in started:
            callback.on_end(run, told or None)
