"""Table talk: emotes, which are numbers and no text, and the seats that ask for the next game."""

import time

from kozyr.envs.core.labels import Phrase, PhraseError, phrase

PAUSE = 2.0  # seconds between two emotes of a seat
_PAUSE_OF_NAMES = 1.0


class RateLimit:
    """A pause between two of the same things that a seat does.

    Args:
        seconds: of the pause; what: a sentence for who comes too soon.
    """

    def __init__(self, seconds: float, what: Phrase) -> None:
        self._seconds, self._what = seconds, what
        self._last = dict[int, float]()

    def require(self, seat: int) -> None:
        """Raise PhraseError, in a sentence, if the seat comes too soon."""
        now = time.monotonic()
        if 0 <= now - self._last.get(seat, -self._seconds) < self._seconds:
            raise PhraseError(*self._what)
        self._last[seat] = now


def emote_limit() -> RateLimit:
    """Return the limit of emotes."""
    return RateLimit(PAUSE, phrase("one emote every {0} seconds is enough: wait a moment", int(PAUSE)))


def name_limit() -> RateLimit:
    """Return the limit of new names."""
    return RateLimit(_PAUSE_OF_NAMES, phrase("a name changes at most once a second: wait a moment"))


class RematchRequests:
    """The seats that have asked for the next game, and for which; another wish takes the place of the last one.

    Attributes:
        how: the next game, as `again` has it; seats: that want it.
    """

    def __init__(self) -> None:
        self.how, self.seats = "", set[int]()

    def ask(self, seat: int, how: str) -> None:
        """Note a seat's wish."""
        if how != self.how:
            self.how, self.seats = how, set[int]()
        self.seats.add(seat)

    def agreed(self, present: set[int], host: int | None) -> bool:
        """Return True if the next game may begin: all who are here want it, or the host and somebody else do.

        Args:
            present: seats of the people who are here.
            host: the host's seat, or None.
        """
        return self.seats >= present or (host in self.seats and len(self.seats) > 1)
