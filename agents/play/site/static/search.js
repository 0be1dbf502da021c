// Perfect information Monte Carlo, as kozyr.agents.search.pimc: the strongest scripted player's action, unless another
// one is clearly better in imagined worlds. It takes its time: in a page, let a worker do it.

import { chance, seeded } from "./given.js";

const PORTION = 20; // worlds between two looks at the candidates
const HOPELESS = -1.5; // candidates whose paired difference has a lower z are dropped
const LUCK = 2.05; // standard errors by which one time in fifty is better than the mean

/** A search player; its module is loaded by `game.search()`. */
export class Search {
  #code;
  #at;
  #arrays;

  constructor(game, exports, worlds) {
    const { search, view, actions } = game.about;
    this.game = game;
    this.name = search.name;
    this.worlds = worlds;
    this.#code = exports;
    const sizes = [view.size * view.bytes, actions, 8 * actions, 8 * actions, 16, 24, ...search.room, 16];
    let end = exports.__heap_base.value;
    this.#at = sizes.map((size) => {
      const at = end;
      end += Math.ceil(size / 16) * 16;
      return at;
    });
    const missing = end - exports.memory.buffer.byteLength;
    if (missing > 0) exports.memory.grow(Math.ceil(missing / 65536));
    const { buffer } = exports.memory;
    const kinds = [[game.View, view.size], [Int8Array, actions], [Float64Array, actions], [Float64Array, actions], [Float64Array, 2], [BigInt64Array, 3]];
    this.#arrays = kinds.map(([Kind, count], i) => new Kind(buffer, this.#at[i], count));
  }

  /** Return the action for the seat to move at a table. */
  move(table, seed) { return this.act(table.view(), table.mask(), seed); }

  /** Return the action for a view and a mask of legal actions; the same seed finds the same. */
  act(view, mask, seed = chance()) {
    const base = this.game.player(this.game.about.players.at(-1), seed).act(view, mask);
    if (mask.reduce((sum, one) => sum + one, 0) === 1) return base;
    const [seen, alive, sums, squares, due, place] = this.#arrays;
    seen.set(view);
    alive.set(mask);
    for (const numbers of [sums, squares, due]) numbers.fill(0);
    place.set([0n, -1n, 0n]);
    let z = [];
    for (let first = 0; first < this.worlds; first += PORTION) {
      const last = Math.min(first + PORTION, this.worlds);
      this.#compare(base, seed, first, last);
      z = Array.from(sums, (sum, action) => score(sum, squares[action], last));
      const least = Math.max(HOPELESS, (this.game.about.search.z * Math.sqrt(this.worlds) - LUCK * Math.sqrt(this.worlds - last)) / Math.sqrt(last));
      z.forEach((one, action) => { if (one < least) alive[action] = 0; });
      alive[base] = 1;
      if (alive.reduce((sum, one) => sum + one, 0) === 1) break;
    }
    let best = base;
    z.forEach((one, action) => {
      const better = alive[action] && one > this.game.about.search.z;
      if (better && (best === base || sums[action] > sums[best])) best = action;
    });
    return best;
  }

  #compare(base, seed, first, last) {
    const [view, alive, ...more] = this.#at;
    const numbers = [BigInt(base), seeded(seed), BigInt(first), BigInt(last)];
    this.#code.compare(view, alive, ...numbers, ...more, more.at(-1));
  }
}

// z of the mean of `n` differences from their sum and their sum of squares.
function score(sum, square, n) {
  if (n < 2) return 0;
  const variance = Math.max(square - (sum * sum) / n, 0) / (n - 1);
  return sum / Math.sqrt(Math.max(n * variance, 1e-12));
}
