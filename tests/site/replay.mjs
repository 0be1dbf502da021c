// Print the scenes of a recorded game as the viewer's page makes them: node replay.mjs MODULE.wasm GAME.json

import { readFile } from "node:fs/promises";

const [, , module, game] = process.argv;
const { rules } = await import(new URL("../../envs/viewer/static/replayed.js", import.meta.url));
const { sizes, seed, starter, actions, seats } = JSON.parse(await readFile(game, "utf-8"));
const play = await rules(await readFile(module), sizes);
console.log(JSON.stringify(seats.map((seat) => play(seed, starter, actions, seat))));
