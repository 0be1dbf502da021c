// What stands beside a table: who plays, the clocks, the moves in words, and advice.

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

// emoteOf: returns the emote that a seat shows now, or "".
export function people(list, welcome, state, here, since, emoteOf) {
  list.replaceChildren(...welcome.names.map((name, seat) => {
    const line = node("li", "", state.turn === seat ? "turn" : "");
    line.append(node("span", seat === welcome.seat ? gettext("{0} (me)", name) : name));
    const rating = welcome.ratings?.[seat];
    if (typeof rating === "number") line.append(node("span", rating.toFixed(1), "rating"));
    const emote = emoteOf(seat);
    if (emote) line.append(node("span", emote, "emote"));
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
