// The operators of ONNX that networks of kozyr are written with, for tensors { dims, data }. Floats are added up in 64
// bits and kept in 32.

import { kindOf } from "./onnx_file.js";
import { MOVING, around, common, like, places, positive, product, refuse, spread, stridesOf, transpose } from "./onnx_places.js";

const each = (does) => ([one]) => ({ dims: one.dims, data: one.data.map(does) });

const pairs = (does, Kind) => (tensors) => {
  const dims = common(tensors);
  return tensors.slice(1).reduce((so_far, other) => {
    const [a, b] = [spread(so_far, dims), spread(other, dims)];
    const data = new (Kind ?? a.constructor)(a.length);
    for (let i = 0; i < data.length; i++) data[i] = does(a[i], b[i]);
    return { dims, data };
  }, tensors[0]);
};

function where(tensors) {
  const dims = common(tensors);
  const [chosen, yes, no] = tensors.map((one) => spread(one, dims));
  return { dims, data: yes.map((value, i) => (chosen[i] ? value : no[i])) };
}

function cast([{ dims, data }], { to }) {
  const Kind = kindOf(to);
  return { dims, data: Kind === Uint8Array ? Kind.from(data, Boolean) : new Kind(data) };
}

// Each row of `rows` times each row of `weights`, both [count, inner].
function products(rows, weights, inner) {
  const [high, wide] = [rows.length / inner, weights.length / inner];
  const data = new Float32Array(high * wide);
  for (let i = 0; i < high; i++) {
    for (let j = 0; j < wide; j++) {
      let [a, b, k] = [0, 0, 0];
      const [x, w] = [i * inner, j * inner];
      for (; k < inner - 1; k += 2) {
        a += rows[x + k] * weights[w + k];
        b += rows[x + k + 1] * weights[w + k + 1];
      }
      if (k < inner) a += rows[x + k] * weights[w + k];
      data[i * wide + j] = a + b;
    }
  }
  return data;
}

const turned = (one) => transpose([one], { perm: [...one.dims.keys()].reverse() });

function gemm([rows, given, bias], { transB = 0 }) {
  const weights = transB ? given : turned(given);
  const [wide, inner] = weights.dims;
  if (inner !== rows.dims[1]) refuse(`it multiplies rows of ${rows.dims[1]} by ${inner} numbers`);
  const made = { dims: [rows.dims[0], wide], data: products(rows.data, weights.data, inner) };
  return bias ? pairs((a, b) => a + b)([made, bias]) : made;
}

function matmul([one, other]) {
  const [high, inner] = one.dims.slice(-2);
  const [deep, wide] = other.dims.slice(-2);
  if (one.dims.length !== 2 || deep !== inner) refuse(`it multiplies ${one.dims} by ${other.dims}`);
  const data = new Float32Array((other.data.length / inner / wide) * high * wide);
  for (let at = 0, to = 0; at < other.data.length; at += inner * wide, to += high * wide) {
    const matrix = turned({ dims: [inner, wide], data: other.data.subarray(at, at + inner * wide) });
    data.set(products(one.data, matrix.data, inner), to);
  }
  return { dims: [...other.dims.slice(0, -2), high, wide], data };
}

// A kernel over planes: one weight at a time, for all places that it is used at.
function conv([planes, kernels, bias], { group = 1, pads = [0, 0, 0, 0] }) {
  const [many, before, rows, columns] = planes.dims;
  const [after, read, high, wide] = kernels.dims;
  if (read * group !== before || after % group) refuse(`it reads ${read * group} of ${before} planes`);
  const shape = [rows + pads[0] + pads[2] - high + 1, columns + pads[1] + pads[3] - wide + 1];
  const data = new Float64Array(many * after * shape[0] * shape[1]);
  for (let plane = 0; plane < many * after; plane++) {
    const [image, kernel] = [Math.floor(plane / after), plane % after];
    const out = data.subarray(plane * shape[0] * shape[1], (plane + 1) * shape[0] * shape[1]).fill(bias?.data[kernel] ?? 0);
    for (let w = 0; w < read * high * wide; w++) {
      const weight = kernels.data[kernel * read * high * wide + w];
      const from = image * before + Math.floor((kernel * group) / after) * read + Math.floor(w / (high * wide));
      const shift = [(Math.floor(w / wide) % high) - pads[0], (w % wide) - pads[1]];
      if (weight) weigh(planes.data.subarray(from * rows * columns, (from + 1) * rows * columns), [rows, columns], out, shape, shift, weight);
    }
  }
  return { dims: [many, after, ...shape], data: new Float32Array(data) };
}

