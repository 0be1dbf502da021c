// A table in the browser. It knows no rules: it shows what its engine sends and sends back numbers of actions.

import { changed, loadFaces } from "../viewer/scene.js";
import { ACTION, KEYS, WORDS, amounts, buttons } from "./choose.js";
import { ServerEngine } from "./engine.js";
import { Hand } from "./hand.js";
import { gettext, isGuest, localise } from "./language.js";
import { sound } from "./sound.js";
import { after, rematch, reviewed } from "./after.js";
import { advise, button, last, node, opine, pace, people, tell, unopine, untell } from "./side.js";
import { emote, emoteOf, emoteWords, fillEmotes, listenForName } from "./talk.js";
import { ORDERS, OWN, arrange, facesOf, hand as handOf, sort, sortable } from "./sort.js";
import { cycle, wish } from "./wishes.js";

const find = (name) => document.getElementById(name);
const token = location.hash.slice(1);
const { table, local, how } = find("main").dataset;
const practice = "practice" in find("main").dataset || (local && new URLSearchParams(token).has("practice")); // a hint at each turn
const engine = local ? await (await import("./local.js")).localEngine(local, token) : new ServerEngine(table, token);
const send = (message) => engine.send(message);
const hand = new Hand(find("scene"), { play, chosen, moved });
let welcome = null;
let state = null;
let rows = null;
let here = null;
let since = 0;
let loud = false;
let opined = -1; // the ply that the agents' opinions are about
let asked = false; // whether a move is on its way
let undone = false; // whether the last thing I did was to take a move back: nothing is played for me then
let forced = true; // whether my only moves play themselves
let order = ORDERS[0]; // of my hand
let own = null; // the faces of my cards in the order that I have dragged them into
let hint = null; // the choice that an agent advises
let waiting = 0; // the timer of such a move
const PAUSE = 600; // milliseconds in which one sees it

function play(action) {
  if (asked) return;
  asked = true;
  undone = false;
  clearTimeout(waiting);
  hand.played();
  send({ t: "play", ply: state.ply, action });
}

const only = () => forced && !undone && state?.choices.length === 1;

// Let my only move play itself, after a pause.
function playForced() {
  clearTimeout(waiting);
  if (only()) waiting = setTimeout(() => only() && play(state.choices[0][0]), PAUSE);
}

// Show the scene, my hand in the order that I like.
function lay(fresh, mover) {
  const mine = welcome.seat !== null && sortable(rows, welcome.seat, welcome.ranks);
  find("order").hidden = !mine;
  const shown = lying();
  hand.show(fresh, shown, state.choices, welcome.labels, welcome.names, mover, mine ? handOf(shown, welcome.seat) : []);
  if (hint) hand.mark(hint[KEYS]);
}

// Tell the position, if anybody reads it: as the scene has it or, where there is none, in the game's own text.
async function inWords() {
  if (!find("words").open || !state) return;
  const { told } = await import("./told.js"); // which few ask for
  const lines = told(lying(), welcome.labels, welcome.names, welcome.seat);
  if (lines.length) find("text").textContent = lines.join("\n");
  else send({ t: "text" });
}

// The scene with my hand as I like it.
const lying = () => (own ? arrange(rows, welcome.seat, own) : sort(rows, welcome.seat, order, welcome.ranks));

// One of my cards was dragged to another place.
function moved(from, to) {
  own = facesOf(lying(), welcome.seat);
  own.splice(to, 0, ...own.splice(from, 1));
  find("order").textContent = gettext("Hand: {0}", gettext(OWN));
  lay(false, null);
}

function undo() {
  undone = true;
  clearTimeout(waiting);
  send({ t: "undo" });
}

function banner(words, look = "") {
  find("banner").textContent = words;
  find("banner").className = `banner ${look}`;
}

// Show the buttons of what was chosen, or of what needs no element.
function chosen({ offers, why }) {
  const bar = find("buttons");
  if (!state || state.choices.length === 0) {
    bar.replaceChildren();
    return;
  }
  const none = hand.picked.length === 0;
  const shown = (none ? buttons(state.choices) : offers).map((choice) => button(choice[1], () => play(choice[0]), choice === hint ? "wanted" : none ? "" : "go"));
  if (none) shown.push(...slider(amounts(state.choices)));
  else shown.push(button(gettext("Clear"), () => hand.choose([])));
  if (state.undo) {
    const back = button(gettext("Undo"), undo);
    back.setAttribute("aria-describedby", "counts");
    shown.push(back);
  }
  bar.replaceChildren(...shown);
  const asked = only() ? gettext("Your only move: {0}.", state.choices[0][1]) : gettext("Your move.");
  const wise = hint ? ` ${gettext("Hint: {0}.", hint[WORDS])}` : "";
  banner(why || (none ? `${asked}${wise} ${last(state.events, welcome.names)}` : ""), "mine");
}

