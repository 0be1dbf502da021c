"""A measured number with the two ends of its interval, and how both are written."""

from math import inf, isfinite
from typing import NamedTuple

_FINER = 4  # digits that are added at most where an end would look like the value


class Estimate(NamedTuple):
    """A measured number with the ends of its interval.

    Attributes:
        value: the number; low, high: the ends, which need not be as far from it; infinite where nothing bounds them.
    """

    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Return half of the interval's width."""
        return (self.high - self.low) / 2

    @property
    def sides(self) -> tuple[float, float]:
        """Return the distances of the ends below and above the number, for error bars."""
        return self.value - self.low, self.high - self.value

    @property
    def score(self) -> "Estimate":
        """Return a mean return, −1 to 1, as a score, 0 to 1."""
        return Estimate(*((1 + x) / 2 for x in self))

    def times(self, factor: float) -> "Estimate":
        """Return the number and its ends in another unit."""
        return Estimate(*(factor * x for x in self))

    def text(self, digits: int = 1, signed: bool = False, unit: str = "") -> str:
        """Return the number as "77.0 ± 0.9", or as "99.4 (98.1 … 99.8)" where the ends are not as far from it.

        No interval is written without width: where rounding would leave none, more digits are shown.

        Args:
            digits: behind the point; signed: write a plus before positive numbers.
            unit: written behind the number, as " %".

        Example:
            >>> Estimate(77.0, 76.1, 77.9).text(), Estimate(100.0, 96.4, 100.0).text()
            ('77.0 ± 0.9', '100.0 (96.4 … 100.0)')
            >>> Estimate(-0.01, -0.9, 0.9).text()
            '0.0 ± 0.9'
            >>> Estimate(50.0, 49.999, 50.001).text()
            '50.000 ± 0.001'
        """
        sign, decimals = "+" if signed else "", self.digits(digits)
        value, low, high = (_number(x, sign, decimals) if isfinite(x) else _endless(x) for x in self)
        half = self.written_half(decimals)
        return f"{value}{unit} ({low} … {high})" if half is None else f"{value} ± {half:.{decimals}f}{unit}"

    def percent(self) -> str:
        """Return a share, 0 to 1, as "77.0 ± 0.9 %" or "99.4 % (98.1 … 99.8)"."""
        return self.times(100).text(unit=" %")

    def digits(self, least: int) -> int:
        """Return the number of decimals that show the interval with a width."""
        finer = range(least, least + _FINER)
        return next((digits for digits in finer if round(max(self.sides), digits)), least + _FINER)

    def written_half(self, digits: int) -> float | None:
        """Return the text after ±, or None if the two ends are not equally far from the number."""
        below, above = (round(side, digits) for side in self.sides)
        if isfinite(below + above) and below and above and abs(below - above) < 1.5 * 10.0**-digits:
            return max(below, above)
        return None


def _number(x: float, sign: str, decimals: int) -> str:
    """Return a number as it is written, and 0 without a minus."""
    return f"{round(x, decimals) + 0.0:{sign}.{decimals}f}"


def _endless(end: float) -> str:
    """Return an infinite end as it is written."""
    return "∞" if end == inf else "−∞"
