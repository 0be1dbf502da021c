// A game of kozyr in WebAssembly: rules, views, masks, drawings and scripted players, the same bytes as in Python.
// Nothing here knows a game; what a game is like stands in the `about` of its own file.

import { bytes, chance, filled, seeded, whole } from "./given.js";
import { Network, Player, Policy, words } from "./players.js";
import { Search } from "./search.js";

export { Network, Player, Policy, Search };

const FORMAT = 1;
const FORWARD = "forward.wasm"; // runs the networks of all games
const GENERATOR = 16; // bytes

/** Open a game: `source` is a URL, a Response, the bytes, or a compiled WebAssembly.Module; `files` gives the URLs of other files by
 * their names, or is the URL of a file beside them. */
export async function open(source, about, files = {}) {
  if (about.format !== FORMAT) throw new Error(`this kozyr.js reads format ${FORMAT}, not ${about.format}: write both anew`);
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(await bytes(source));
  return new Game((await WebAssembly.instantiate(module, { env: Math })).exports, about, files);
}

export class Game {
  #at;
  #end;
  #guest = null;
  #files;
  #policies = new Map();
  #searching = null;

  constructor(code, about, files = {}) {
    this.about = about;
    this.code = code;
    this.#files = files;
    this.View = { 1: Int8Array, 2: Int16Array, 4: Int32Array }[about.view.bytes];
    const { rows, columns, choice } = about.scene;
    const sizes = {
      state: about.state.size, view: about.view.size * about.view.bytes, mask: about.actions,
      luck: GENERATOR, scene: 4 * rows * columns, row: 4 * choice,
    };
    this.#end = code.__heap_base.value;
    this.#at = {};
    for (const [name, size] of Object.entries(sizes)) this.#at[name] = this.#room(size);
    this.#reach();
  }

