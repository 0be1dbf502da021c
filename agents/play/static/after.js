// What comes after a game: the next one, a look back with an analyst's values, and the record.

import { gettext, noop } from "./language.js";
import { button, node } from "./side.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDE, HIGH, RADIUS] = [320, 110, 5]; // of the graph, and of a mark in it
const FOLLOWING = [["again", noop("Play again")], ["swap", noop("Swap seats")], ["duplicate", noop("Same cards, other seat")]];
const [PLY, SEAT, VALUE] = [0, 1, 2]; // of a point

function drawn(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A folded part of the section.
function folded(title, ...parts) {
  const made = node("details");
  made.append(node("summary", title), ...parts);
  return made;
}

export function after(section, over, welcome, send, token) {
  section.hidden = over === null;
  if (over === null || section.dataset.shown === over.record) return;
  section.dataset.shown = over.record;
  const results = node("ul", "", "results");
  results.append(...over.results.map((words, seat) => node("li", gettext("{0} {1}", welcome.names[seat], words))));
  const main = node("div", "", "buttons");
  const more = node("div", "", "buttons");
  if (welcome.seat !== null) {
    for (const [how, words] of FOLLOWING) {
      const one = button(gettext(words), () => ask(section, welcome, send, how), how === "again" ? "go" : "");
      one.dataset.how = how;
      (how === "again" ? main : more).append(one);
    }
    const other = node("a", gettext("Another opponent"), "button");
    other.href = welcome.lobby ?? form(welcome);
    more.append(other);
  }
  if (!welcome.lobby) more.append(button(gettext("Open in the viewer"), () => view(over.record, token)));
  more.append(button(gettext("Download the record"), () => download(over.record, token)));
  const wishes = node("p", "", "wishes");
  wishes.setAttribute("role", "status");
  const parts = [node("h2", over.truncated ? gettext("The game was stopped") : gettext("The game is over")), results, main, wishes];
  if (welcome.analyst) parts.push(lookBack(send));
  else if (welcome.lobby) parts.push(node("p", gettext("To look back at a game move by move, play it by {0}: a site has no analyst.", "kozyr play"), "faint"));
  section.replaceChildren(...parts, folded(gettext("More"), more));
}

// Ask for the next game. Where nobody else has to agree, once is enough.
function ask(section, welcome, send, how) {
  if (!welcome.emotes) for (const one of section.querySelectorAll("[data-how]")) one.disabled = true;
  send({ t: "again", how });
}

// Say who has asked for the next game.
export function rematch(section, { how, seats }, welcome) {
  const wishes = section.querySelector(".wishes");
  if (!wishes) return;
  const [, words] = FOLLOWING.find(([one]) => one === how);
  const others = welcome.names.filter((_, seat) => seats[seat] && seat !== welcome.seat);
  if (seats[welcome.seat]) wishes.textContent = gettext("You have asked: {0}. The others have to press the same.", gettext(words));
  else wishes.textContent = gettext("{0} would like: {1}. Press the same to agree.", others.join(", "), gettext(words));
  for (const one of section.querySelectorAll("[data-how]")) one.classList.toggle("wanted", one.dataset.how === how);
  if (how !== "again") section.querySelector(`[data-how="${how}"]`)?.closest("details")?.setAttribute("open", "");
}

// The look back: the analyst is at work while it is unfolded.
function lookBack(send) {
  const bar = node("progress");
  bar.setAttribute("aria-label", gettext("Decisions looked at"));
  const said = node("p", "", "faint");
  const made = folded(gettext("Look back at the game"), bar, said, node("figure", "", "graph"), node("ol", "", "mistakes"));
  made.id = "back";
  made.addEventListener("toggle", () => send({ t: "review", run: made.open }));
  return made;
}

// Show the look back as far as it is.
export function reviewed(section, message, welcome, over, send) {
  const place = section.querySelector("#back");
  if (!place) return;
  const [bar, said, figure, list] = ["progress", "p", "figure", "ol"].map((name) => place.querySelector(name));
  const ready = message.done === message.of;
  Object.assign(bar, { max: Math.max(message.of, 1), value: message.done, hidden: ready });
  said.textContent = ready ? "" : gettext("{0} has looked at {1} of {2} decisions.", message.agent, message.done, message.of);
  graph(figure, message, welcome, over);
  list.replaceChildren(...message.mistakes.map((one) => mistake(one, message.agent, welcome, send)));
  if (ready && message.mistakes.length === 0) said.textContent = gettext("{0} has found no clear mistake.", message.agent);
}

function mistake({ ply, seat, gap, move, best }, agent, welcome, send) {
  const line = node("li");
  const who = seat === welcome.seat ? gettext("you") : welcome.names[seat];
  const words = gettext("Move {0}, {1}: “{2}”. {3} would play “{4}”, better by {5}.", ply + 1, who, move, agent, best, gap.toFixed(2));
  line.append(node("span", `${words} `), button(gettext("Try it from here"), () => send({ t: "branch", ply })));
  return line;
}

// Draw how one player stood: the value of its decisions, and of the other's where what one wins the other loses.
function graph(figure, { points, mistakes, agent }, welcome, over) {
  const me = welcome.seat ?? 0;
  const opposed = welcome.seats === 2 && Math.abs(over.payoffs[0] + over.payoffs[1]) < 1e-9;
  const own = points.filter((one) => opposed || one[SEAT] === me);
  figure.hidden = own.length < 2;
  if (figure.hidden) return;
  const last = own.at(-1)[PLY];
  const place = ([ply, seat, value]) => [(ply / last) * WIDE, (HIGH / 2) * (1 - (seat === me ? value : -value))];
  const picture = drawn("svg", { viewBox: `${-RADIUS} ${-RADIUS} ${WIDE + 2 * RADIUS} ${HIGH + 2 * RADIUS}`, role: "img" });
  const share = Math.round((100 * own.filter((one) => place(one)[1] < HIGH / 2).length) / own.length);
  picture.setAttribute("aria-label", gettext("{0} was ahead in {1} % of these {2} decisions", welcome.names[me], share, own.length));
  picture.append(drawn("line", { x1: 0, y1: HIGH / 2, x2: WIDE, y2: HIGH / 2 }));
  picture.append(drawn("polyline", { points: own.map((one) => place(one).map((x) => x.toFixed(1)).join(",")).join(" ") }));
  for (const one of own.filter(([ply]) => mistakes.some((its) => its.ply === ply))) {
    const [cx, cy] = place(one);
    picture.append(drawn("circle", { cx, cy, r: RADIUS }));
  }
  const ahead = welcome.seat === null ? gettext("Above the line {0} was ahead, as {1} sees it.", welcome.names[me], agent) : gettext("Above the line you were ahead, as {0} sees it.", agent);
  const words = mistakes.length ? `${ahead} ${gettext("Dots are the mistakes below.")}` : ahead;
  figure.replaceChildren(picture, node("figcaption", words));
}

// The address of the lobby's form with this table's options: what is left to choose is who plays.
function form(welcome) {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(welcome.options)) asked.set(`set-${name}`, value === true ? "on" : value === false ? "" : String(value));
  welcome.kinds.forEach((kind, seat) => kind !== "agent" && asked.set(`seat-${seat}`, kind));
  for (const [name, seconds] of Object.entries(welcome.clock ?? {})) if (seconds) asked.set(`clock-${name}`, String(seconds));
  return `/games/${encodeURIComponent(welcome.game)}?${asked}`;
}

// Show the record in a window of its own; the secret goes in a form and stands in no address.
function view(record, token) {
  const sent = node("form");
  Object.assign(sent, { method: "post", action: record.replace(/record$/, "viewer"), target: "_blank" });
  const field = node("input");
  Object.assign(field, { type: "hidden", name: "token", value: token });
  sent.append(field);
  document.body.append(sent);
  sent.submit();
  sent.remove();
}

async function download(address, token) {
  const answer = await fetch(address, { headers: { "x-token": token } });
  if (!answer.ok) return;
  const link = node("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = "game.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
