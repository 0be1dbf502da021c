// What comes after a game: the next one, a look back with an analyst's values, and the record.

import { button, node } from "./side.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDE, HIGH, RADIUS] = [320, 110, 5]; // of the graph, and of a mark in it
const FOLLOWING = [["again", "Play again"], ["swap", "Swap seats"], ["duplicate", "Same cards, other seat"]];
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
  results.append(...over.results.map((words, seat) => node("li", `${welcome.names[seat]} ${words}`)));
  const main = node("div", "", "buttons");
  const more = node("div", "", "buttons");
  if (welcome.seat !== null) {
    for (const [how, words] of FOLLOWING) {
      const one = button(words, () => ask(section, welcome, send, how), how === "again" ? "go" : "");
      one.dataset.how = how;
      (how === "again" ? main : more).append(one);
    }
    const other = node("a", "Another opponent", "button");
    other.href = welcome.lobby ?? form(welcome);
    more.append(other);
  }
  if (!welcome.lobby) more.append(button("Open in the viewer", () => view(over.record, token)));
  more.append(button("Download the record", () => download(over.record, token)));
  const wishes = node("p", "", "wishes");
  wishes.setAttribute("role", "status");
  const parts = [node("h2", over.truncated ? "The game was stopped" : "The game is over"), results, main, wishes];
  if (welcome.analyst) parts.push(lookBack(send));
  else if (welcome.lobby) parts.push(node("p", "To look back at a game move by move, play it by kozyr play: a site has no analyst.", "faint"));
  section.replaceChildren(...parts, folded("More", more));
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
  if (seats[welcome.seat]) wishes.textContent = `You have asked: ${words}. The others have to press the same.`;
  else wishes.textContent = `${others.join(", ")} would like: ${words}. Press the same to agree.`;
  for (const one of section.querySelectorAll("[data-how]")) one.classList.toggle("wanted", one.dataset.how === how);
  if (how !== "again") section.querySelector(`[data-how="${how}"]`)?.closest("details")?.setAttribute("open", "");
}

// The look back: the analyst is at work while it is unfolded.
function lookBack(send) {
  const bar = node("progress");
  bar.setAttribute("aria-label", "Decisions looked at");
  const said = node("p", "", "faint");
  const made = folded("Look back at the game", bar, said, node("figure", "", "graph"), node("ol", "", "mistakes"));
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
  said.textContent = ready ? "" : `${message.agent} has looked at ${message.done} of ${message.of} decisions.`;
  graph(figure, message, welcome, over);
  list.replaceChildren(...message.mistakes.map((one) => mistake(one, message.agent, welcome, send)));
  if (ready && message.mistakes.length === 0) said.textContent = `${message.agent} has found no clear mistake.`;
}

function mistake({ ply, seat, gap, move, best }, agent, welcome, send) {
  const line = node("li");
  const who = seat === welcome.seat ? "you" : welcome.names[seat];
  const words = `Move ${ply + 1}: ${who} played “${move}”. ${agent} would play “${best}”, ${gap.toFixed(2)} better. `;
  line.append(node("span", words), button("Try it from here", () => send({ t: "branch", ply })));
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
  picture.setAttribute("aria-label", `${welcome.names[me]} was ahead in ${share} % of these ${own.length} decisions`);
  picture.append(drawn("line", { x1: 0, y1: HIGH / 2, x2: WIDE, y2: HIGH / 2 }));
  picture.append(drawn("polyline", { points: own.map((one) => place(one).map((x) => x.toFixed(1)).join(",")).join(" ") }));
  for (const one of own.filter(([ply]) => mistakes.some((its) => its.ply === ply))) {
    const [cx, cy] = place(one);
    picture.append(drawn("circle", { cx, cy, r: RADIUS }));
  }
  const words = `Above the line ${welcome.seat === null ? `${welcome.names[me]} was` : "you were"} ahead, as ${agent} sees it.${mistakes.length ? " Dots are the mistakes below." : ""}`;
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
