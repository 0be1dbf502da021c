// The engine of a page without a server: the game runs in the browser, as WebAssembly, and scripted players answer.
// It takes and gives the messages of PROTOCOL.md.

import { gettext, language, noop, say, translate } from "./language.js";
import { fill } from "../viewer/words.js";
import { keepRecord } from "./records.js";
import { thinker } from "./thinker.js";

const PAUSE = 600; // milliseconds before a scripted player answers, unless the address says `pause`
const LEGAL = 1; // the flag of a scene's row; the choices tell what may be played
const FLAGS = 8;
const [HOW, SAID, SAID_A, TARGET, COUNT, KEYS] = [0, 1, 2, 5, 6, 7]; // of a choice, see envs/core/input_spec.py
const SEEDS = 2n ** 63n; // seeds are below; they are BigInts, for a Number would be rounded from 2 ** 53 on
const RESULTS = { 1: noop("won"), [-1]: noop("lost"), 0: noop("drew") };

/** Return the engine of the game that an address asks for: `folder` holds the games, `hash` is what stands behind #. */
export async function localEngine(folder, hash) {
  const asked = new URLSearchParams(hash);
  const name = asked.get("game");
  if (!/^[a-z][a-z0-9_-]*$/.test(name ?? "")) {
    location.replace(file("index"));
    return new Promise(() => {});
  }
  const place = new URL(`${folder}/${name}.js`, document.baseURI);
  const { default: open } = await import(place);
  const game = await open();
  const loaded = new Loaded(game, place);
  return new LocalEngine(game, asked, loaded, await loaded.player(asked.get("against")).catch(() => null));
}

// The file of a page in the language of this one.
const file = (name) => `${name}${language === "en" ? "" : `.${language}`}.html`;

// Words of an action, as `say` of language.js has them.
const said = (words, phrase) => say(words, phrase, {}, []);

const drawn = () => crypto.getRandomValues(new BigUint64Array(1))[0] % SEEDS;

// Return whether a text is a seed, as records and the server's pages write it.
const isSeed = (text) => /^\d{1,19}$/.test(text) && BigInt(text) < SEEDS;

// Players that are loaded when somebody wants them: a trained policy, and a search that thinks in a worker.
class Loaded {
  constructor(game, place) {
    this.game = game;
    this.place = place;
    this.policies = game.about.policies.map((one) => one.name);
    this.names = [game.about.search?.name, ...this.policies].filter(Boolean);
  }

  async player(name) {
    const { search } = this.game.about;
    if (this.policies.includes(name)) return this.game.policy(name);
    return name && name === search?.name ? (this.thinker ??= await thinker(this.place, name)) : null;
  }
}

class LocalEngine {
  // `other` is the opponent that was loaded, or null: then a scripted one plays.
  constructor(game, asked, loaded, other) {
    this.game = game;
    this.asked = asked;
    this.loaded = loaded;
    const { seats, players } = game.about;
    this.seat = Math.min(Math.max(Number(asked.get("seat")) || 0, 0), seats - 1);
    const seed = asked.get("seed") || null; // an empty one stands for any
    this.seed = isSeed(seed) ? BigInt(seed) : drawn();
    this.pause = asked.has("pause") ? Number(asked.get("pause")) || 0 : PAUSE;
    const wanted = asked.get("against");
    const against = other?.name ?? (players.includes(wanted) ? wanted : players.at(-1));
    this.table = game.deal(this.seed);
    this.players = Array.from({ length: seats }, (_, k) => (k === this.seat ? null : (other ?? game.player(against, drawn()))));
    const others = this.players.filter(Boolean).length;
    this.names = this.players.map((one, k) => (one ? (others > 1 ? `${against} ${k + 1}` : against) : "Guest"));
    const troubles = [
      wanted && wanted !== against && gettext("{0} could not be loaded. {1} plays instead.", wanted, against),
      seed && !isSeed(seed) && gettext("{0} is no seed: that is a whole number below 2⁶³. Another deal is played.", seed),
    ];
    this.missing = troubles.filter(Boolean).join(" ");
    const called = loaded.policies.includes(against) ? against : `${game.about.game.replace(/_v\d+$/, "")}:${against}`;
    this.agents = this.players.map((one) => (one ? called : "human"));
    this.actions = [];
    this.log = [[0, this.table.starter, gettext("begins")]];
    this.before = []; // what an undo goes back to: tables at which this seat was to move
    this.number = 0;
  }

  on(hear) {
    this.hear = hear;
    const { about } = this.game;
    hear({
      t: "welcome", table: "", game: about.game, title: about.title, options: about.options, seats: about.seats,
      seat: this.seat, host: true, names: this.names, kinds: this.players.map((one) => (one ? "agent" : "me")),
      labels: about.labels, ranks: about.ranks, log: this.log, hints: [...about.players.toReversed(), ...this.loaded.names],
      clock: null, links: null, lobby: `${file("index")}#${this.asked.get("game")}`,
      rules: `rules/${file(about.game.replace(/_v\d+$/, ""))}`,
      guide: `rules/${file(`how_to_play_${about.game.replace(/_v\d+$/, "")}`)}`,
    });
    this.tell([]);
    if (this.missing) hear({ t: "lost", why: this.missing });
    this.wait();
  }

