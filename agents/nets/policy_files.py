"""Policy files: load one of either format, or download one from the Hugging Face Hub, which caches it."""

from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kozyr.agents.agent_names import CONDENSED, ONNX, HubPolicy
from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.agents.nets.policy import MOST_BYTES, OnnxPolicy
from kozyr.agents.nets.trained import Trained
from kozyr.envs.core import install_hint
from kozyr.envs.core.quote import quote
from kozyr.envs.table import files

FILES = (f"policy{ONNX}", f"policy{CONDENSED}")  # nothing else of a repository is ever fetched
_LONGEST = 300  # characters of what the library says


def load(path: str | Path) -> Trained:
    """Return the policy in an .npz, or else in an ONNX file.

    Raises:
        ValueError: if the file holds no policy of this version of its game.
    """
    return CondensedPolicy(path) if Path(path).suffix == CONDENSED else OnnxPolicy(path)


def library() -> Any:
    """Return huggingface_hub.

    Raises:
        ImportError: naming the extra to install.
    """
    try:
        return import_module("huggingface_hub")
    except ImportError as error:
        raise ImportError(f"the Hub needs huggingface_hub: {install_hint.command('hub')}") from error


def download(name: HubPolicy) -> Path:
    """Return the file of a policy, downloaded or from the cache; without a network the cached one.

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
            raise ValueError(f"{name.repository} has no revision {quote(name.revision)}") from None
        except errors.EntryNotFoundError:
            continue
        except OSError as error:  # as all others of the library
            raise ValueError(f"{name} cannot be fetched: {_first(error)}") from None
    if unreachable is not None:
        raise ValueError(f"the Hub cannot be reached, and {name} is not kept here: {_first(unreachable)}")
    raise ValueError(f"{name} holds no policy: kozyr loads {' or '.join(FILES)} and nothing else")


def _file(name: HubPolicy, file: str) -> Path:
    """Return a file of the repository, or raise the library's error; a file that is too large is not downloaded."""
    request = {"revision": name.revision or None, "library_name": "kozyr", "library_version": version("kozyr")}
    hub_download = library().hf_hub_download
    answer = hub_download(name.repository, file, dry_run=True, **request)
    if answer.file_size > MOST_BYTES:
        raise ValueError(f"{file} of {name} is too large: such a file has up to {MOST_BYTES:,} bytes")
    # By its revision again, or it is not found without a network.
    return Path(hub_download(name.repository, file, **request))


def _first(error: BaseException) -> str:
    """Return the first line of a library's message, cut if it is long."""
    return files.cut(str(error).strip().partition("\n")[0], _LONGEST) or type(error).__name__
