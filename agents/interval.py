"""The interval of a mean score of few games."""

from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def wilson(mean: float, n: int) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a mean of `n` numbers from 0 to 1 (Wilson, JASA 22, 1927).

    Example:
        >>> [round(end, 2) for end in wilson(1.0, 3)]
        [0.44, 1.0]
    """
    z = QUANTILE**2 / n
    middle = (mean + z / 2) / (1 + z)
    half = QUANTILE * sqrt(mean * (1 - mean) / n + z / n / 4) / (1 + z)
    return max(min(middle - half, mean), 0.0), min(max(middle + half, mean), 1.0)
