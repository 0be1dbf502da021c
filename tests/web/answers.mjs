// Answer positions, a view and a mask each: node answers.mjs FOLDER/GAME.js POSITIONS.json

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [, , file, positions] = process.argv;
const game = await (await import(pathToFileURL(file))).default();
const policy = await game.policy();
const asked = JSON.parse(await readFile(positions, "utf-8"));
const actions = asked.map(([view, mask]) => policy.act(game.View.from(view), Int8Array.from(mask)));
console.log(JSON.stringify({ name: policy.name, actions, again: policy === (await game.policy()) }));
