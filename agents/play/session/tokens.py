"""Tokens of a table: the host's is drawn, the others follow from it; only their hashes are stored.

So a server that was started anew can show the host the links again, and nobody who reads the file can sit down.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

from kozyr.agents.play.pages.opponents import ME, PERSON
from kozyr.agents.play.pages.table_config import TableConfig

_BYTES = 24


def token_hash(token: str) -> str:
    """Return the hash of a secret, which is drawn from 2¹⁴⁴ or more, so that no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


class Tokens:
    """The secrets of one table.

    Args:
        hashes: of each seat that a person takes (None for the others), of the host, of those who watch.
        host: the host's secret, if it is known.
    """

    def __init__(self, hashes: Sequence[str | None], host: str | None = None) -> None:
        self.hashes, self.host = list(hashes), host
        self._places = {one: k for k, one in reversed(list(enumerate(hashes))) if one is not None}

    @classmethod
    def new(cls, config: TableConfig) -> "Tokens":
        """Return new ones."""
        host = secrets.token_urlsafe(_BYTES)
        seats = [_seat_token(host, config, k) for k in range(len(config.seats))]
        return cls([None if one is None else token_hash(one) for one in [*seats, host, _watch(host)]], host)

    def find(self, token: str) -> tuple[int | None, bool] | None:
        """Return the seat that a token gives (None: to watch) and whether it is the host's; None: it opens nothing."""
        place, seats = self._places.get(token_hash(token)), len(self.hashes) - 2
        if place is None:
            return None
        host = token_hash(token) == self.hashes[seats]
        if host:
            self.host = token
        return (place if place < seats else None), host

    def seats(self, config: TableConfig) -> list[str | None]:
        """Return the secret of each person's seat; None for agents, and for all while the host's is not known."""
        return [None if self.host is None else _seat_token(self.host, config, k) for k in range(len(config.seats))]

    @property
    def watch(self) -> str | None:
        """The secret of those who watch, if the host's is known."""
        return None if self.host is None else _watch(self.host)

    def links(self, table: str, config: TableConfig) -> dict[str, Any] | None:
        """Return the addresses that the host may give away."""
        if self.host is None:
            return None
        seats = [None if one is None or one == self.host else address(table, one) for one in self.seats(config)]
        return {"seats": seats, "watch": address(table, _watch(self.host))}


def address(table: str, token: str) -> str:
    """Return the address of a token; browsers send no server the part after #."""
    return f"/tables/{table}#{token}"


def _seat_token(host: str, config: TableConfig, seat: int) -> str | None:
    """Return the secret of a seat; mine is the host's."""
    if config.seats[seat] == ME:
        return host
    return _derive(host, f"seat {seat}") if config.seats[seat] == PERSON else None


def _watch(host: str) -> str:
    return _derive(host, "watch")


def _derive(host: str, place: str) -> str:
    return urlsafe_b64encode(hmac.digest(host.encode(), place.encode(), "sha256")[:_BYTES]).decode()
