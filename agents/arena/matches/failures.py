"""When an agent that runs in a process of its own is given up: programs and guarded agents share it."""

MOST = 5  # failures in a row, after which it is not started again


class Ended(Exception):  # noqa: N818 - what has happened
    """A program has ended, which is no matter of time."""


class Failures:
    """How often in a row a process has failed, and why the last time.

    Attributes:
        row: how often; why: the last time.
    """

    def __init__(self) -> None:
        self.row, self.why = 0, ""

    @property
    def too_many(self) -> bool:
        """Whether it is given up."""
        return self.row >= MOST

    def note(self, why: str) -> None:
        """Count a failure."""
        self.row, self.why = self.row + 1, why

    def words(self, who: object) -> str:
        """Say that it is given up."""
        return f"{who!r} has failed {self.row} times in a row and is given up: {self.why}"
