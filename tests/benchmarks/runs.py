"""What runs that differ in the seed alone say together."""

from collections.abc import Sequence
from statistics import mean, stdev

from scipy.stats import t

NAMES = {  # of the algorithms that the benchmarks compare, as presets of their settings have them
    "ppo": "PPO",
    "mmd": "MMD, uniform magnet",
    "mmd_average": "MMD, moving average",
    "action_values": "PPO, critic of actions",
}


def half_interval(found: Sequence[float]) -> float:
    """Return half of the 95 % interval of a mean over at least two runs, by Student's t."""
    return float(t.ppf(0.975, len(found) - 1)) * stdev(found) / len(found) ** 0.5


def cell(found: Sequence[float], digits: int) -> str:
    """Return the mean over runs with its interval; of one run the value alone, of none a dash."""
    if not found:
        return "–"
    half = f" ± {half_interval(found):.{digits}f}" if len(found) > 1 else ""
    return f"{mean(found):.{digits}f}{half}"
