"""The command that installs an optional part of kozyr, for messages that say that it is missing."""

from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]  # of the repository, where this is one


def command(extra: str) -> str:
    """Return the command: from an index, or, where kozyr runs from a checkout, from that checkout.

    Args:
        extra: a name from `project.optional-dependencies` in pyproject.toml.
    """
    if not (_ROOT / ".src" / "kozyr" / "__init__.py").is_file():
        return f'pip install "kozyr[{extra}]"'
    place = "." if Path.cwd() == _ROOT else _ROOT
    return f'pip install -e "{place}[{extra}]"'
