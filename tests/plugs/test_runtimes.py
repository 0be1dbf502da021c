"""Other people's runtimes of ONNX files, the oldest onnxruntime among them, rate actions as ours does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.plugs.required import library

library("tract", "0.23", "runtimes")
library("onnx2torch", "1.5", "runtimes")
library("onnxruntime", "1.20", "runtimes")

import onnx2torch
import torch
import tract

from kozyr import agents, envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.agents.nets.session import Session
from tests.site.policies import positions

BUNDLED = [OnnxPolicy(path) for name in envs.games() for path in agents.policies(name)]
MOST, NEAR = 500, 1e-4
UNABLE = {("torch", "war_52"): "ScatterElements"}  # an operator that is not there

Rate = Callable[[OnnxPolicy, Any], Any]


def by_onnxruntime(one: OnnxPolicy, views: Any) -> Any:
    return Session(one.path.read_bytes())(views)


def by_tract(one: OnnxPolicy, views: Any) -> Any:
    model = tract.onnx().load(str(one.path)).into_model().into_runnable()
    return model.run([views])[0].to_numpy()


def by_torch(one: OnnxPolicy, views: Any) -> Any:
    with torch.no_grad():
        return onnx2torch.convert(str(one.path))(torch.from_numpy(views)).numpy()


RUNTIMES: dict[str, Rate] = {"onnxruntime": by_onnxruntime, "tract": by_tract, "torch": by_torch}


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")  # of onnx2torch
@pytest.mark.parametrize("one", BUNDLED, ids=lambda one: one.name)
@pytest.mark.parametrize("name", RUNTIMES)
def test_another_runtime_chooses_the_same_actions(name: str, one: OnnxPolicy) -> None:
    views, masks = (found[:MOST] for found in positions(one, 10))
    if missing := UNABLE.get((name, one.name)):
        with pytest.raises(NotImplementedError, match=missing):
            RUNTIMES[name](one, views)
        return
    legal, theirs, ours = masks != 0, RUNTIMES[name](one, views), one.network(views)
    np.testing.assert_allclose(theirs[legal], ours[legal], rtol=NEAR, atol=NEAR)
    chosen, best = (np.where(legal, found, -np.inf).argmax(1) for found in (theirs, ours))
    rows = np.flatnonzero(chosen != best)  # only actions that are as good as equal
    assert (ours[rows, best[rows]] - ours[rows, chosen[rows]] <= NEAR).all()
