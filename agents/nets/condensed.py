"""A trained policy as a small network that is compiled: an .npz file that knows its game. Needs numpy alone."""

import json
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.nets.condensed_loops import NONE, Net, answer_all, made_of
from kozyr.envs.core.game import Game

ABOUT = "about"  # name of the array that holds, as JSON, game, options, view and what is known about the training
SUFFIX = ".npz"
_SHIPPED = Path(__file__).parents[2] / "training" / "policies"


class CondensedPolicy:
    """A small network that takes the legal action it rates highest.

    It also plays variants that add parts to the end of the view, which it does not look at.

    Attributes:
        game: its Game; variant: what it was trained for.
        name: what reports call it; about: what is known about it and its training.
        net: its numbers.

    Args:
        path: a file that `kozyr publish --condensed` has written.

    Raises:
        ValueError: if the file cannot be read, is no policy, or was trained for another version of its game.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = self.path.stem
        try:
            with self.path.open("rb") as file, np.load(file) as numbers:
                self.about: dict[str, Any] = json.loads(str(numbers[ABOUT]))
                self.net = made_of(numbers)
            self.game = envs.game(self.about["game"])
            self.variant = self.game.agree(**self.about["options"])
        except (OSError, BadZipFile, KeyError, ValueError) as error:
            raise ValueError(f"{self.path} is no condensed policy of this version of kozyr: {error}") from None
        changed = self.game.changed(self.variant, self.about["view"])
        if changed:
            raise ValueError(
                f"the policy {self.path} was trained with another view of {self.game.id}, first at {changed[0]!r}: "
                "train it anew"
            )
        self.game.announce()

    def __repr__(self) -> str:
        return str(self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path,)

    def require(self, game: Game, variant: Any) -> None:
        """Raise ValueError, in words, unless the policy plays this game and variant."""
        if not self.plays(game, variant):
            mine = ", ".join(f"{key}={value!r}" for key, value in self.about["options"].items())
            raise ValueError(f"the policy {self.path} plays {self.game.id} with {mine}: ask for that variant")

    def plays(self, game: Game, variant: Any) -> bool:
        """Tell whether the policy is for a game and variant."""
        return game.id == self.game.id and self.variant in (variant, game.without_more(variant))

    def reset(self, seat: int, seed: int) -> None:
        """Do nothing: there is no luck in it."""

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action for one view."""
        return int(self.act_batch(view[None], mask[None])[0])

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return a legal action for each view."""
        actions = np.zeros(len(views), np.int64)
        answer_all(self.net, views, masks, actions)
        return actions


@cache
def policies(game: str) -> list[CondensedPolicy]:
    """Return the condensed policies of a game that come along, one for each of some variants."""
    return [CondensedPolicy(path) for path in sorted(_SHIPPED.glob(f"{game}*{SUFFIX}"))]


def shipped(game: Game, variant: Any) -> Net:
    """Return the network that comes along for a variant, or NONE."""
    return next((policy.net for policy in policies(game.name) if policy.plays(game, variant)), NONE)
