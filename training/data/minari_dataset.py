"""Recorded games as a Minari dataset: an episode for each seat of each game that decides something.

An episode of T decisions has T + 1 observations, the last one from the end of the game. Minari's own writer creates six
resizable arrays an episode, which takes most of an export's time. So episodes go straight into its HDF5 file, in the
layout that its "Dataset Standards" describe, and Minari's own reader compares the first and the last before the dataset
appears.
"""

import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from kozyr.envs import registry
from kozyr.envs.core.state import OVER
from kozyr.envs.environments.observations import spaces_of
from kozyr.envs.table.record import Record
from kozyr.training.data import games
from kozyr.training.data.episode_file import Episode, EpisodeFile
from kozyr.training.data.games import Dataset, Kind

_FORMAT = "hdf5"
_NAMED = 20  # agents that the name of the algorithm tells


def place(name: str) -> Path:
    """Return the folder of a dataset that is not there yet, below Minari's own folder.

    Args:
        name: the dataset's id, as kozyr/durak-v0.

    Raises:
        ValueError: for an id that is none, and one that is taken.
        ImportError: naming the extra to install, without Minari, h5py or Pillow.
    """
    minari = _minari("minari.dataset.minari_dataset")
    _minari("h5py")
    _minari("PIL")  # which Minari imports with its files, and does not ask for
    try:
        minari.parse_dataset_id(name)
    except (ValueError, TypeError) as error:  # TypeError: there is no version
        raise ValueError(f"{name} is not allowed: name a dataset as Minari does, (namespace/)name-v0") from error
    if "data" in name.split("/") or "" in name.split("/"):
        raise ValueError(f"{name} is not allowed: Minari takes a folder that is called data for a dataset")
    folder: Path = _minari("minari.storage.datasets_root_dir").get_dataset_path(name)
    if folder.exists():
        raise ValueError(
            f"the dataset {name} is there ({folder}): raise its version, or delete it first (minari delete {name})"
        )
    for outer in list(folder.parents)[: name.count("/")]:
        if (outer / "data").exists():
            raise ValueError(f"{name} is not allowed: {outer} is a dataset itself")
    return folder


def write(
    source: Path, name: str, tell: Callable[[int], None] = lambda read: None, licence: str | None = None
) -> Dataset:
    """Write recorded games as a dataset of Minari's; it appears once it is whole.

    Games are replayed through the rules and written one by one, so that memory does not grow with their number.

    Args:
        source: a file of records of one game and one variant.
        name: the dataset's id, as kozyr/durak-v0; `minari.load_dataset` takes the same.
        tell: called with the bytes of `source` that have been read, game by game.
        licence: of the data, as an identifier of SPDX, or None.

    Raises:
        ValueError: for an id that is none or is taken; naming file and line for a record that is damaged, not finished
            or of another variant; for a file without games, and one in which nobody decides anything.
        RuntimeError: if the installed Minari reads otherwise what was written.
        ImportError: naming the extra to install, without Minari, h5py or Pillow.
    """
    folder = place(name)
    root: Path = _minari("minari.storage.datasets_root_dir").get_dataset_path()
    part = root / f".kozyr-{os.getpid()}-{secrets.token_hex(4)}"  # Minari overlooks names that begin with a dot
    try:
        part.mkdir()
        dataset = games.convert(source, lambda kind: _Episodes(part / "data", kind, name, licence), tell)
        _require_namespace(name)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    dataset.bytes = sum(path.stat().st_size for path in (folder / "data").iterdir())
    return dataset


def episodes(one: Record, number: int = 1) -> list[Episode]:
    """Return the episodes of a recorded game, one a seat; a seat that never decides has none.

    Args:
        one: a game that is over; number: its number among others, from 1.

    Raises:
        ValueError: if the actions, the end or the payoffs are not as the rules have it.
    """
    own: list[list[tuple[NDArray[Any], NDArray[np.int8], int]]] = [[] for _ in one.payoffs]
    openings, ends = [0] * len(own), list[tuple[NDArray[Any], NDArray[np.int8]]]()
    for seat, table in games.positions(one):
        if seat == OVER:
            ends = [(table.view(each), table.mask) for each in range(len(own))]
        else:
            ply = table.ply
            own[seat].append((table.view(seat), table.mask, one.actions[ply]))
            openings[seat] += ply < (one.opening or 0)
    return [
        _episode(one, number, seat, decisions, ends[seat], openings[seat])
        for seat, decisions in enumerate(own)
        if decisions
    ]


