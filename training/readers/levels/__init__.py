"""Counts as levels: entries that count something, and sums of such entries, are read as zeros and ones too."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from kozyr.envs.core.capabilities import counted_parts
from kozyr.training.readers.levels.network import FORMS, Steps, count_steps
from kozyr.training.readers.reader import Condensed, MakePart, Net, Reader


class Keys(BaseModel):
    """What is asked for."""

    levels: int = Field(0, ge=0)  # entries that may be 2 up to this are read as zeros and ones too; 0: none


class Levels(Reader):
    """Reads counts up to a number as levels: is it above 0, above 1, and so on."""

    Keys = Keys
    forms = FORMS

    def part(self, variant: Any, net: Net) -> MakePart | None:
        """Return what reads levels."""
        return partial(Steps, counted_parts(variant), net["levels"])

    def condensed(self, variant: Any, net: Net, high: NDArray[np.float32]) -> Condensed:
        """Return sums and levels."""
        sums = counted_parts(variant)
        return Condensed(sums, *count_steps(np.concatenate([high, high[sums[:, 0]]]), net["levels"]))


READER = Levels()
