// Labels filled with numbers and names, as envs/core/labels.py does; a test compares both.

const PLACE = /\{(\d)(?::(\w+))?((?:\|[^|{}]*)*)\}/g;
let plurals; // of the language of the page, which an English text without it is in

export function fill(text, values, names) {
  return text.replace(PLACE, (_, index, form, choices) => {
    const value = values[Number(index)];
    if (form === "plural") {
      const texts = new Map(choices.slice(1).split("|").map((one) => one.split(/:(.*)/s)));
      plurals ??= new Intl.PluralRules(globalThis.document?.documentElement.lang || "en");
      return texts.get(plurals.select(value)) ?? [...texts.values()].at(-1);
    }
    if (choices) {
      const texts = choices.slice(1).split("|");
      return texts[Math.min(Math.max(value, 0), texts.length - 1)];
    }
    if (form === "seat") return names ? names[value] : `player_${value}`;
    if (form === "signed") return signed(String(Math.abs(value)), value);
    if (form === "milli") return signed(String(Number((Math.abs(value) / 1000).toPrecision(6))), value);
    return String(value);
  });
}

// A text whose cards are shown as players read them: 10♦ in place of TD.
export const cards = (text) =>
  String(text).replace(/\b([2-9TJQKA])([CSHD])\b/g, (_, rank, suit) => `${rank === "T" ? 10 : rank}${"♣♠♥♦"["CSHD".indexOf(suit)]}`);

function signed(digits, value) {
  return value === 0 ? digits : `${value > 0 ? "+" : "−"}${digits}`;
}
