// Games that this browser has finished without a server: it keeps their records, and gives them away as a file.

import { isObject, isText, store, stored } from "./storage.js";

const MOST = 50;
const fits = (one) => isObject(one) && isText(one.line) && isText(one.says);

export const records = () => stored("records", Array.isArray, []).filter(fits);

export function keepRecord(line, says) {
  store("records", [{ line, says }, ...records()].slice(0, MOST));
}

// Add records from elsewhere behind the own ones, each once.
export function addRecords(found) {
  const own = records();
  const lines = new Set(own.map((one) => one.line));
  const more = found.filter((one) => fits(one) && !lines.has(one.line));
  store("records", [...own, ...more.map(({ line, says }) => ({ line, says }))].slice(0, MOST));
}

export function file() {
  const lines = records().map((one) => `${one.line}\n`).reverse();
  return new Blob(lines, { type: "application/json" });
}
