"""Libraries that `make test` does not install: each has a make target and a virtual environment of its own."""

import os
from importlib.metadata import PackageNotFoundError, version

import pytest
from packaging.version import Version

from kozyr.envs.core import install_hint

REQUIRED = "KOZYR_REQUIRED"  # the library that the make target has installed: its tests must not be skipped


def library(name: str, least: str, extra: str = "") -> None:
    """Skip a module's tests where a library is missing or too old; raise there if they were asked for.

    The extra, like the make target, has the library's own name if nothing else is said.

    Raises:
        ImportError: naming the extra and the version.
    """
    try:
        found = version(name)
    except PackageNotFoundError:
        found = ""
    if found and Version(found) >= Version(least):
        return
    have = f"{name} {found} is too old" if found else f"{name} is not installed"
    extra = extra or name
    if os.environ.get(REQUIRED) == extra:
        raise ImportError(f"{have}: {least} or newer comes with the extra [{extra}]: {install_hint.command(extra)}")
    pytest.skip(f"{have}: run by `make test-{extra}`", allow_module_level=True)
