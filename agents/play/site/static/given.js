// What those who use a game give: files, numbers, arrays to fill.

const FILES = "node:fs/promises"; // apart from its import: a bundler for pages would look for it

export async function bytes(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  if (typeof Response !== "undefined" && source instanceof Response) return source.arrayBuffer();
  if (String(source).startsWith("file:") && typeof process !== "undefined") {
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ FILES);
    return readFile(new URL(source));
  }
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`${source} answers ${answer.status}`);
  return answer.arrayBuffer();
}

export function whole(name, value, least, most) {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
  }
  return value;
}

/** Return a seed as a BigInt; a Number that is not exact has been rounded before, and is refused. */
export function seeded(seed) {
  const plain = typeof seed === "bigint" || Number.isInteger(seed) || (typeof seed === "string" && /^\d+$/.test(seed));
  const number = plain ? BigInt(seed) : -1n;
  if (number < 0n || number >= 2n ** 63n) throw new RangeError(`a seed is a whole number from 0 to 2**63 - 1, not ${String(seed)}`);
  if (typeof seed === "number" && !Number.isSafeInteger(seed)) {
    throw new RangeError("a Number from 2**53 on is rounded: write the seed as a BigInt or as a string");
  }
  return number;
}

// Copy numbers into an array that may be given, or into a new one: a new one takes ten times as long.
export function filled(into, numbers) {
  if (into === undefined) return numbers.slice();
  const fits = into instanceof numbers.constructor && into.length === numbers.length;
  if (!fits) throw new RangeError(`the array to fill is an ${numbers.constructor.name} of ${numbers.length}`);
  into.set(numbers);
  return into;
}

export const chance = () => crypto.getRandomValues(new BigUint64Array(1))[0] >> 1n;
