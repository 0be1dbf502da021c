// The forward pass of a network: its program, which `kozyr wasm` has made of an ONNX file, run by compiled code.

const FORMAT = 1;
const HEAD = 10; // words of a file before its arrays
const WORDS = 10; // of an instruction
const PAGE = 65536;

/** Return a function that gives the logits of a view; `code` is forward.wasm, compiled, `file` the program's bytes. */
export async function network(code, file) {
  const words = new Uint32Array(file.buffer, file.byteOffset, Math.floor(file.byteLength / 4));
  const [format, instructions, listed, weighed, fixed, cells, reads, entries, answers, actions] = words;
  if (format !== FORMAT) throw new Error(`it has format ${format}, not ${FORMAT}: write it anew`);
  const sizes = [instructions * WORDS, listed, weighed, fixed, fixed];
  if (words.length !== HEAD + sizes.reduce((a, b) => a + b, 0)) throw new Error("it ends too early");
  const { exports } = await WebAssembly.instantiate(code, { env: Math });
  const places = rooms(exports, [...sizes.slice(0, 3), cells]);
  const parts = split(words, sizes);
  parts.slice(0, 3).forEach((part, i) => new Uint32Array(exports.memory.buffer, places[i], part.length).set(part));
  const memory = new Float32Array(exports.memory.buffer, places[3], cells);
  const constants = new Float32Array(parts[4].buffer, parts[4].byteOffset, fixed);
  parts[3].forEach((cell, i) => { memory[cell] = constants[i]; });
  return (view) => {
    if (view.length !== entries) throw new Error(`it reads ${entries} numbers, not ${view.length}`);
    memory.set(view, reads);
    if (!exports.forward(places[0], instructions, ...places.slice(1))) throw new Error("it asks for a place that is not there");
    return memory.slice(answers, answers + actions);
  };
}

// Set words apart in a module's memory, and return their addresses.
function rooms({ memory, __heap_base: base }, sizes) {
  let end = base.value;
  const places = sizes.map((size) => {
    const at = end;
    end += Math.ceil(size / 4) * 16;
    return at;
  });
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
  return places;
}

function split(words, sizes) {
  let at = HEAD;
  return sizes.map((size) => words.subarray(at, at += size));
}
