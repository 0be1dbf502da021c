"""Where compiled code is kept.

Numba keys its disk cache by the file that defines a function and misses edits to the files it
calls, so the cache folder is named after the text of every source of rules, bots, search, figures and networks.
"""

import hashlib
import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs
from numba import config

_ENVS = Path(__file__).parents[2]
_NETWORKS = _ENVS.parent.glob("training/readers/*/*_loops.py")
_COMPILED = (*_ENVS.glob("**/*.py"), *_ENVS.parent.glob("agents/*/*.py"), *_NETWORKS)
DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(_COMPILED))).hexdigest()[:12]


def _writable_cache() -> Path:
    """Return the user's cache folder, or a temporary one (with one warning) if it cannot be written."""
    wanted = Path(platformdirs.user_cache_dir("kozyr")) / DIGEST
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except OSError as error:
        spare = Path(tempfile.mkdtemp(prefix="kozyr-"))
        warnings.warn(
            f"kozyr cannot write its cache of compiled games, {wanted} ({error.strerror}); this process "
            f"compiles into {spare}. Set XDG_CACHE_HOME to a writable folder to compile only once.",
            RuntimeWarning,
            stacklevel=2,
        )
        return spare


CACHE = _writable_cache()


def announce(what: str) -> None:
    """Tell the user on stderr, the first time only, that `what` is about to be compiled."""
    mark = CACHE / f"{what}.compiled"
    settings: Any = config
    if not settings.DISABLE_JIT and not mark.exists():
        print(f"kozyr: compiling {what} for this machine, once; this takes 10 to 20 seconds …", file=sys.stderr)
        with suppress(OSError):
            mark.touch()
