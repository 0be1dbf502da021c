"""What pyproject.toml cannot say: the links for `pip install --editable`, and the README as PyPI shows it.

A plain path to `.src` is what type checkers and editors follow; they do not run the import hooks that setuptools would
install for folders whose package has another name.
"""

import os
import re
import sys
import tomllib
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


def description(readme: str, files: str) -> str:
    """Return the README for a page that shows it without the checkout.

    Args:
        readme: the text, with paths of the checkout in its links and pictures.
        files: address of the checkout's files, with "{kind}" for "raw" or "blob". Without one, pictures are left out
            and links become plain words, as they would lead nowhere.
    """

    def picture(path: str) -> str:
        return path if "://" in path else files.format(kind="raw") + path

    def markdown(match: re.Match[str]) -> str:
        mark, words, path = match.groups()
        if mark:
            return f"![{words}]({picture(path)})" if files or "://" in path else ""
        if "://" in path:
            return match[0]
        return f"[{words}]({files.format(kind='blob')}{path})" if files else words

    def html(match: re.Match[str]) -> str:
        before, path, after = match.groups()
        return f"{before}{picture(path)}{after}" if files or "://" in path else ""

    text = re.sub(r'(<img [^>]*src=")([^"]+)("[^>]*>)', html, readme)
    text = re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", markdown, text)
    return re.sub(r"\n{3,}", "\n\n", text)


project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
repository = project["urls"].get("Repository")
setup(
    cmdclass={"editable_wheel": Editable},
    long_description=description(
        (ROOT / "README.md").read_text(encoding="utf-8"),
        f"{repository}/{{kind}}/v{project['version']}/" if repository else "",
    ),
    long_description_content_type="text/markdown",
)
