// What people at a table let each other know: their names, and emotes, which are numbers and no text.

import { gettext, noop } from "./language.js";
import { button } from "./side.js";

const EMOTES = [noop("Hello!"), noop("Well played!"), noop("Oops!")];
const SHOWN = 4000; // milliseconds
const shown = new Map(); // seat: {number, timer} of its emote

// The words of an emote, or "" for none.
export const emoteWords = (number) => (EMOTES[number] ? gettext(EMOTES[number]) : "");

export const emoteOf = (seat) => emoteWords(shown.get(seat)?.number);

// Show an emote of a seat for some seconds; `draw` shows who is at the table.
export function emote({ seat, emote: number }, draw) {
  if (!EMOTES[number]) return;
  clearTimeout(shown.get(seat)?.timer);
  const timer = setTimeout(() => {
    shown.delete(seat);
    draw();
  }, SHOWN);
  shown.set(seat, { number, timer });
  draw();
}

// Fill the row of buttons; where nobody could see an emote there are none.
export function fillEmotes(row, wanted, send) {
  row.hidden = !wanted;
  if (!wanted || row.children.length) return;
  row.append(...EMOTES.map((words, number) => button(gettext(words), () => send({ t: "emote", emote: number }))));
}

// Let a form change my name at this table, and keep it for others.
export function listenForName(form, send) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const filled = new URLSearchParams(new FormData(form));
    fetch(form.action, { method: "POST", body: filled, redirect: "manual" }).catch(() => {}); // it is kept, or not
    send({ t: "name", name: form.elements.name.value });
  });
}