  // Set bytes apart, and return their address.
  #room(size) {
    const at = this.#end;
    this.#end += Math.ceil(size / 16) * 16;
    const missing = this.#end - this.code.memory.buffer.byteLength;
    if (missing > 0) this.code.memory.grow(Math.ceil(missing / 65536));
    return at;
  }

  // Make the arrays over the module's memory, which it loses when it grows.
  #reach() {
    const { buffer } = this.code.memory;
    const { state, view, actions, scene } = this.about;
    this.state = new Uint8Array(buffer, this.#at.state, state.size);
    this.header = new DataView(buffer, this.#at.state, state.size);
    this.seen = new this.View(buffer, this.#at.view, view.size);
    this.marked = new Int8Array(buffer, this.#at.mask, actions);
    this.luck = new Uint8Array(buffer, this.#at.luck, GENERATOR);
    this.drawn = new Int32Array(buffer, this.#at.scene, scene.rows * scene.columns);
    this.row = new Int32Array(buffer, this.#at.row, scene.choice);
  }

  /** Deal a game; the same seed deals the same game everywhere. `starter` is the seat that begins, −1 lets the seed draw it. */
  deal(seed = chance(), starter = -1) {
    const number = seeded(seed);
    whole("starter", starter, -1, this.about.seats - 1);
    this.leave();
    this.code.start(this.#at.state, number, starter);
    return this.#guest = new Table(this, null);
  }

  /** Return a state that fits what a seat sees; the owner of the view is seat 0 there. */
  imagine(view, seed = chance()) {
    const number = seeded(seed);
    this.leave();
    this.seen.set(this.#viewed(view));
    this.code.imagine(this.#at.view, number, this.#at.state);
    return this.#guest = new Table(this, null);
  }

  /** Return a scripted player by its name, one of `about.players`. */
  player(name, seed = 0) {
    const level = this.about.players.indexOf(name);
    if (level < 0) throw new RangeError(`${name} is no player of ${this.about.game}: it has ${this.about.players.join(", ")}`);
    this.code.seed(this.#at.luck, seeded(seed));
    return new Player(this, level, name, this.luck.slice());
  }

  /** Load a trained policy, the first one unless it is named, and return it as a player; `source` is its file, a Response or the bytes. */
  policy(name = this.about.policies[0]?.name, source = undefined) {
    const { policies, game } = this.about;
    const found = policies.find((one) => one.name === name);
    if (!found) return Promise.reject(new RangeError(policies.length ? `${name} is no policy of ${game} here: it has ${policies.map((one) => one.name).join(", ")}` : `there is no policy for ${game} with these options`));
    if (!this.#policies.has(name)) {
      this.#policies.set(name, this.#loaded(found, source).catch((error) => {
        this.#policies.delete(name); // the next call tries again
        throw error;
      }));
    }
    return this.#policies.get(name);
  }

  async #loaded(policy, source) {
    const { name, bytes: size, arrays } = policy;
    const numbers = new Uint8Array(await bytes(source ?? this.#file(policy.file)));
    if (numbers.length !== size) throw new Error(`the numbers of ${name} have ${numbers.length} bytes, not ${size}: write both files anew`);
    return arrays ? new Policy(this, name, this.#stored(numbers, arrays)) : Network.open(this, policy, numbers, () => this.#file(FORWARD));
  }

  // Return the URL of a file that belongs to the game.
  #file(name) {
    return typeof this.#files === "object" && !(this.#files instanceof URL) ? this.#files[name]() : new URL(name, this.#files);
  }

  // Put the numbers of a condensed policy into the module's memory, and return where its arrays lie.
  #stored(numbers, arrays) {
    const places = arrays.map(([, , count]) => this.#room(4 * count));
    this.#reach();
    let at = 0;
    arrays.forEach(([, kind, count], i) => {
      const end = at + count * Number(kind.at(-1));
      new Uint32Array(this.code.memory.buffer, places[i], count).set(words(numbers.slice(at, end), kind));
      at = end;
    });
    return places;
  }

  /** Load the search and return it as a player, which imagines so many worlds a move; `source` is its module. */
  async search(worlds = this.about.search?.worlds, source) {
    const { search, game } = this.about;
    if (!search) throw new RangeError(`there is no search of ${game} here: write it with kozyr wasm --search`);
    whole("worlds", worlds, 1, 1e6);
    this.#searching ??= WebAssembly.compile(await bytes(source ?? this.#file(search.file)));
    return new Search(this, (await WebAssembly.instantiate(await this.#searching, { env: Math })).exports, worlds);
  }

  /** Return a view by its parts: typed arrays over the same numbers. */
  parts(view) {
    const it = this.#viewed(view);
    return Object.fromEntries(Object.entries(this.about.view.parts).map(([name, [first, end]]) => [name, it.subarray(first, end)]));
  }

  #viewed(view) {
    if (view.length !== this.about.view.size) throw new RangeError(`a view of ${this.about.game} has ${this.about.view.size} numbers, not ${view.length}`);
    return view;
  }

  // One table at a time lies in the module's memory; the others keep their bytes.
  enter(table) {
    if (this.#guest === table) return;
    this.leave();
    this.state.set(table.kept);
    table.kept = null;
    this.#guest = table;
  }

  leave() {
    if (this.#guest) this.#guest.kept = this.state.slice();
    this.#guest = null;
  }

  legal() { this.code.legal(this.#at.state, this.#at.mask); return this.marked; }
  play(action) { this.code.play(this.#at.state, action); }
  observe(seat) { this.code.observe(this.#at.state, seat, this.#at.view); return this.seen; }
  draw(seat) { return this.drawn.subarray(0, this.about.scene.columns * this.code.scene(this.#at.state, seat, this.#at.mask, this.#at.scene)); }
  choice(action) { this.code.elements(this.#at.state, action, this.#at.row); return this.row; }

  // Throw unless a player can be asked this.
  check(view, mask) {
    this.#viewed(view);
    if (mask.length !== this.about.actions) throw new RangeError(`a mask of ${this.about.game} has ${this.about.actions} numbers, not ${mask.length}`);
    if (!mask.some(Boolean)) throw new RangeError("nothing is legal, so there is nothing to decide");
  }

  // Put what a player is asked into the module's memory.
  #ask(view, mask) {
    this.check(view, mask);
    this.seen.set(view);
    this.marked.set(mask);
  }

  answer(view, mask, places) {
    this.#ask(view, mask);
    return this.code.answer(this.#at.view, this.#at.mask, ...places);
  }

  decide(level, view, mask, luck) {
    this.#ask(view, mask);
    this.luck.set(luck);
    const action = this.code.decide(level, this.#at.view, this.#at.mask, this.#at.luck);
    luck.set(this.luck);
    return action;
  }
}

/** A game in progress. */
export class Table {
  #mask = null; // an array of its own, once it is asked for, and
  #known = false; // whether it is of this position

  constructor(game, kept) {
    this.game = game;
    this.kept = kept; // its bytes while another table lies in memory
  }

  #field(name) {
    this.game.enter(this);
    return this.game.header.getInt32(this.game.about.state[name], true);
  }

  /** The seat to move, from 0; −1 once the game is over. */
  get turn() { return this.#field("turn"); }
  get over() { return this.turn < 0; }
  /** Actions played so far. */
  get ply() { return this.#field("ply"); }
  /** Whether a limit ended the game. */
  get truncated() { return this.#field("truncated") === 1; }
  /** The seat that began. */
  get starter() { return this.#field("starter"); }
  /** A payoff for each seat; zeros until the game is over. */
  get payoffs() {
    this.game.enter(this);
    const { seats, state } = this.game.about;
    return Array.from({ length: seats }, (_, k) => this.game.header.getFloat32(state.payoff + 4 * k, true));
  }

  #legal() {
    if (!this.#known) {
      this.game.enter(this);
      (this.#mask ??= new Int8Array(this.game.about.actions)).set(this.game.legal());
      this.#known = true;
    }
    return this.#mask;
  }

  /** 1 for each legal action of the seat to move; in an array of yours, if you give one to be used again. */
  mask(into) { return filled(into, this.#legal()); }

  /** The numbers of the legal actions. */
  legal() {
    const found = [];
    this.#legal().forEach((marked, action) => { if (marked) found.push(action); });
    return found;
  }

  /** What a seat knows; the seat to move unless one is given. In an array of yours, if you give one to be used again. */
  view(seat = Math.max(this.turn, 0), into = undefined) {
    whole("seat", seat, 0, this.game.about.seats - 1);
    this.game.enter(this);
    return filled(into, this.game.observe(seat));
  }

  play(action) {
    whole("an action", action, 0, this.game.about.actions - 1);
    if (!this.#legal()[action]) throw new RangeError(`action ${action} is not legal here`);
    this.game.enter(this);
    this.game.play(action);
    this.#known = false;
    return this;
  }

  /** Rows of the drawing that a seat sees; −1 sees everything, −2 what everybody knows. */
  scene(seat = -1) {
    whole("seat", seat, -2, this.game.about.seats - 1);
    this.game.enter(this);
    return this.game.draw(seat).slice();
  }

  /** How a person makes an action: which elements of the drawing it uses. */
  elements(action) {
    whole("an action", action, 0, this.game.about.actions - 1);
    this.game.enter(this);
    return this.game.choice(action).slice();
  }

  copy() {
    this.game.enter(this);
    return new Table(this.game, this.game.state.slice());
  }
}
