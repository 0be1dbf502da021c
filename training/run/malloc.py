"""Memory that is given back to the system only to be asked for again costs a fifth of a board's training."""

import ctypes
import sys

_TRIM, _TOP, _MAP = -1, -2, -3  # M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD of malloc.h
_KEPT = {_MAP: 1 << 25, _TRIM: 1 << 30, _TOP: 1 << 26}  # bytes; glibc takes no more than 32 MiB for the first


def keep_memory() -> bool:
    """Tell the C library to keep what arrays of some megabytes leave; return whether it is glibc, which can be told."""
    if not sys.platform.startswith("linux"):
        return False
    tell = getattr(ctypes.CDLL(None), "mallopt", None)
    return tell is not None and all(tell(option, size) == 1 for option, size in _KEPT.items())
