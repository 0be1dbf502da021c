"""RLlib as the engine of training: games and players for its new API stack, and runs on a Ray cluster."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from kozyr.envs.core import install_hint

OLDEST = (2, 60)  # the release of Ray that this is written for


def _require() -> None:
    """Raise ImportError, naming the extra, where Ray is missing or too old."""
    oldest = ".".join(map(str, OLDEST))
    try:
        installed = version("ray")
    except PackageNotFoundError:
        raise ImportError(f"RLlib needs ray {oldest} or newer: {install_hint.command('rllib')}") from None
    if tuple(int(part) for part in installed.split(".")[:2]) < OLDEST:
        raise ImportError(f"RLlib needs ray {oldest} or newer, not {installed}: {install_hint.command('rllib')}")
    try:
        import_module("ray.rllib")
    except ImportError as error:
        raise ImportError(f"RLlib cannot be imported ({error}): {install_hint.command('rllib')}") from error


_require()
