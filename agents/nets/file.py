"""A trained policy from a file of either kind."""

from pathlib import Path

from kozyr.agents.agent_names import CONDENSED
from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.agents.nets.trained import Trained


def opened(path: str | Path) -> Trained:
    """Return the policy in an .npz, or else in an ONNX file.

    Raises:
        ValueError: if the file holds no policy of this version of its game.
    """
    return CondensedPolicy(path) if Path(path).suffix == CONDENSED else OnnxPolicy(path)
