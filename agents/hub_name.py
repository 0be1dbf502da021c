"""The name of a policy on the Hugging Face Hub, as `kozyr.agents.agent_names` takes it apart."""

import re
from dataclasses import dataclass

HUB = "hf"  # what the name begins with
_SHOWN = 60  # characters of a name that a message repeats
_PART = r"(?!\S*(?:--|\.\.))[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?"
_REPOSITORY = re.compile(f"{_PART}/{_PART}")
_REVISION = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./-]{0,199}")


@dataclass(frozen=True)
class HubPolicy:
    """The name of a policy on the Hub.

    Attributes:
        repository: OWNER/NAME; revision: a branch, a tag or a commit of it, or "" for its main branch.
    """

    repository: str
    revision: str = ""

    def __str__(self) -> str:
        return f"{HUB}:{self.repository}" + (f"@{self.revision}" if self.revision else "")


def parse(text: str) -> HubPolicy:
    """Return the name of a policy on the Hub; a revision stands behind the @."""
    repository, at, revision = text.partition(":")[2].partition("@")
    require_repository(repository, text)
    if at and not _REVISION.fullmatch(revision):
        raise ValueError(
            f"{text[:_SHOWN]!r}: the revision {revision[:_SHOWN]!r} is not allowed: write a branch, a tag or a commit"
        )
    return HubPolicy(repository, revision)


def require_repository(repository: str, text: str = "") -> None:
    """Raise ValueError unless the Hub allows the name of a repository; `text` is what the message shows instead."""
    if not _REPOSITORY.fullmatch(repository):
        shown = (text or repository)[:_SHOWN]
        raise ValueError(
            f"{shown!r} is not allowed: write OWNER/NAME as the Hub does, in letters, digits, -, _ and dots"
        )
