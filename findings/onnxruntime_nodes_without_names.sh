#!/usr/bin/env bash
# onnxruntime 1.20 and 1.21: a valid file whose nodes have no names is "an invalid model. Error: two nodes with same node name".
#
# ONNX leaves node names free, and its checker passes the file with full_check. Two inputs are each read by two slices,
# which an optimisation joins into a Split. It calls the new node after the first slice: where that has no name, both
# new nodes get the same one, and the session is refused. With names, or from a later version on, the file is loaded.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/program.py" <<'PROGRAM'
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def model(named):
    """Return the columns of two inputs, each sliced out and passed through Relu."""
    constants = [numpy_helper.from_array(np.array([k], np.int64), f"k{k}") for k in range(3)]
    nodes, ends = [], []
    for x in "ab":
        for k in range(2):
            one, last = f"{x}{k}", f"{x}{k}_relu"
            nodes.append(helper.make_node("Slice", [x, f"k{k}", f"k{k + 1}", "k1"], [one], name=one if named else ""))
            nodes.append(helper.make_node("Relu", [one], [last], name=last if named else ""))
            ends.append(helper.make_tensor_value_info(last, TensorProto.FLOAT, ["n", 1]))
    begins = [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["n", 2]) for x in "ab"]
    graph = helper.make_graph(nodes, "columns", begins, ends, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.checker.check_model(made, full_check=True)
    return made.SerializeToString()


def loaded(named):
    try:
        onnxruntime.InferenceSession(model(named), providers=["CPUExecutionProvider"])
    except Exception as error:
        return str(error)
    return "loaded"


found = {named: loaded(named) for named in (True, False)}
print(f"onnxruntime {onnxruntime.__version__}: with names: {found[True]}; without: {found[False]}")
refused = "two nodes with same node name" in found[False]
sys.exit(0 if found[True] == "loaded" and refused == (sys.argv[1] == "refused") and (refused or found[False] == "loaded") else 1)
PROGRAM

python3 -m venv "$folder/venv"
echo "expected: a file is loaded whether its nodes have names or not"
"$folder/venv/bin/pip" install --quiet onnx==1.19.0 onnxruntime==1.21.1 "numpy<2.4"
"$folder/venv/bin/python" "$folder/program.py" refused
"$folder/venv/bin/pip" install --quiet onnxruntime==1.22.0
"$folder/venv/bin/python" "$folder/program.py" loaded
