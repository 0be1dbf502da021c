"""Former home of the bridges to other libraries, which `kozyr.envs.bridges` is now."""

import warnings
from importlib import import_module
from types import ModuleType

_BRIDGES = ("openspiel", "structured")


def __getattr__(name: str) -> ModuleType:
    if name not in _BRIDGES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"import {name} from kozyr.envs.bridges, not from {__name__}", DeprecationWarning, stacklevel=2)
    return import_module(f"kozyr.envs.bridges.{name}")
