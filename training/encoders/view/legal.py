"""The distribution of actions where there are a great many and few are legal: it is worked out for the legal ones."""

from typing import Any

import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical, MaskableCategoricalDistribution

MANY = 1024  # actions from which on it is faster


class LegalActions(MaskableCategoricalDistribution):
    """Chances of the legal actions, in a table as wide as the most that any position has.

    It says what sb3-contrib's distribution says, which works out chances of all actions and then does it again.
    """

    def proba_distribution(self, action_logits: torch.Tensor) -> "LegalActions":
        """Take the logits of all actions, which count as legal until `apply_masking`."""
        self._logits, self._of_legal = action_logits.view(-1, self.action_dim), None
        return self

    def apply_masking(self, masks: Any) -> None:
        """Keep the legal actions only; None makes all of them legal."""
        legal = torch.ones_like(self._logits) if masks is None else torch.as_tensor(masks)
        self._which, there = to_the_left(legal.reshape(self._logits.shape) != 0)
        self._of_legal = MaskableCategorical(logits=self._logits.gather(1, self._which), masks=there)

    @property
    def distribution(self) -> MaskableCategorical:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the distribution over the places of the table."""
        if self._of_legal is None:
            self.apply_masking(None)
        assert self._of_legal is not None
        return self._of_legal

    def log_prob(self, actions: torch.Tensor) -> torch.Tensor:
        """Return the logarithms of the chances of legal actions."""
        chances = self.distribution
        return chances.log_prob((self._which == actions.view(-1, 1)).byte().argmax(1))

    def sample(self) -> torch.Tensor:
        """Draw an action for each position."""
        return self._actions(self.distribution.sample())

    def mode(self) -> torch.Tensor:
        """Return the likeliest actions."""
        return self._actions(self.distribution.logits.argmax(1))

    def _actions(self, places: torch.Tensor) -> torch.Tensor:
        return self._which.gather(1, places[:, None])[:, 0]


def to_the_left(legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the numbers of legal actions row by row, filled up with the first, and where they are not filled up."""
    rows, actions = legal.nonzero(as_tuple=True)
    counts = torch.bincount(rows, minlength=len(legal))
    first = counts.cumsum(0) - counts
    which = actions[first][:, None].repeat(1, int(counts.max()))
    which[rows, torch.arange(len(rows)) - first[rows]] = actions
    return which, torch.arange(which.shape[1]) < counts[:, None]
