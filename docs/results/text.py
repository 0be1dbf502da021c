"""A row as the pages show it: "77.0 ± 0.9 %" if its interval is symmetric, "99.4 % (98.1 … 99.8)" otherwise."""

from kozyr.agents.statistics.estimate import Estimate

from .store import Row

_DIGITS = {"%": 1, "chips/100": 1, "NashConv": 3, "s": 0, "ms": 1}  # decimals by unit; 1 for others
_SCALES = {"k": 1e3, "M": 1e6, "G": 1e9, "%": 1e-2}


def number(value: float, digits: int) -> str:
    """Return a number with a true minus sign and commas between thousands."""
    text = f"{value:,.{digits}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.removeprefix("-")


def digits(row: Row) -> int:
    """Return how many decimals a row is shown with: enough that its interval has a width."""
    least = _DIGITS.get(row.unit, 1) if row.digits is None else row.digits
    if row.low is None or row.high is None:
        return least
    return Estimate(row.value, row.low, row.high).digits(least)


def bare(row: Row) -> str:
    """Return a row without its unit, as "77.0 ± 0.9" or "99.4 (98.1 … 99.8)"."""
    return _joined(row, "")


def full(row: Row) -> str:
    """Return a row with its unit, as "77.0 ± 0.9 %", "99.4 % (98.1 … 99.8)" or "6.3 M steps/s"."""
    return _joined(row, f" {row.unit}" if row.unit not in ("chips/100", "NashConv") else "")


def _joined(row: Row, unit: str) -> str:
    d = digits(row)
    if row.low is None or row.high is None:
        return number(row.value, d) + unit
    half = Estimate(row.value, row.low, row.high).written_half(d)
    if half is not None:
        return f"{number(row.value, d)} ± {number(half, d)}{unit}"
    return f"{number(row.value, d)}{unit} ({number(row.low, d)} … {number(row.high, d)})"


def scale(unit: str) -> float:
    """Return what a number in a unit is multiplied with to have no prefix, as 1e6 for "M steps/s"."""
    return _SCALES.get(unit.partition(" ")[0], 1.0)