function weigh(plane, [rows, columns], out, [high, wide], [down, right], weight) {
  const [first, last] = [Math.max(0, -right), Math.min(wide, columns - right)];
  for (let y = Math.max(0, -down); y < Math.min(high, rows - down); y++) {
    const from = (y + down) * columns + right;
    for (let x = first; x < last; x++) out[y * wide + x] += weight * plane[from + x];
  }
}

const reduce = (begin, does) => ([one, given], { axes = given ? [...given.data] : [...one.dims.keys()], keepdims = 1 }) => {
  const gone = new Set(axes.map((axis) => positive(axis, one.dims)));
  const dims = one.dims.map((count, axis) => (gone.has(axis) ? 1 : count));
  const where = places(one.dims, stridesOf(dims).map((step, axis) => (gone.has(axis) ? 0 : step)));
  const found = new Float64Array(product(dims)).fill(begin);
  for (let i = 0; i < where.length; i++) found[where[i]] = does(found[where[i]], one.data[i]);
  return { dims: keepdims ? dims : dims.filter((_, axis) => !gone.has(axis)), data: new one.data.constructor(found) };
};

function argmax([one], { axis: given = 0, keepdims = 1 }) {
  const { axis, outer, size, inner } = around(one, given);
  const data = new Int32Array(outer * inner);
  for (let line = 0; line < data.length; line++) {
    const begin = Math.floor(line / inner) * size * inner + (line % inner);
    for (let i = 1; i < size; i++) if (one.data[begin + i * inner] > one.data[begin + data[line] * inner]) data[line] = i;
  }
  return { dims: one.dims.flatMap((count, i) => (i !== axis ? count : keepdims ? 1 : [])), data };
}

function cumsum([one, given]) {
  const { outer, size, inner } = around(one, given.data[0]);
  const data = one.data.slice();
  for (let i = 0; i < outer; i++) for (let k = inner; k < size * inner; k++) data[i * size * inner + k] += data[i * size * inner + k - inner];
  return { dims: one.dims, data };
}

function topk([one, given], { axis = -1, largest = 1 }) {
  const { outer, size, inner } = around(one, axis);
  const count = given.data[0];
  if (inner !== 1 || count > size) refuse(`it seeks ${count} of the shape ${one.dims} along axis ${axis}`);
  const dims = [...one.dims.slice(0, -1), count];
  const found = { dims, data: like(one, outer * count) };
  const at = { dims, data: new Int32Array(outer * count) };
  for (let i = 0; i < outer; i++) {
    const line = one.data.subarray(i * size, (i + 1) * size);
    const order = [...line.keys()].sort((a, b) => (largest ? line[b] - line[a] : line[a] - line[b])).slice(0, count);
    at.data.set(order, i * count);
    found.data.set(order.map((k) => line[k]), i * count);
  }
  return [found, at];
}

/** Operators by name, each with the attributes that it knows: a file with others is refused. */
export const OPERATORS = {
  ...MOVING,
  Add: [pairs((a, b) => a + b)],
  ArgMax: [argmax, "axis", "keepdims"],
  Cast: [cast, "to"],
  Conv: [conv, "group", "pads", "kernel_shape"],
  CumSum: [cumsum],
  Gemm: [gemm, "transB"],
  Greater: [pairs((a, b) => a > b, Uint8Array)],
  Less: [pairs((a, b) => a < b, Uint8Array)],
  LessOrEqual: [pairs((a, b) => a <= b, Uint8Array)],
  MatMul: [matmul],
  Max: [pairs(Math.max)],
  Min: [pairs(Math.min)],
  Mul: [pairs((a, b) => a * b)],
  ReduceMax: [reduce(-Infinity, Math.max), "axes", "keepdims"],
  ReduceSum: [reduce(0, (a, b) => a + b), "axes", "keepdims"],
  Relu: [each((x) => Math.max(x, 0))],
  Sigmoid: [each((x) => 1 / (1 + Math.exp(-x)))],
  Sign: [each(Math.sign)],
  Sub: [pairs((a, b) => a - b)],
  Tanh: [each(Math.tanh)],
  TopK: [topk, "axis", "largest", "sorted"],
  Where: [where],
};
