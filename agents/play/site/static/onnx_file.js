// Reads the file of a network: ONNX, which is protobuf, as far as networks of kozyr need it. Numbers of fields are those
// of onnx.proto.

const [VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES] = [0, 1, 2, 5]; // wire types
const FLOAT = 1;
const BOOL = 9;
const WHOLE = { 2: Uint8Array, 3: Int8Array, 4: Uint16Array, 5: Int16Array, 6: Int32Array, 7: BigInt64Array };
const MOST = 2 ** 31 - 1;
const ended = "it ends too early";
const text = new TextDecoder();

/** Return a network's nodes, constants by name, and the names of its input and output. */
export function read(bytes) {
  const graph = group(only(group(new Uint8Array(bytes)), 7, "it holds no network"));
  return {
    nodes: (graph[1] ?? []).map(node),
    constants: new Map((graph[5] ?? []).map((one) => {
      const fields = group(one);
      return [said(fields[8]), tensor(fields)];
    })),
    input: named(graph[11], "input"),
    output: named(graph[12], "output"),
  };
}

/** Return the array type of one of ONNX's types of numbers; whole numbers have 32 bits here. */
export function kindOf(type) {
  if (type === FLOAT) return Float32Array;
  if (type === BOOL) return Uint8Array;
  if (type in WHOLE) return Int32Array;
  throw new Error(`its numbers of type ${type} cannot be read here`);
}

function node(bytes) {
  const fields = group(bytes);
  const attributes = (fields[5] ?? []).map((one) => attribute(group(one)));
  return {
    type: said(fields[4]),
    inputs: (fields[1] ?? []).map((one) => text.decode(one)),
    outputs: (fields[2] ?? []).map((one) => text.decode(one)),
    attributes: Object.fromEntries(attributes),
  };
}

// The name and the value of an attribute: a number, whole numbers, or words.
function attribute(fields) {
  const name = said(fields[1]);
  if (fields[2]) return [name, new DataView(fields[2][0].slice().buffer).getFloat32(0, true)];
  if (fields[3]) return [name, number(fields[3][0])];
  if (fields[4]) return [name, said(fields[4])];
  if (fields[8]) return [name, numbers(fields[8])];
  throw new Error(`its attribute ${name} is of a kind that is unknown here`);
}

function tensor(fields) {
  const dims = numbers(fields[1]);
  const type = number(only(fields, 2, "a constant has no type"));
  const raw = fields[9]?.[0];
  const data = raw ? unpacked(raw, type) : kindOf(type).from(type === FLOAT ? floats(fields[4]) : numbers(fields[7] ?? fields[5]));
  if (data.length !== dims.reduce((a, b) => a * b, 1)) throw new Error(`its constant ${said(fields[8])} has ${data.length} numbers, and the shape ${dims}`);
  return { dims, data };
}

function unpacked(raw, type) {
  const Kind = kindOf(type);
  const Written = WHOLE[type] ?? Kind;
  if (raw.length % Written.BYTES_PER_ELEMENT) throw new Error(ended);
  const data = new Written(raw.slice().buffer);
  return Written === BigInt64Array ? Kind.from(data, near) : Kind === Written ? data : Kind.from(data);
}

function floats(found = []) {
  const parts = found.map((one) => new Float32Array(one.slice().buffer));
  return parts.flatMap((one) => [...one]);
}

// Repeated whole numbers, one a field or many in one.
function numbers(found = []) {
  return found.flatMap((one) => {
    if (typeof one === "bigint") return number(one);
    const many = [];
    for (let at = 0, value; at < one.length; many.push(number(value))) [value, at] = varint(one, at);
    return many;
  });
}

const number = (value) => near(BigInt.asIntN(64, value));

// "To the end" is written as a number of 64 bits.
const near = (value) => Math.max(-MOST, Math.min(Number(value), MOST));

const said = (found) => (found ? text.decode(found[0]) : "");

function only(fields, field, why) {
  if (!fields[field]) throw new Error(why);
  return fields[field][0];
}

function named(values = [], what) {
  if (values.length !== 1) throw new Error(`it has ${values.length} ${what}s, not one`);
  return said(group(values[0])[1]);
}

// The values of a message's fields, by their numbers: bytes, or whole numbers as BigInt.
function group(bytes) {
  const found = {};
  for (let at = 0; at < bytes.length;) {
    const [tag, begin] = varint(bytes, at);
    const [value, end] = field(bytes, begin, Number(tag & 7n));
    (found[Number(tag >> 3n)] ??= []).push(value);
    at = end;
  }
  return found;
}

function field(bytes, at, kind) {
  if (kind === VARINT) return varint(bytes, at);
  const [size, begin] = kind === BYTES ? varint(bytes, at) : [{ [EIGHT_BYTES]: 8, [FOUR_BYTES]: 4 }[kind], at];
  if (size === undefined) throw new Error(`it has a field of kind ${kind}`);
  const end = begin + Number(size);
  if (end > bytes.length) throw new Error(ended);
  return [bytes.subarray(begin, end), end];
}

function varint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    if (at >= bytes.length) throw new Error(ended);
    const byte = bytes[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [value, at];
  }
  throw new Error("it has a number of more than 64 bits");
}
