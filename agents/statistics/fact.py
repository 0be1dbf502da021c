"""One counted figure with its 95 % interval, beside what the rules page or a table says."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.statistics.intervals import METHOD, QUANTILE, UNBOUNDED, mean_interval, wilson


@dataclass(frozen=True)
class Fact:
    """Tell one figure.

    Attributes:
        name: what was counted, in words.
        value: the figure; low and high: its 95 % interval.
        unit: "%" or what is counted.
        expected: what the rules page or an exact count says, or None.
        interval_method: the name of the interval's method.
    """

    name: str
    value: float
    low: float
    high: float
    unit: str
    expected: float | None = None
    interval_method: str = METHOD


def share(name: str, hits: int, n: int, expected: float | None = None) -> Fact:
    """Return a share in percent with Wilson's interval.

    Raises:
        ValueError: if nothing was counted.
    """
    if n == 0:
        raise ValueError(f"{name}: none were seen in so few deals; take more")
    p = hits / n
    low, high = wilson(p, n)
    return Fact(name, 100 * p, 100 * low, 100 * high, "%", expected, "Wilson's interval")


def mean(name: str, values: NDArray[Any], unit: str, expected: float | None = None) -> Fact:
    """Return a mean with its interval."""
    return Fact(name, *mean_interval(values, UNBOUNDED), unit, expected)


def median(name: str, values: NDArray[Any], unit: str, expected: float | None = None) -> Fact:
    """Return a median with the interval between the order statistics that the binomial law gives."""
    ordered, n = np.sort(values), len(values)
    reach = QUANTILE * n**0.5 / 2
    low, high = max(0, int(n / 2 - reach)), min(n - 1, int(np.ceil(n / 2 + reach)))
    ends = float(ordered[low]), float(ordered[high])
    return Fact(name, float(np.median(values)), *ends, unit, expected, "order statistics")
