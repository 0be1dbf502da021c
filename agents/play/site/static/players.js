// Those who play a game: scripted players, and trained policies with their numbers.

import { bytes } from "./given.js";

/** A scripted player with a source of chance of its own. */
export class Player {
  #level;
  #luck;

  constructor(game, level, name, luck) {
    this.game = game;
    this.name = name;
    this.#level = level;
    this.#luck = luck;
  }

  /** Return the action for a view and a mask of legal actions. */
  act(view, mask) { return this.game.decide(this.#level, view, mask, this.#luck); }

  /** Return the action for the seat to move at a table. */
  move(table) { return this.act(table.view(), table.mask()); }
}

/** A condensed policy, compiled with its game: it plays the legal action that its network rates highest. */
export class Policy {
  #places;

  constructor(game, name, places) {
    this.game = game;
    this.name = name;
    this.#places = places;
  }

  /** Return the action for a view and a mask of legal actions. */
  act(view, mask) { return this.game.answer(view, mask, this.#places); }

  /** Return the action for the seat to move at a table. */
  move(table) { return this.act(table.view(), table.mask()); }
}

let forward = null; // the compiled code that answers for all networks

/** A trained policy from an ONNX file, which plays the legal action that its network rates highest. */
export class Network {
  #answer;
  #reads;

  constructor(game, { name, reads }, answer) {
    this.game = game;
    this.name = name;
    this.#reads = reads;
    this.#answer = answer;
  }

  /** Read the bytes of its program; the code that runs it is loaded with the first one, from the URL that `place` gives. */
  static async open(game, policy, numbers, place) {
    const { name } = policy;
    const { network } = await import("./forward.js");
    forward ??= bytes(place()).then((code) => WebAssembly.compile(code));
    forward.catch(() => { forward = null; }); // the next call tries again
    const code = await forward;
    try {
      return new Network(game, policy, await network(code, numbers));
    } catch (error) {
      throw new Error(`the policy ${name} cannot be read: ${error.message}`);
    }
  }

  /** Return what the network says of each action for a view. */
  logits(view) { return this.#answer(view.subarray(0, this.#reads)); }

  /** Return the action for a view and a mask of legal actions. */
  act(view, mask) {
    this.game.check(view, mask);
    const logits = this.logits(view);
    if (logits.length !== mask.length) throw new Error(`the policy ${this.name} rates ${logits.length} actions, not ${mask.length}`);
    let best = mask.findIndex(Boolean);
    logits.forEach((one, action) => { if (mask[action] && one > logits[best]) best = action; });
    return best;
  }

  /** Return the action for the seat to move at a table. */
  move(table) { return this.act(table.view(), table.mask()); }
}

// The numbers of a file as words of 32 bits; halves become floats.
export function words(bytes, kind) {
  if (!kind.endsWith("f2")) return new Uint32Array(bytes.buffer);
  const floats = Float32Array.from(new Uint16Array(bytes.buffer), (half) => {
    const [power, part] = [(half >> 10) & 31, half & 1023];
    return (half >> 15 ? -1 : 1) * (power ? 2 ** (power - 15) * (1 + part / 1024) : 2 ** -24 * part);
  });
  return new Uint32Array(floats.buffer);
}
