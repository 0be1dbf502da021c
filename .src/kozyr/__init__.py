"""Card and board games for reinforcement learning: environments, agents and training.

`kozyr.envs`, `kozyr.agents` and `kozyr.training` are loaded when they are first used. If Gymnasium or PettingZoo is
loaded already, the games are made known to both at once, as `kozyr.envs` does; so `--gym-packages kozyr` is enough.
"""

import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kozyr import agents, envs, training

__all__ = ["__version__", "agents", "envs", "training"]

__version__ = version("kozyr")

_HERE = Path(__file__).parent
if _HERE.parent.name == ".src":  # a checkout, whose three folders lie at its top; the links here are for editors
    __path__.insert(0, str(_HERE.parents[1]))


def __getattr__(name: str) -> ModuleType:
    if name in ("agents", "envs", "training"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if not {"gymnasium", "pettingzoo"}.isdisjoint(sys.modules):
    import_module(f"{__name__}.envs.registry")
