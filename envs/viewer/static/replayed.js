// Games that are replayed by their rules: a module of WebAssembly makes the scenes of a recorded game from its actions.

// Open a module; the function that it returns gives a game's scenes, as a seat knows them, or −1 for everything.
export async function rules(code, { state, actions, rows, columns }) {
  const { instance: { exports: it } } = await WebAssembly.instantiate(code, {});
  let end = it.__heap_base.value;
  const [s, mask, out] = [state, actions, 4 * rows * columns].map((size) => {
    const at = end;
    end += Math.ceil(size / 16) * 16;
    return at;
  });
  const missing = end - it.memory.buffer.byteLength;
  if (missing > 0) it.memory.grow(Math.ceil(missing / 65536));
  const drawn = new Int32Array(it.memory.buffer, out, rows * columns);

  function scene(seat) {
    const count = it.scene(s, seat, mask, out);
    return Array.from({ length: count }, (_, i) => [...drawn.subarray(i * columns, (i + 1) * columns)]);
  }

  return (seed, starter, moves, seat) => {
    it.start(s, BigInt.asIntN(64, BigInt(seed)), starter);
    return [scene(seat), ...moves.map((move) => (it.play(s, move), scene(seat)))];
  };
}
