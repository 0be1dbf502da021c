// Games that this browser has finished without a server: it keeps their records, and gives them away as a file.

const KEY = "kozyr-records";
const MOST = 50;

export function records() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) || "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one.line === "string" && typeof one.says === "string") : [];
  } catch {
    return [];
  }
}

export function keepRecord(line, says) {
  try {
    localStorage.setItem(KEY, JSON.stringify([{ line, says }, ...records()].slice(0, MOST)));
  } catch {
    // a browser that keeps nothing plays all the same
  }
}

export function file() {
  const lines = records().map((one) => `${one.line}\n`).reverse();
  return new Blob(lines, { type: "application/json" });
}