// A slider, a number and a button for amounts between the least and the most.
function slider(choices) {
  if (choices.length === 0) return [];
  const [least, most] = [choices[0][3], choices.at(-1)[3]];
  const range = node("input");
  const number = node("input");
  Object.assign(range, { type: "range", min: least, max: most, value: least });
  Object.assign(number, { type: "number", min: least, max: most, value: least });
  range.setAttribute("aria-label", gettext("Amount on a slider"));
  number.setAttribute("aria-label", gettext("Amount"));
  const meant = () => choices.find((choice) => choice[3] === Number(number.value));
  const go = button(choices[0][1], () => meant() && play(meant()[0]), "go");
  const say = () => {
    go.disabled = !meant();
    go.textContent = meant() ? meant()[1] : gettext("from {0} to {1}", least, most);
  };
  range.addEventListener("input", () => { number.value = range.value; say(); });
  number.addEventListener("input", () => { range.value = number.value; say(); });
  return least === most ? [go] : [range, number, go];
}

const heard = {
  welcome(message) {
    welcome = message;
    rows = null;
    document.title = `${welcome.title} · kozyr`;
    find("title").textContent = welcome.title;
    const name = welcome.game.replace(/_v\d+$/, "");
    find("rules").href = local ? welcome.rules : `/games/${name}/rules`;
    find("rules").textContent = gettext("Rules of {0}", welcome.title);
    find("rules").hidden = false;
    find("how").href = local ? welcome.guide : `/games/${name}/how-to-play`;
    find("how").hidden = !how.split(" ").includes(name);
    tell(find("log"), welcome.log, welcome.names, true);
    find("hints").hidden = welcome.hints.length === 0;
    find("agent").replaceChildren(...welcome.hints.map((name) => node("option", name)));
    fillEmotes(find("emotes"), welcome.emotes, send);
    if (find("back")?.open) send({ t: "review", run: true }); // the connection was lost meanwhile
  },
  state(message) {
    const fresh = message.scene.from === 0;
    rows = changed(rows ?? [], message.scene);
    const shown = Boolean(state);
    if (loud && shown && message.ply > state.ply) sound(message.over ? "end" : message.choices.length ? "turn" : "move");
    if (shown && message.pace === null && message.ply < state.ply) untell(find("log"), message.ply);
    state = message;
    asked = false;
    since = performance.now();
    if (shown && message.events.length) tell(find("log"), message.events, welcome.names, false);
    find("advice").replaceChildren();
    asking(false);
    if (message.ply !== opined) unopine(find("opinions"), message.turn < 0);
    opined = message.ply;
    hint = null;
    inWords();
    if (rows.length) lay(fresh, message.events.at(-1)?.[1] ?? null);
    else Object.assign(hand, { choices: message.choices, picked: [] });
    chosen({ offers: [], why: "" });
    playForced();
    wait();
    tutor();
    find("hints").hidden = welcome.hints.length === 0 || Boolean(message.over);
    after(find("after"), message.over, welcome, send, token);
    pace(find("pace"), message.pace, send);
    drawPeople();
    mayName();
    counts();
  },
  text(message) {
    Object.assign(find("text"), { lang: "en", textContent: message.text });
  },
  people(message) {
    here = message.here;
    drawPeople();
  },
  names({ names, ratings }) {
    const renamed = names.some((name, seat) => name !== welcome.names[seat]);
    Object.assign(welcome, { names, ratings });
    inWords();
    drawPeople();
    mayName();
    if (!renamed || !rows?.length) return;
    lay(false, null);
    wait();
  },
  emote(message) {
    emote(message, drawPeople);
    find("said").textContent = `${welcome.names[message.seat]}: ${emoteWords(message.emote)}`;
  },
  rematch(message) {
    rematch(find("after"), message, welcome);
  },
  review(message) {
    if (state?.over) reviewed(find("after"), message, welcome, state.over, send);
  },
  advice(message) {
    asking(false);
    if (message.ply !== state.ply) return;
    if (state.pace) opine(find("opinions"), message);
    else advise(find("advice"), message);
    if (!state.pace) show(message);
  },
  refused(message) {
    asked = false;
    asking(false);
    banner(message.why, "wrong");
    hand.choices = state.choices;
  },
  moved(message) {
    const to = new URL(message.to, location.href);
    if (to.origin !== location.origin) return;
    location.assign(to);
    if (to.pathname === location.pathname) location.reload();
  },
  lost(message) {
    banner(message.why, "wrong");
  },
};

