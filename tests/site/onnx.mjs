// Answer views with a network: node onnx.mjs onnx.js FILE.onnx VIEWS.json Int8Array, which may be any kind of array.

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [, , script, file, views, kind] = process.argv;
const { network } = await import(pathToFileURL(script));
try {
  const answer = network(await readFile(file));
  const given = JSON.parse(await readFile(views, "utf-8")).map((view) => globalThis[kind].from(view));
  const logits = given.map((view) => [...answer(view)]);
  const began = performance.now();
  for (const view of given) answer(view);
  console.log(JSON.stringify({ logits, seconds: (performance.now() - began) / given.length }));
} catch (error) {
  console.log(JSON.stringify({ why: error.message }));
}
