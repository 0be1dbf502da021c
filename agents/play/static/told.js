// A scene in words, for those who do not see it: a line for each seat, then the middle of the table.

import { called, sign } from "./called.js";
import { gettext } from "./language.js";
import { BOARD, CARDS, PAIRS, PILE, TABLE, zonesOf } from "../viewer/layout.js";
import {
  A, AFTER, B, BAR, BOLD, CARD, CELL, CHIPS, DOT, FACE, FLAGS, KIND, KNOWN, LABEL, SIGN, STACK, TAG, TONE, X, Y,
} from "../viewer/pieces.js";
import { fill } from "../viewer/words.js";

const [GOLD, DARK] = [2, 8]; // tones: of a dot that is lit, and of a tag that is not the case
const CARD_COUNT = 1003; // CARDS in envs/core/labels.py
const STONES = ["·", "X", "O", "#"];
const toneOf = (row) => Math.floor(row[FLAGS] / TONE);
const faceDown = (count) => gettext("{0} {0|cards|card|cards} face down", count);
const several = (row) => (row[FLAGS] & STACK ? row[B] : 1);
const list = (texts, comma = ", ") => texts.filter(Boolean).join(comma);

// Return the lines of a scene whose labels are in the language of the page; `me` is my seat, or null.
export function told(rows, labels, names, me) {
  const { centre, seats } = zonesOf(rows);
  const words = (row) => fill(labels[row[FACE]] ?? "", row.slice(A), names);
  return [...seats.map((seat) => panel(seat, words, seat.row[A] === me)), ...centre.flatMap((zone) => said(zone, words))].filter(Boolean);
}

function panel(seat, words, own) {
  const marks = seat.elements.filter((row) => !(row[FLAGS] & BOLD)).map((row) => element(row, words));
  const name = list(seat.elements.filter((row) => row[FLAGS] & BOLD).map(words));
  const count = seat.elements.find((row) => row[KIND] === LABEL && row[FACE] === CARD_COUNT)?.[A];
  const others = seat.inside.filter((zone) => unseen(zone) !== count); // the number of cards is told once
  return `${name}: ${list([...marks, ...others.map((zone) => said(zone, words, own))], "; ")}`;
}

// How many cards lie in a zone of which none is seen, or NaN.
function unseen(zone) {
  const cards = zone.elements.filter((row) => row[KIND] === CARD);
  return cards.some((row) => row[FACE]) || !cards.length ? NaN : cards.reduce((sum, row) => sum + several(row), 0);
}

function said(zone, words, own = false) {
  if (zone.kind === BOARD) return board(zone, words);
  if (zone.kind === TABLE) return table(zone, words);
  const texts = [];
  for (const group of groups(zone)) {
    const text = together(group, words, own);
    if (typeof text === "number" && typeof texts.at(-1) === "number") texts.push(texts.pop() + text);
    else texts.push(text);
  }
  return list(texts.map((text) => (typeof text === "number" ? faceDown(text) : text)), zone.kind === PAIRS ? "; " : ", ");
}

// The elements of a zone, each with those that belong to it. The number on a pile says what the pile does.
function groups(zone) {
  const found = [];
  for (const row of zone.elements) {
    if (zone.kind === PILE && row[KIND] === TAG) continue;
    const below = zone.kind === CARDS && row[KIND] === BAR;
    if (found.length && (below || (row[FLAGS] & AFTER && row[KIND] !== BAR))) found.at(-1).push(row);
    else found.push([row]);
  }
  if (zone.kind !== CARDS) return found;
  let goes = false; // a bar, from card to card
  for (const group of found) {
    const bar = group.find((row) => row[KIND] === BAR);
    if (bar) Object.assign(group, { begins: !goes, ends: !(bar[FLAGS] & AFTER) });
    goes = Boolean(bar && bar[FLAGS] & AFTER);
  }
  return found;
}

// What a group says; of cards face down their number.
function together(group, words, own) {
  const [row, next] = group;
  if (group.ends !== undefined) return `${group.begins ? "(" : ""}${element(row, words)}${group.ends ? ")" : ""}`;
  if (row[KIND] === CARD && !row[FACE]) return several(row);
  if (row[KIND] === CARD && next?.[KIND] === CARD) return gettext("{0}, beaten by {1}", called(row), called(next));
  if (row[KIND] === CARD && own && row[FLAGS] & KNOWN) return gettext("{0} (known to all)", called(row));
  if (row[KIND] === SIGN && next) return `${words(next)}: ${element(row)}`;
  if (row[KIND] === CHIPS) return next ? gettext("chips: {0}", words(next)) : "";
  if (row[KIND] === BAR) return ""; // a legend of what is drawn
  return list(group.map((one) => element(one, words)));
}

function element(row, words) {
  if (row[KIND] === TAG && toneOf(row) === DARK) return "";
  if (row[KIND] === LABEL || row[KIND] === TAG) return words(row);
  if (row[KIND] === CARD) return called(row) || faceDown(1);
  if (row[KIND] === CELL) return STONES[row[FACE]];
  return row[KIND] === SIGN ? sign(row[FACE]) : "";
}

// How many dots of each column are lit.
function table(zone, words) {
  const lit = (column) => zone.elements.filter((row) => row[KIND] === DOT && row[X] === column && toneOf(row) === GOLD).length;
  const heads = zone.elements.filter((row) => row[Y] === 1 && lit(row[X]));
  const heading = list(zone.elements.filter((row) => row[Y] === 0).map(words));
  return `${heading}: ${list(heads.map((row) => `${element(row, words)} × ${lit(row[X])}`)) || "–"}`;
}

// A board line by line; words on a cell, as a ban, stand in its place.
function board(zone, words) {
  const [high, wide] = [zone.row[A], zone.row[B]];
  const cells = new Map(zone.elements.filter((row) => row[KIND] === CELL || row[KIND] === LABEL).map((row) => [`${row[X]} ${row[Y]}`, element(row, words)]));
  const lines = Array.from({ length: high + 1 }, (_, y) => Array.from({ length: wide + 1 }, (_, x) => cells.get(`${x - 1} ${y - 1}`) ?? ""));
  const most = Math.max(...lines.map(([head]) => head.length));
  return lines.map(([head, ...rest]) => [head.padStart(most), ...rest].join(" "));
}