  send(message) {
    const answer = this[`on_${message.t}`];
    if (answer) answer.call(this, message);
    else this.hear({ t: "refused", why: gettext("A page without a server cannot do that.") });
  }

  on_play({ ply, action }) {
    if (ply !== this.table.ply || this.table.turn !== this.seat) return;
    this.before.push({ table: this.table.copy(), actions: this.actions.length, log: this.log.length });
    this.play(action);
  }

  on_undo() {
    const kept = this.before.pop();
    if (!kept) return;
    clearTimeout(this.waiting);
    this.table = kept.table;
    this.actions.length = kept.actions;
    this.log.length = kept.log;
    this.tell([]);
  }

  async on_hint({ agent }) {
    const { game, table } = this;
    const { ply, turn } = table;
    if (turn !== this.seat) return;
    const [view, mask, there] = [table.view(), table.mask(), table.copy()]; // what is on the table may change while numbers are loaded
    try {
      const player = (await this.loaded.player(agent)) ?? game.player(agent, drawn());
      const action = await player.act(view, mask);
      this.hear({ t: "advice", ply, agent, kind: "probabilities", rows: [[action, 1, null, null]], words: [this.said(there, action)] });
    } catch {
      this.hear({ t: "refused", why: gettext("{0} could not be loaded.", agent) });
    }
  }

  on_again({ how }) {
    const next = new URLSearchParams(this.asked);
    const { seats } = this.game.about;
    next.set("seed", how === "duplicate" ? this.seed : drawn());
    if (how !== "again") next.set("seat", (this.seat + 1) % seats);
    this.hear({ t: "moved", to: `${location.pathname}#${next}` });
  }

  play(action) {
    const { turn, ply } = this.table;
    const hidden = turn === this.seat ? undefined : this.game.about.heard[action];
    const said = hidden === undefined ? this.said(this.table, action) : this.heard(action, hidden);
    this.table.play(action);
    this.actions.push(action);
    const line = [ply + 1, turn, said];
    this.log.push(line);
    this.tell([line]);
    this.wait();
  }

  // Let a scripted player answer after a pause.
  wait() {
    const player = this.table.over ? null : this.players[this.table.turn];
    if (player) this.waiting = setTimeout(() => this.answered(player), this.pause);
  }

  async answered(player) {
    const { table } = this;
    try {
      const action = await player.act(table.view(), table.mask());
      if (table === this.table) this.play(action); // else the move before was taken back meanwhile
    } catch (error) {
      this.hear({ t: "lost", why: gettext("{0} cannot go on: load this page again.", player.name) });
      throw error;
    }
  }

  tell(events) {
    const { table } = this;
    const mine = table.turn === this.seat;
    this.hear({
      t: "state", ply: table.ply, turn: table.turn, number: ++this.number, scene: this.scene(), events,
      choices: mine ? table.legal().map((action) => this.choice(action)) : [], undo: this.before.length > 0 && !table.over,
      left: null, deadline: null, over: table.over ? this.over() : null, pace: null,
    });
  }

  scene() {
    const { columns } = this.game.about.scene;
    const cells = this.table.scene(this.seat);
    const rows = [];
    for (let i = 0; i < cells.length / columns; i++) {
      const row = [...cells.subarray(i * columns, (i + 1) * columns)];
      row[FLAGS] &= ~LEGAL;
      rows.push([i, ...row]);
    }
    return { from: this.number - 1, count: rows.length, rows };
  }

  choice(action) {
    const row = this.table.elements(action);
    return [action, this.said(this.table, action, row), row[HOW], row[SAID_A], row[TARGET], [...row.subarray(KEYS, KEYS + row[COUNT])]];
  }

  // What a legal action of the seat to move is called: on its button, in the list of moves, as advice.
  said(table, action, row = table.elements(action)) {
    const label = this.game.about.labels[row[SAID]];
    if (label !== undefined) return fill(translate(label), row.subarray(SAID_A, SAID_A + 3), this.names);
    return said(this.game.about.words[action], this.game.about.phrases[action]);
  }

  // What another seat's action is called that not everybody may know.
  heard(action, words) {
    return said(words, this.game.about.heardPhrases[action]);
  }

  over() {
    const { payoffs, truncated } = this.table;
    const results = payoffs.map((payoff) => RESULTS[payoff] ? gettext(RESULTS[payoff]) : `${payoff > 0 ? "+" : "−"}${Number(Math.abs(payoff).toPrecision(3))}`);
    this.line ??= this.record();
    return { payoffs, results, truncated, record: URL.createObjectURL(new Blob([`${this.line}\n`], { type: "application/json" })) };
  }

  // The game as a record that `kozyr replay` reads; the browser keeps it.
  record() {
    const { about } = this.game;
    const facts = JSON.stringify({
      kozyr: 1, game: about.game, package: about.kozyr, variant: about.options,
      starter: this.table.starter, actions: this.actions, payoffs: this.table.payoffs.map((one) => Number(one.toPrecision(6))),
      truncated: this.table.truncated, agents: this.agents,
    });
    const line = `${facts.slice(0, -1)},"seed":${this.seed}}`; // JSON.stringify takes no BigInt
    keepRecord(line, `${about.title}: ${this.names.map((name, k) => gettext("{0} {1}", name, gettext(RESULTS[this.table.payoffs[k]] ?? "")).trim()).join(", ")}`);
    return line;
  }
}
