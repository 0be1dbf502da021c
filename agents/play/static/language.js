// Words of a page in its language. English stands in the code; for another language a catalogue is loaded,
// {"": of the page, GAME: of a game}, in which English texts lead to translations. What is in none stays English.

import { cards, fill } from "../viewer/words.js";

export const language = globalThis.document?.documentElement.lang || "en";
const english = language === "en";
const catalogues = english ? {} : await load();
let own = {}; // of the game that is played

async function load() {
  try {
    const answer = await fetch(new URL(`../words/${language}.json`, import.meta.url));
    return answer.ok ? await answer.json() : {};
  } catch {
    return {}; // a page that is shown in English is better than none
  }
}

// Let the words of a game go before those of the page.
export function useGame(name) {
  own = catalogues[name] ?? {};
}

export const translate = (text) => own[text] ?? catalogues[""]?.[text] ?? text;

// The text of a page in its language, its places filled with numbers or texts.
export const gettext = (text, ...values) => fill(translate(text), values);

// A text that is translated where it is shown: the mark is for those who collect texts.
export const noop = (text) => text;

// Words that an engine sent, in the language of the page.
//   phrase: [text or a label's number, arguments …] of the words, where they can be translated; labels, names: of the table.
export function say(words, phrase, labels, names) {
  if (english || !phrase) return cards(words);
  const [text, ...values] = phrase;
  const shown = values.map((value) => (typeof value === "string" ? cards(translate(value)) : value));
  return fill(typeof text === "number" ? labels[text] : translate(text), shown, names);
}

const GUEST = /^Guest(?= \d+$|$)/;

// Names of the seats: persons without a name are called so in the language of the page.
export const named = (names) => names.map((name) => name.replace(GUEST, gettext("Guest")));

// Whether a seat's name, in the language of the page, is that of a person without a name.
export const isGuest = (name) => name.replace(/ \d+$/, "") === gettext("Guest");

// Put what a table's engine sent into the language of the page; `welcome` is the one that came first.
export function localise(message, welcome) {
  const { labels, names } = welcome;
  const each = (lines, phrases) => lines.forEach((line, i) => (line[2] = say(line[2], phrases?.[i], labels, names)));
  if (message.t === "welcome") {
    useGame(message.game.replace(/_v\d+$/, ""));
    message.title = translate(message.title);
    message.names = named(names);
    message.labels = Object.fromEntries(Object.entries(labels).map(([number, text]) => [number, translate(text)]));
    each(message.log, message.phrases);
  } else if (message.t === "state") {
    each(message.events, message.phrases);
    for (const choice of message.choices) choice[1] = say(choice[1], choice[6], labels, names);
    const { over } = message;
    if (over) over.results = over.results.map((words, i) => say(words, over.phrases?.[i], labels, names));
  } else if (message.t === "advice") {
    message.words = message.words.map((words, i) => say(words, message.phrases?.[i], labels, names));
  } else if (message.t === "names") {
    message.names = named(message.names);
  } else if (message.t === "review") {
    for (const one of message.mistakes) {
      [one.move, one.best] = [one.move, one.best].map((words, i) => say(words, one.phrases?.[i], labels, names));
    }
  } else if (message.t === "refused") {
    message.why = say(message.why, message.phrase, labels, names);
  }
}
