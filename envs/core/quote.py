"""Values from outside as messages repeat them: shown, and cut where they are long."""

import reprlib
from typing import Any

MOST = 120  # characters of a value
_FILL = "…"  # stands for what is left out


class _Short(reprlib.Repr):
    """Python's own short forms, with more of a text and with one sign for what is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = MOST
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = self.maxarray = 30
        self.fillvalue = _FILL

    def repr_int(self, x: int, level: int) -> str:
        digits = x.bit_length() // 4
        return f"a whole number of more than {digits:,} digits" if digits > MOST else repr(x)

    def repr_bytes(self, x: bytes, level: int) -> str:
        return repr(x[: MOST + 1])


_SHORT = _Short()


def quote(value: Any) -> str:
    """Return `repr(value)`, of a long value only 120 characters, so that a message stays one that people read.

    What is left out has the sign `…`. A value whose own `repr` fails is told by its class.
    """
    text = value[: MOST + 1] if isinstance(value, str) else None
    words = _SHORT.repr(value) if text is None else repr(text)
    if len(words) <= MOST or (len(words) <= MOST + 2 and text is not None and len(text) <= MOST):
        return words
    return f"{words[:MOST]}{_FILL}{words[0]}" if words[0] in "'\"" else words[:MOST] + _FILL
