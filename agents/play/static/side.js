// What stands beside a table: who plays, the clocks, the moves in words, advice, and what comes after the game.

import { gettext } from "./language.js";

export function node(name, text = "", look = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (look) made.className = look;
  return made;
}

export function button(text, press, look = "") {
  const made = node("button", text, look);
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

const time = (seconds) => {
  const left = Math.max(0, seconds);
  return left < 10 ? left.toFixed(1) : `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
};

export function people(list, welcome, state, here, since) {
  list.replaceChildren(...welcome.names.map((name, seat) => {
    const line = node("li", "", state.turn === seat ? "turn" : "");
    line.append(node("span", seat === welcome.seat ? gettext("{0} (me)", name) : name));
    if (welcome.kinds[seat] === "person" && here && !here[seat]) line.append(node("span", gettext("away"), "away"));
    const left = clock(state, seat, since);
    if (left !== null) line.append(node("span", time(left), "clock"));
    return line;
  }));
}

function clock(state, seat, since) {
  const passed = (performance.now() - since) / 1000;
  if (state.turn === seat && state.deadline !== null) return state.deadline - passed;
  return state.left ? state.left[seat] : null;
}

const sentence = ([, seat, words], names) => (seat === null || seat < 0 ? words : `${names[seat]}: ${words}`);

export function tell(log, events, names, whole) {
  if (whole) log.replaceChildren();
  const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 20;
  for (const event of events.filter((one) => one[2])) {
    const line = node("li", sentence(event, names));
    line.dataset.ply = event[0];
    log.append(line);
  }
  if (atEnd) log.scrollTop = log.scrollHeight;
}

// Strike what was taken back from the moves.
export function untell(log, ply) {
  for (const line of [...log.children]) if (Number(line.dataset.ply) > ply) line.remove();
}

export const last = (events, names) => events.filter((event) => event[2]).slice(-2).map((event) => sentence(event, names)).join(". ");

// Advice as bars: probabilities, or values from the least to the greatest.
// The best of what an agent would do, each with a bar.
export function advise(list, advice, most = 8) {
  const words = new Map(advice.rows.map((row, i) => [row[0], advice.words[i]]));
  const rows = advice.rows.slice(0, most);
  const percents = advice.kind === "probabilities";
  const [low, high] = percents ? [0, 1] : [Math.min(...rows.map((row) => row[2] ?? row[1])), Math.max(...rows.map((row) => row[3] ?? row[1]))];
  list.replaceChildren(...rows.map(([action, value, from, to]) => {
    const line = node("li", words.get(action));
    const bar = node("meter");
    Object.assign(bar, { min: low, max: Math.max(high, low + 1e-9), value });
    const interval = from === null || to === null ? "" : ` (${gettext("{0} to {1}", from.toFixed(2), to.toFixed(2))})`;
    const said = percents ? `${Math.round(100 * value)} %` : `${value.toFixed(2)}${interval}`;
    bar.setAttribute("aria-label", said);
    line.append(bar, node("span", said));
    return line;
  }));
  if (rows.length === 0) list.replaceChildren(node("li", gettext("It had nothing to say here.")));
}

// What each agent of a table would do in the position that is shown: a list for each of them.
export function opine(section, advice) {
  section.hidden = false;
  let list = section.querySelector(`[data-agent="${CSS.escape(advice.agent)}"]`);
  if (!list) {
    list = node("ol", "", "advice");
    list.dataset.agent = advice.agent;
    section.append(node("h3", advice.agent), list);
  }
  list.classList.remove("stale");
  advise(list, advice, 5);
  section.style.minHeight = `${Math.max(parseFloat(section.style.minHeight) || 0, section.offsetHeight)}px`; // nothing below jumps
}

// Fade what was thought of another position until it is thought of this one; a game that is over leaves nothing.
export function unopine(section, over) {
  for (const one of section.querySelectorAll("h3, ol")) {
    if (over) one.remove();
    else one.classList.toggle("stale", one.localName === "ol");
  }
}

export function after(section, over, welcome, send, token) {
  section.hidden = over === null;
  if (over === null || section.dataset.shown === over.record) return;
  section.dataset.shown = over.record;
  const results = node("ul", "", "results");
  results.append(...over.results.map((words, seat) => node("li", gettext("{0} {1}", welcome.names[seat], words))));
  const moves = node("div", "", "buttons");
  if (welcome.seat !== null) {
    const following = [["again", gettext("Play again")], ["swap", gettext("Swap seats")], ["duplicate", gettext("Same cards, other seat")]];
    const ask = (how) => {
      for (const one of moves.querySelectorAll("[data-how]")) one.disabled = true;
      send({ t: "again", how });
    };
    for (const [how, words] of following) {
      const one = button(words, () => ask(how), how === "again" ? "go" : "");
      one.dataset.how = how;
      moves.append(one);
    }
    const other = node("a", gettext("Another opponent"), "button");
    other.href = welcome.lobby ?? form(welcome);
    moves.append(other);
  }
  if (!welcome.lobby) moves.append(button(gettext("Open in the viewer"), () => view(over.record, token)));
  moves.append(button(gettext("Download the record"), () => download(over.record, token)));
  section.replaceChildren(node("h2", over.truncated ? gettext("The game was stopped") : gettext("The game is over")), results, moves);
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

export function pace(bar, paced, send) {
  bar.hidden = paced === null;
  if (paced === null) return;
  const { running, delay, ply, plies } = paced;
  bar.replaceChildren(
    button(running ? gettext("Pause") : gettext("Play"), () => send({ t: "pace", running: !running, delay })),
    button(gettext("Back"), () => send({ t: "step", by: -1 })),
    button(gettext("Step"), () => send({ t: "step", by: 1 })),
    button(gettext("Slower"), () => send({ t: "pace", running, delay: Math.min(delay * 2, 10) })),
    button(gettext("Faster"), () => send({ t: "pace", running, delay: Math.max(delay / 2, 0.05) })),
    node("span", gettext("ply {0} of {1}", ply, plies)),
  );
}
