// Plies a second of random games with masks and views, a round a line: node rate.mjs FOLDER/GAME.js ROUNDS SECONDS

import { pathToFileURL } from "node:url";

const [, , file, rounds, seconds] = process.argv;
const game = await (await import(pathToFileURL(file))).default();
let x = 1;
let view, mask; // used again at every ply

function play(until) {
  let plies = 0;
  while (performance.now() < until) {
    const table = game.deal(x);
    while (!table.over) {
      view = table.view(undefined, view);
      mask = table.mask(mask);
      let count = 0;
      for (let i = 0; i < mask.length; i++) count += mask[i];
      x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
      let left = (x >>> 8) % count;
      let action = -1;
      while (left >= 0) left -= mask[++action];
      table.play(action);
      plies++;
    }
  }
  return plies;
}

play(performance.now() + 500); // until the engine has compiled what it runs
for (let i = 0; i < rounds; i++) {
  const began = performance.now();
  const plies = play(began + 1000 * seconds);
  console.log((1000 * plies) / (performance.now() - began));
}
