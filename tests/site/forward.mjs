// Answer views with programs, a row of {file, views, kind} each: node forward.mjs forward.js forward.wasm ROWS.json

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [, , script, module, rows] = process.argv;
const { network } = await import(pathToFileURL(script));
const code = await WebAssembly.compile(await readFile(module));

async function answered({ file, views, kind }) {
  try {
    const answer = await network(code, new Uint8Array(await readFile(file)));
    return { logits: views.map((view) => [...answer(globalThis[kind].from(view))]) };
  } catch (error) {
    return { why: error.message };
  }
}

const answers = [];
for (const row of JSON.parse(await readFile(rows, "utf-8"))) answers.push(await answered(row));
console.log(JSON.stringify(answers));
