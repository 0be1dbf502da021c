"""Counts as levels: entries that count something, and sums of such entries, are read as zeros and ones too."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from kozyr.envs.core.capabilities import counted_parts
from kozyr.training.readers.reader import Condensed, Forms, MakePart, Net, Reader


class Keys(BaseModel):
    """What is asked for."""

    levels: int = Field(0, ge=0)  # entries that may be 2 up to this are read as zeros and ones too; 0: none


class Levels(Reader):
    """Reads counts up to a number as levels: is it above 0, above 1, and so on."""

    Keys = Keys

    def part(self, variant: Any, net: Net) -> MakePart | None:
        """Return what reads levels."""
        from kozyr.training.readers.levels.network import Steps

        return partial(Steps, counted_parts(variant), net["levels"])

    def forms(self) -> Forms:
        """Return the ONNX form."""
        from kozyr.training.readers.levels.export import FORMS

        return FORMS

    def condensed(self, variant: Any, net: Net, high: NDArray[np.float32]) -> Condensed:
        """Return sums and levels."""
        sums = counted_parts(variant)
        return Condensed(sums, *count_steps(np.concatenate([high, high[sums[:, 0]]]), net["levels"]))


def count_steps(high: NDArray[np.float32], levels: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return scaled entries, given their highest values, and what they are compared with: one step for each count."""
    counts = [i for i, top in enumerate(high) if 1 < top <= levels for _ in range(int(top))]
    steps = [(above + 0.5) / top for top in high if 1 < top <= levels for above in range(int(top))]
    return np.array(counts, np.int64), np.array(steps, np.float32)


READER = Levels()
