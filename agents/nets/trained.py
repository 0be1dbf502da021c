"""Trained policies: the base class of all file formats, and the files of the bundled ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.input_checks import Gate
from kozyr.envs import registry
from kozyr.envs.core.capabilities import optional_parts
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.table import files

_LONGEST = 100  # characters of a name that is none


class Trained:
    """A network from a file, for one variant of a game; subclasses answer views.

    It also plays variants that add parts to the end of the view, which it does not look at, and those with other
    options that change nothing of the view but parts that its network does not read.

    Attributes:
        path: its file; name: the policy's name in reports.
        game: its Game; variant: of its training; unseen: parts of the view that its network does not read.

    Args:
        path: the file.
        game: id of the game; options: of the variant; view: the game's declaration of it at the training.
        unseen: as the attribute.

    Raises:
        ValueError: if it was trained for another version of its game.
    """

    def __init__(
        self, path: Path, game: str, options: dict[str, Any], view: list[list[Any]], unseen: Sequence[str] = ()
    ) -> None:
        self.path, self.name, self.unseen = path, path.stem, unseen
        require_known(f"the policy {path}", game, options, view)
        try:
            self.game = envs.game(game)
        except ValueError as error:
            raise ValueError(f"the policy {path} was trained for {game}, which is not here: {error}") from None
        try:
            self.variant = self.game.make_variant(**options)
        except ValueError as error:
            raise ValueError(f"the policy {path} was trained for a variant that {game} has not: {error}") from None
        changed = self.game.changed(self.variant, view)
        if changed:
            raise ValueError(
                f"the policy {path} was trained with another view of {game}, first at {changed[0]!r}: train it anew"
            )
        if strange := set(unseen) - self.game.parts(self.variant).spans().keys():
            wrong = files.cut(min(strange), _LONGEST)
            raise ValueError(f"the policy {path} is damaged: {quote(wrong)} is no part of the view of {game}")
        self.gate = Gate(
            self.game, self.variant, longer(self.game, self.variant), entries(self.game, self.variant, unseen)
        )

    def __repr__(self) -> str:
        return str(self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path,), {"name": self.name}

    def require(self, game: Game, variant: Any) -> None:
        """Raise ValueError, in words, unless the policy plays this game and variant."""
        if game.id != self.game.id:
            raise ValueError(f"the policy {self.path} plays {self.game.id}, not {game.id}")
        if other := self._other_options(variant):
            raise ValueError(f"the policy {self.path} was trained for another variant of {game.id}: {'; '.join(other)}")

    def plays(self, game: Game, variant: Any) -> bool:
        """Return True if the policy is for a game and variant."""
        return game.id == self.game.id and not self._other_options(variant)

    def _other_options(self, variant: Any) -> list[str]:
        """Return, in words, the options in which a variant differs, but for those that change only unread parts."""
        reduced = self._reduced(variant)
        own, other_options = self.game.options(self.variant), self.game.options(reduced)
        other = [name for name in own if own[name] != other_options[name]]
        if other and self.unseen and not read_elsewhere(self.game, self.variant, reduced, self.unseen):
            declared = self.game.declaration(self.variant)
            changed = {name: self.variant._replace(**{name: getattr(reduced, name)}) for name in other}
            other = [name for name in other if not self.game.changed(changed[name], declared)]  # of the rules alone
        return [f"{name}={own[name]!r}, not {other_options[name]!r}" for name in other]

    def _reduced(self, variant: Any) -> Any:
        """Return the variant without the parts at the end of the view that the policy does not need."""
        return shortest(variant) if shortest(self.variant) == self.variant else variant

    def reset(self, seat: int, seed: int) -> None:
        """Seed its random choices, if it makes any."""

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action for one view."""
        return int(self.act_batch(np.asarray(view)[None], np.asarray(mask)[None])[0])

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return a legal action for each view; to be written by the subclass."""
        raise NotImplementedError


def read_elsewhere(game: Game, own: Any, variant: Any, unseen: Sequence[str]) -> str:
    """Return why a network for `own` cannot play another variant, in words; parts that it does not read may differ."""
    if game.parts(variant).spans() != game.parts(own).spans() or game.actions(variant) != game.actions(own):
        return "its view or its actions are others"
    read = [name for name in game.changed(variant, game.declaration(own)) if name not in unseen]
    return f"its network reads {read[0]!r}, which has other numbers there; see net.unseen" if read else ""


def entries(game: Game, variant: Any, unseen: Sequence[str]) -> list[int]:
    """Return the entries of a view that belong to some of its parts."""
    spans = game.parts(variant).spans()
    return [i for name in unseen for i in range(spans[name].start, spans[name].stop)]


def require_known(whose: str, game: Any, options: Any, view: Any) -> None:
    """Raise ValueError unless a file's facts about its game have the right types; `whose` names the file."""
    fine = isinstance(game, str) and isinstance(options, dict) and isinstance(view, list)
    if not fine or not all(_is_part(part) for part in cast("list[Any]", view)):
        raise ValueError(f"{whose} is damaged: it does not say what it was trained for")


def _is_part(part: Any) -> bool:
    """Return True if something is a part of a view as `Game.declaration` writes it."""
    return isinstance(part, list) and [type(one) for one in cast("list[Any]", part)] == [str, int, int, int]


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities [n, actions] for logits [n, actions], minus infinity where an action is not legal."""
    weights = np.exp(logits - logits.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


Policy = TypeVar("Policy", bound=Trained)


def shortest(variant: Any) -> Any:
    """Return the variant whose view has none of the parts that players of another variant can do without."""
    return variant._replace(**dict.fromkeys(optional_parts(variant), False))


def longer(game: Game, variant: Any) -> set[int]:
    """Return the lengths of views that begin as a variant's own and go on with parts that it does without."""
    lacking = [name for name in optional_parts(variant) if not getattr(variant, name)]
    return {game.size(variant._replace(**{name: True})) for name in lacking}


def bundled(game: str, suffix: str) -> list[Path]:
    """Return the files of a game's trained policies that come with its package, of one kind."""
    folder = registry.folder(registry.POLICIES, game)
    return sorted(folder.glob(f"{game}_*{suffix}")) if folder else []


def fitting(policies: Sequence[Policy], game: Game, variant: Any) -> Policy | None:
    """Return the policy for a variant: one for exactly it before one that does without parts of its view."""
    fits = [one for one in policies if one.plays(game, variant)]
    return min(fits, key=lambda one: one.variant != variant, default=None)
