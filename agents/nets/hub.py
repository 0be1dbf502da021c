"""A trained policy from the Hugging Face Hub: huggingface_hub fetches its file once and keeps it."""

from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kozyr.agents.agent_names import CONDENSED, ONNX
from kozyr.agents.hub_name import HubPolicy
from kozyr.agents.nets.policy import MOST_BYTES
from kozyr.envs.environments import install_hint
from kozyr.envs.table import files

FILES = (f"policy{ONNX}", f"policy{CONDENSED}")  # nothing else of a repository is ever fetched
_LONGEST = 300  # characters of what the library says


def library() -> Any:
    """Return huggingface_hub.

    Raises:
        ImportError: naming the extra to install.
    """
    try:
        return import_module("huggingface_hub")
    except ImportError as error:
        raise ImportError(f"the Hub needs huggingface_hub: {install_hint.command('hub')}") from error


def fetched(name: HubPolicy) -> Path:
    """Return the file of a policy, fetched or kept from before; without a network what was kept is taken.

    Raises:
        ImportError: naming the extra to install.
        ValueError: saying that the Hub cannot be reached, or has no such repository, revision or policy.
    """
    library()
    errors: Any = import_module("huggingface_hub.errors")
    unreachable = None
    for file in FILES:
        try:
            return _file(name, file)
        except errors.LocalEntryNotFoundError as error:
            unreachable = error.__cause__ or error
        except errors.RepositoryNotFoundError:
            raise ValueError(
                f"there is no repository {name.repository} on the Hub, or it is private: `hf auth login` logs in"
            ) from None
        except errors.RevisionNotFoundError:
            raise ValueError(f"{name.repository} has no revision {name.revision!r}") from None
        except errors.EntryNotFoundError:
            continue
        except OSError as error:  # as all others of the library
            raise ValueError(f"{name} cannot be fetched: {_first(error)}") from None
    if unreachable is not None:
        raise ValueError(f"the Hub cannot be reached, and {name} is not kept here: {_first(unreachable)}")
    raise ValueError(f"{name} holds no policy: kozyr loads {' or '.join(FILES)} and nothing else")


def _file(name: HubPolicy, file: str) -> Path:
    """Return a file of the repository, or raise what the library raises; a file that is too large is left there."""
    told = {"revision": name.revision or None, "library_name": "kozyr", "library_version": version("kozyr")}
    download = library().hf_hub_download
    found = download(name.repository, file, dry_run=True, **told)
    if found.file_size > MOST_BYTES:
        raise ValueError(f"{file} of {name} is too large: such a file has up to {MOST_BYTES:,} bytes")
    return Path(download(name.repository, file, **told))  # by its revision again, or it is not found without a network


def _first(error: BaseException) -> str:
    """Return the first line of what a library says, cut where it is long."""
    return files.cut(str(error).strip().partition("\n")[0], _LONGEST) or type(error).__name__
