// A trained policy from its ONNX file, answered here: for one view at a time, by a loop over the network's nodes.

import { read } from "./onnx_file.js";
import { OPERATORS } from "./onnx_operators.js";

/** Return a function that gives the logits of a view; the file's bytes are read now. */
export function network(bytes) {
  const { nodes, constants, input, output } = read(bytes);
  const known = new Map(constants);
  const steps = [];
  for (const step of nodes.map(checked)) {
    if (step.inputs.every((name) => name === "" || known.has(name))) run(step, known); // once, not for each view
    else steps.push(step);
  }
  return (view) => {
    const values = new Map(known).set(input, { dims: [1, view.length], data: view });
    for (const step of steps) run(step, values);
    return values.get(output)?.data ?? lacks(output);
  };
}

function checked({ type, inputs, outputs, attributes }) {
  const [operator, ...names] = OPERATORS[type] ?? [];
  if (!operator) throw new Error(`it needs the operator ${type}, which is not known here`);
  const other = Object.keys(attributes).find((name) => !names.includes(name));
  if (other) throw new Error(`it needs ${other} of the operator ${type}, which is not known here`);
  return { type, operator, inputs, outputs, attributes };
}

function run({ type, operator, inputs, outputs, attributes }, values) {
  const given = inputs.map((name) => (name === "" ? undefined : values.get(name) ?? lacks(name)));
  try {
    const found = [operator(given, attributes)].flat();
    outputs.forEach((name, i) => values.set(name, found[i]));
  } catch (error) {
    throw new Error(`its operator ${type} cannot go on: ${error.message}`);
  }
}

function lacks(name) {
  throw new Error(`it reads ${name}, which is not there`);
}