def _episode(one: Record, number: int, seat: int, decisions: Any, end: Any, opening: int) -> Episode:
    """Return the episode of a seat: its views, masks and actions, then its view and mask at the end."""
    views, masks, actions = zip(*decisions, strict=True)
    rewards, over = np.zeros(len(actions)), np.zeros(len(actions), np.bool_)
    rewards[-1], over[-1] = one.payoffs[seat], True
    options: dict[str, int | bool | str] = {"seat": seat, "number": number, "starter": one.starter}
    options |= {"opening": opening, "forfeit": one.forfeit is not None}
    options |= {"agent": one.agents[seat]} if one.agents else {}
    observations = {"observation": np.array([*views, end[0]]), "action_mask": np.array([*masks, end[1]])}
    ends = (over & (not one.truncated), over & one.truncated)
    return Episode(observations, np.array(actions, np.int64), rewards, *ends, one.seed, options)


class _Episodes:
    """The episodes of a dataset, on their way into its file."""

    def __init__(self, folder: Path, kind: Kind, name: str, licence: str | None) -> None:
        self._folder, self._name, self._licence = folder, name, licence
        spaces = spaces_of(kind.game, kind.variant)
        storage = _minari("minari.dataset.minari_storage").MinariStorage
        self._spec = env_spec(kind)
        self._storage: Any = storage.new(folder, *spaces, env_spec=self._spec, data_format=_FORMAT)
        self._file = EpisodeFile(folder / "main_data.hdf5")
        self._ends: list[Episode] = []  # the first and the last

    def take(self, one: Record, number: int) -> list[int]:
        """Write the episodes of a game, and return how many decisions each seat has made."""
        counts = [0] * len(one.payoffs)
        for episode in episodes(one, number):
            counts[int(episode.options["seat"])] = len(episode.actions)
            self._file.add(episode)
            self._ends = [*self._ends[:1], episode]
        return counts

    def finish(self, dataset: Dataset) -> None:
        """Write the metadata, and let Minari read what is there."""
        self.close()
        if not dataset.episodes:
            raise ValueError("nobody decides anything in these games: there are no episodes")
        self._storage.update_metadata(
            {
                **_words(dataset, self._licence),
                "dataset_id": self._name,
                "minari_version": _minari("minari").__version__,
                "total_episodes": dataset.episodes,
                "total_steps": dataset.decisions,
                "dataset_size": float(self._storage.get_size()),
                **({"requirements": ["kozyr"]} if self._spec else {}),
            }
        )
        self._require_read(dataset)

    def _require_read(self, dataset: Dataset) -> None:
        """Raise RuntimeError unless Minari reads the first and the last episode as they were written."""
        minari = _minari("minari")
        read = minari.MinariDataset(self._folder)
        same = len(read) == dataset.episodes
        for index, due in zip((0, dataset.episodes - 1), (self._ends[0], self._ends[-1]), strict=True):
            episode = read[index]
            pairs = [(episode.observations[key], due.observations[key]) for key in due.observations]
            pairs += [(getattr(episode, key), getattr(due, key)) for key in due._fields[1:5]]
            same = same and all(one.dtype == other.dtype and np.array_equal(one, other) for one, other in pairs)
        if not same:
            raise RuntimeError(f"Minari {minari.__version__} reads other episodes than were written")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def env_spec(kind: Kind) -> Any:
    """Return the specification of an environment with the spaces of the dataset, or None where there is none.

    Args:
        kind: the game and the variant.
    """
    game, v = kind
    try:
        name = registry.gymnasium_id(game.name)
        env: Any = gymnasium.make(name, observation="dict", **game.options(v))
    except (KeyError, TypeError, ValueError, gymnasium.error.Error):
        return None
    same = (env.observation_space, env.action_space) == spaces_of(game, v)
    env.close()
    return env.spec if same else None


def _words(dataset: Dataset, licence: str | None) -> dict[str, str]:
    """Return the part of Minari's metadata that is text."""
    agents = sorted(dataset.agents, key=lambda name: -dataset.agents[name].decisions)
    game, v = dataset.kind
    text = (
        f"{dataset.decisions} decisions of {dataset.games} games of {game.id} ({game.title}) with the options "
        f"{games.origin(dataset.kind)['kozyr.variant']}. An episode is what one seat saw and did in a game; its last "
        "observation is from the end. Rewards are 0 but the last one, the payoff. Actions are legal where "
        f"action_mask is 1. {game.seats(v)} seats."
    )
    names = ", ".join(agents[:_NAMED]) + (f" and {len(agents) - _NAMED} others" if len(agents) > _NAMED else "")
    words = {"description": text, "algorithm_name": names or "unknown", **games.origin(dataset.kind)}
    return words if licence is None else {**words, "license": licence}


def _require_namespace(name: str) -> None:
    """Let Minari know the dataset's namespace, if it has one that is new."""
    namespaces = _minari("minari.namespace")
    namespace = name.rpartition("/")[0]
    if namespace and namespace not in namespaces.list_local_namespaces():
        namespaces.create_namespace(namespace)


def _minari(module: str) -> Any:
    return games.library(module, "Minari, h5py and Pillow", "minari")
