"""The rules of Durak from the refill to the end, paragraph by paragraph of RULES.md, and what seats know."""

import numpy as np
import pytest

from kozyr.envs import durak_v0
from kozyr.envs.core import dispatch
from kozyr.envs.durak import GAME, text
