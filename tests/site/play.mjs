// Play games of a module and print what happened as a digest; tests/site/native.py does the same without WebAssembly.
//   node play.mjs FOLDER/GAME.js GAMES PLAYER LIMIT
// PLAYER "" chooses by a small generator; then every view, mask, drawing and imagined state is in the digest.

import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";

const [, , file, games, name, limit] = process.argv;
const game = await (await import(pathToFileURL(file))).default();
const hash = createHash("sha256");
const add = (array) => hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
const NOW_AND_THEN = 7;
let plies = 0;
let moves = 0;

function look(table, x) {
  for (let seat = 0; seat < game.about.seats; seat++) add(table.view(seat));
  if (table.ply % NOW_AND_THEN) return;
  for (let seat = -2; seat < game.about.seats; seat++) add(table.scene(seat));
  const world = game.imagine(table.view(), x);
  for (let seat = 0; seat < game.about.seats; seat++) add(world.view(seat));
  add(world.mask());
  for (const action of table.legal()) add(table.elements(action));
}

const began = performance.now();
for (let seed = 1; seed <= games; seed++) {
  const table = game.deal(seed);
  const player = name && game.player(name, seed);
  let x = seed;
  while (!table.over && table.ply < limit) {
    const mask = table.mask();
    if (!name) {
      add(mask);
      look(table, x);
    }
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    const legal = table.legal();
    const action = name ? player.act(table.view(), mask) : legal[(x >>> 8) % legal.length];
    if (name) add(Int32Array.of(action));
    table.play(action);
    plies++;
  }
  add(Float32Array.from(table.payoffs));
  moves += table.ply;
}
console.log(JSON.stringify({ digest: hash.digest("hex"), plies, moves, seconds: (performance.now() - began) / 1000 }));
