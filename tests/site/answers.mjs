// Answer positions, each a view, a mask and a seed: node answers.mjs FOLDER/GAME.js POSITIONS.json policy|search

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [, , file, positions, kind] = process.argv;
const game = await (await import(pathToFileURL(file))).default();
const player = await game[kind]();
const asked = JSON.parse(await readFile(positions, "utf-8"));
const began = performance.now();
const actions = asked.map(([view, mask, seed]) => player.act(game.View.from(view), Int8Array.from(mask), seed));
const seconds = (performance.now() - began) / 1000;
console.log(JSON.stringify({ name: player.name, actions, seconds, again: player === (await game[kind]()) }));