const drawPeople = () => state && people(find("people"), welcome, state, here, since, emoteOf);

// Show the form of my name, unfolded while I have none.
function mayName() {
  const form = find("naming");
  if (!form) return;
  form.hidden = welcome.seat === null || Boolean(state?.over);
  const name = welcome.names[welcome.seat] ?? "";
  if (form.hidden || form.dataset.name === name) return;
  form.dataset.name = name;
  const guest = isGuest(name);
  form.open = guest && welcome.emotes;
  form.querySelector("[name=name]").value = guest ? "" : name;
}

// Say what makes a game not count for the score.
function counts() {
  const mine = welcome.seat !== null && state.helped !== undefined && (welcome.hints.length > 0 || state.undo || state.helped);
  find("counts").hidden = !mine || (Boolean(state.over) && !state.helped);
  find("counts").textContent = state.helped || practice ? gettext("This game does not count for the score.") : gettext("With a hint or an undo this game does not count for the score.");
}

// In a practice game ask the best scripted player at each choice.
function tutor() {
  if (!practice || state.over || state.choices.length < 2 || welcome.hints.length === 0) return;
  send({ t: "hint", agent: local ? welcome.hints[0] : welcome.hints.at(-1) });
}

// Mark what an agent would do, on the cards, the cell or the button itself.
function show({ rows: [best] }) {
  hint = state.choices.find((choice) => choice[ACTION] === best?.[0]) ?? null;
  if (!hint) return;
  hand.mark(hint[KEYS]);
  if (hand.picked.length === 0) chosen({ offers: [], why: "" });
}

// Let nobody ask again while an answer is awaited.
function asking(now) {
  find("ask").querySelector("button").disabled = now;
}

// Say whom the table waits for, unless it is this seat.
function wait() {
  if (state.over) banner(welcome.seat === null ? gettext("The game is over.") : gettext("The game is over. {0}.", gettext("{0} {1}", welcome.names[welcome.seat], state.over.results[welcome.seat])));
  else if (state.choices.length === 0) banner(`${gettext("{0} is to move.", welcome.names[state.turn])} ${last(state.events, welcome.names)}`);
}

find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  asking(true);
  send({ t: "hint", agent: find("agent").value });
});
find("words").addEventListener("toggle", inWords);
wish(find("four-colours"), (on) => document.body.classList.toggle("four-colours", on));
wish(find("sounds"), (on) => (loud = on));
cycle(find("order"), ORDERS, (wanted) => {
  order = wanted;
  own = null;
  if (rows?.length) lay(false, null);
});
wish(find("forced"), (on) => {
  forced = on;
  playForced();
});
document.addEventListener("keydown", (event) => {
  if (event.key.startsWith("Arrow") && hand.names.size && !event.target.closest("input, select, textarea, #scene, #log")) {
    event.preventDefault();
    hand.walk(null, event.key);
  }
  if (event.target.closest("input, select, button, summary, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter") {
    const offers = find("buttons").querySelectorAll("button.go:not(:disabled)");
    if (offers.length === 1) offers[0].click();
  } else if (event.key === "u" && state?.undo) undo();
  else if (event.key === "h" && welcome?.hints.length) find("ask").requestSubmit();
  else if (event.key === "Escape") hand.choose([]);
});
setInterval(() => state && !state.over && (state.left || state.deadline !== null) && drawPeople(), 200);
if (find("my-name")) listenForName(find("my-name").form, send);
let width = window.innerWidth;
window.addEventListener("resize", () => {
  if (rows?.length && width !== window.innerWidth) lay(true, null); // nothing moves: it lies elsewhere at once
  width = window.innerWidth;
});
window.addEventListener("hashchange", () => location.reload());
await loadFaces(new URL("../viewer/cards.svg", import.meta.url));
engine.on((message) => {
  localise(message, welcome ?? message);
  heard[message.t]?.(message);
});
for (const link of document.querySelectorAll(".languages a")) link.hash = location.hash; // the key to this seat
