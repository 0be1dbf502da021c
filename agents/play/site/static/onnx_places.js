// Tensors { dims, data }, and the operators of ONNX that move numbers and compute none.

export const refuse = (why) => { throw new Error(why); };
export const product = (dims) => dims.reduce((a, b) => a * b, 1);
export const like = ({ data }, size) => new data.constructor(size);
export const positive = (axis, dims) => (axis < 0 ? axis + dims.length : axis);

export function stridesOf(dims) {
  const strides = new Array(dims.length);
  for (let axis = dims.length - 1, step = 1; axis >= 0; step *= dims[axis--]) strides[axis] = step;
  return strides;
}

// Where the entries of a tensor of some shape lie, given how far apart those of each axis are.
export function places(dims, strides, start = 0) {
  let found = Int32Array.of(start);
  dims.forEach((count, axis) => {
    const next = new Int32Array(found.length * count);
    for (let i = 0, k = 0; i < found.length; i++) for (let j = 0; j < count; j++) next[k++] = found[i] + j * strides[axis];
    found = next;
  });
  return found;
}

function taken(from, dims, where) {
  const data = like(from, where.length);
  for (let i = 0; i < where.length; i++) data[i] = from.data[where[i]];
  return { dims, data };
}

// What lies before an axis, along it and behind it.
export function around({ dims }, given) {
  const axis = positive(given, dims);
  return { axis, outer: product(dims.slice(0, axis)), size: dims[axis], inner: product(dims.slice(axis + 1)) };
}

function inside(index, size) {
  const found = index < 0 ? index + size : index;
  return found >= 0 && found < size ? found : refuse(`it reads place ${index} of ${size}`);
}

export function common(tensors) {
  const rank = Math.max(...tensors.map(({ dims }) => dims.length));
  return Array.from({ length: rank }, (_, axis) => {
    const counts = tensors.map(({ dims }) => dims[axis - rank + dims.length] ?? 1);
    const most = counts.find((count) => count !== 1) ?? 1;
    return counts.every((count) => count === 1 || count === most) ? most : refuse(`shapes with ${counts.join(" and ")} do not go together`);
  });
}

// The numbers of a tensor, repeated until they have a shape.
export function spread(one, dims) {
  if (one.data.length === product(dims)) return one.data;
  const own = stridesOf(one.dims);
  const missing = dims.length - one.dims.length;
  const strides = dims.map((_, axis) => ((one.dims[axis - missing] ?? 1) === 1 ? 0 : own[axis - missing]));
  return taken(one, dims, places(dims, strides)).data;
}

function gather([one, index], { axis: given = 0 }) {
  const { axis, outer, size, inner } = around(one, given);
  const where = new Int32Array(outer * index.data.length * inner);
  for (let i = 0, k = 0; i < outer; i++) {
    for (const each of index.data) for (let j = 0, from = (i * size + inside(each, size)) * inner; j < inner; j++) where[k++] = from + j;
  }
  return taken(one, [...one.dims.slice(0, axis), ...index.dims, ...one.dims.slice(axis + 1)], where);
}

// Where each entry of an index points to along an axis.
function pointed(one, index, given) {
  const axis = positive(given, one.dims);
  const strides = stridesOf(one.dims);
  const step = strides[axis];
  strides[axis] = 0;
  return places(index.dims, strides).map((place, i) => place + step * inside(index.data[i], one.dims[axis]));
}

const gatherElements = ([one, index], { axis = 0 }) => taken(one, index.dims, pointed(one, index, axis));

function scatterElements([one, index, updates], { axis = 0, reduction = "none" }) {
  if (reduction !== "none" && reduction !== "add") refuse(`it scatters with ${reduction}`);
  const data = one.data.slice();
  pointed(one, index, axis).forEach((place, i) => { data[place] = (reduction === "add" ? data[place] : 0) + updates.data[i]; });
  return { dims: one.dims, data };
}

function slice([one, starts, ends, axes, steps]) {
  const [dims, strides] = [[...one.dims], stridesOf(one.dims)];
  let start = 0;
  starts.data.forEach((begin, i) => {
    const axis = positive(axes ? axes.data[i] : i, one.dims);
    if ((steps?.data[i] ?? 1) !== 1) refuse("it takes other steps than 1");
    const [first, last] = [begin, ends.data[i]].map((bound) => Math.min(Math.max(bound < 0 ? bound + one.dims[axis] : bound, 0), one.dims[axis]));
    dims[axis] = Math.max(last - first, 0);
    start += first * strides[axis];
  });
  return taken(one, dims, places(dims, strides, start));
}

function pad([one, given, value], { mode = "constant" }) {
  const [before, after] = [given.data.slice(0, one.dims.length), given.data.slice(one.dims.length)];
  if (mode !== "constant" || given.data.length !== 2 * one.dims.length || given.data.some((count) => count < 0)) refuse(`it pads with ${mode} by ${[...given.data]}`);
  const dims = one.dims.map((count, axis) => count + before[axis] + after[axis]);
  const strides = stridesOf(dims);
  const data = like(one, product(dims)).fill(value?.data[0] ?? 0);
  const start = before.reduce((sum, count, axis) => sum + count * strides[axis], 0);
  places(one.dims, strides, start).forEach((place, i) => { data[place] = one.data[i]; });
  return { dims, data };
}

export function transpose([one], { perm = [...one.dims.keys()].reverse() }) {
  const [dims, strides] = [one.dims, stridesOf(one.dims)].map((all) => perm.map((axis) => all[axis]));
  return taken(one, dims, places(dims, strides));
}

function reshape([one, shape]) {
  const dims = [...shape.data].map((count, axis) => (count === 0 ? one.dims[axis] : count));
  const known = product(dims.filter((count) => count > 0));
  const whole = dims.map((count) => (count < 0 ? one.data.length / known : count));
  return product(whole) === one.data.length && whole.every(Number.isInteger) ? { dims: whole, data: one.data } : refuse(`${one.dims} has not the shape ${dims}`);
}

function unsqueeze([one, axes]) {
  const rank = one.dims.length + axes.data.length;
  const added = new Set([...axes.data].map((axis) => (axis < 0 ? axis + rank : axis)));
  const left = one.dims.values();
  return { dims: Array.from({ length: rank }, (_, axis) => (added.has(axis) ? 1 : left.next().value)), data: one.data };
}

function concat(tensors, { axis: given }) {
  const parts = tensors.map((one) => ({ data: one.data, ...around(one, given) }));
  const [{ axis, outer, inner }] = parts;
  const size = parts.reduce((sum, one) => sum + one.size, 0);
  const data = like(tensors[0], outer * size * inner);
  for (let i = 0, to = 0; i < outer; i++) {
    for (const one of parts) {
      data.set(one.data.subarray(i * one.size * inner, (i + 1) * one.size * inner), to);
      to += one.size * inner;
    }
  }
  return { dims: tensors[0].dims.map((count, i) => (i === axis ? size : count)), data };
}

/** Operators by name, each with the attributes that it knows: a file with others is refused. */
export const MOVING = {
  Concat: [concat, "axis"],
  Gather: [gather, "axis"],
  GatherElements: [gatherElements, "axis"],
  Pad: [pad, "mode"],
  Reshape: [reshape],
  ScatterElements: [scatterElements, "axis", "reduction"],
  Slice: [slice],
  Transpose: [transpose, "perm"],
  Unsqueeze: [unsqueeze],
};
