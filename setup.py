"""Link the folders of the package below `.src/kozyr` for `pip install --editable`; all else stands in pyproject.toml.

A plain path to `.src` is what type checkers and editors follow; they do not run the import hooks that setuptools would
install for folders whose package has another name.
"""

import os
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.editable_wheel import editable_wheel

ROOT = Path(__file__).parent
SOURCE = ".src"
TOPS = {"agents": "agents", "contract": "tests/contract", "envs": "envs", "training": "training"}


def link(top: str) -> None:
    """Make `.src/kozyr/<top>` stand for the folder; a junction on Windows, which needs no rights."""
    place, target = ROOT / SOURCE / "kozyr" / top, ROOT / TOPS[top]
    if place.exists() and place.samefile(target):
        return
    place.unlink(missing_ok=True)
    if sys.platform == "win32":
        import _winapi

        _winapi.CreateJunction(str(target), str(place))
    else:
        place.symlink_to(os.path.relpath(target, place.parent), target_is_directory=True)


class Editable(editable_wheel):
    """Install a path to `.src` instead of an import hook."""

    def finalize_options(self) -> None:
        """Make the links and look for the packages there."""
        for top in TOPS:
            link(top)
        self.distribution.package_dir = {"": SOURCE}
        super().finalize_options()


setup(cmdclass={"editable_wheel": Editable})
