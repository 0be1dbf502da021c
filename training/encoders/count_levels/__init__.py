"""Counts as levels: entries that count something, and sums of such entries, are read as zeros and ones too."""

from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kozyr.envs.core.capabilities import counted_parts
from kozyr.training.encoders.count_levels.network import FORMS, Steps, count_steps
from kozyr.training.encoders.encoder import Condensed, MakePart, Net, Reader, nothing


def _part(net: Net, variant: Any) -> MakePart:
    return partial(Steps, counted_parts(variant), net["levels"])


def _condensed(net: Net, variant: Any, high: NDArray[np.float32]) -> Condensed:
    sums = counted_parts(variant)
    counts, steps = count_steps(np.concatenate([high, high[sums[:, 0]]]), net["levels"])
    return nothing()._replace(sums=sums, counts=counts, steps=steps)


KEYS = {"levels": (Annotated[int, Field(ge=0, le=2**15)], 0)}  # entries that may be 2 up to this are read so; 0: none
READER = Reader(KEYS, FORMS, part=_part, condensed=_condensed)
