// What each kind of a scene's elements looks like, in tenths of a unit, as envs/pictures/svg_elements.py draws it. Colours are
// classes: scene.css gives them.

import { fill } from "./words.js";

export const [KIND, ID, KEY, FACE, X, Y, WIDE, HIGH, FLAGS, A, B, C] = Array(12).keys();
export const [NOTHING, PICTURE, PANEL, CARD, SLOT, LABEL, TAG, CELL, GRID, STRIKE, CHIPS, DOT, SIGN, BAR, ZONE] = Array(15).keys();
export const [LEGAL, LAST, TURN, KNOWN, FADED, STACK, AFTER, BOLD, MIDDLE, END, PLATE] = Array.from(Array(11), (_, i) => 1 << i);
export const TONE = 1 << 12;
const WALL_CELL = 3;
export const [BACK, CARD_WIDE, CARD_HIGH] = [0, 600, 840];
const CAPITAL = 0.72; // of a font's size
const SMALLEST = 0.6; // that words are shrunk to; then they are cut
const SVG = "http://www.w3.org/2000/svg";

export function make(name, attributes = {}, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

const rect = (x, y, width, height, rx, look) => make("rect", { x, y, width, height, rx, class: look });
const use = (name, x, y, width, height) => make("use", { href: `#${name}`, x, y, width, height });
const tone = (row) => `tone-${Math.floor(row[FLAGS] / TONE)}`;

// Words.

let measure;
const widths = new Map();

function span(text, size, bold) {
  const key = `${bold ? "b" : ""}${text}`;
  if (!widths.has(key)) {
    measure ??= document.createElement("canvas").getContext("2d");
    measure.font = `${bold ? 650 : 400} 100px ${getComputedStyle(document.documentElement).getPropertyValue("--type") || "sans-serif"}`;
    if (widths.size > 2000) widths.clear();
    widths.set(key, measure.measureText(text).width / 100);
  }
  return (widths.get(key) * size) / CAPITAL;
}

function fitted(text, high, room, bold, least) {
  const wide = span(text, high, bold);
  if (!room || wide <= room) return [text, high, wide];
  const size = Math.max(Math.min(high, least), high * Math.max(SMALLEST, room / wide));
  let shown = text;
  while (shown.length > 1 && span(shown, size, bold) > room * 1.01) shown = `${shown.replace(/…$/, "").slice(0, -1).trimEnd()}…`;
  return [shown, size, span(shown, size, bold)];
}

function text(said, x, base, size, look) {
  return make("text", { x: x.toFixed(1), y: base.toFixed(1), "font-size": (size / CAPITAL).toFixed(1), class: look }, said);
}

function begin(row, pen, wide) {
  if (row[FLAGS] & AFTER) return pen.end + row[X];
  return row[FLAGS] & MIDDLE ? row[X] - wide / 2 : row[FLAGS] & END ? row[X] - wide : row[X];
}

function said(row, pen) {
  return fill(pen.labels[row[FACE]] ?? "", row.slice(A), pen.names);
}

function label(row, pen) {
  const bold = row[FLAGS] & BOLD;
  const [shown, size, wide] = fitted(said(row, pen), row[HIGH], row[WIDE], bold, pen.least);
  const x = begin(row, pen, wide);
  const base = row[FLAGS] & AFTER ? pen.middle + size / 2 : row[Y];
  pen.end = x + wide;
  pen.middle = base - size / 2;
  return [text(shown, x, base, size, `words ${tone(row)}${bold ? " bold" : ""}`)];
}

function tag(row, pen) {
  const border = 1.7 * row[HIGH];
  const [shown, size, inner] = fitted(said(row, pen), row[HIGH], row[WIDE] && Math.max(row[WIDE] - border, 1), true, pen.least);
  const [wide, high] = [inner + border, 2.2 * row[HIGH]];
  const x = begin(row, pen, wide);
  const middle = row[FLAGS] & AFTER ? pen.middle : row[Y];
  pen.end = x + wide;
  pen.middle = middle;
  const plate = rect(x, middle - high / 2, wide, high, high / 2, `plate ${tone(row)}`);
  return [plate, text(shown, x + border / 2, middle + size / 2, size, `on-plate ${tone(row)} bold`)];
}

// What may be played. The middle is the origin of what moves: cards, cells, chips, signs, dots.

function card(row) {
  const [wide, high, flags] = [row[WIDE], row[HIGH], row[FLAGS]];
  const [x, y] = [-wide / 2, -high / 2];
  const drawn = [];
  const edges = flags & STACK && row[B] > 1 ? Math.min(Math.floor((row[B] + 4) / 6), 5) : 0;
  for (let i = edges; i > 0; i--) drawn.push(rect(x + 14 * i, y + 14 * i, wide, high, 55, "under"));
  if (flags & KNOWN) drawn.push(rect(x + wide / 15, y - 45, wide * 0.22, 90, 25, "known"));
  if (flags & LAST) drawn.push(rect(x - 22, y - 22, wide + 44, high + 44, 82, "last"));
  drawn.push(use(`card-${row[FACE]}`, x, y, wide, high), rect(x, y, wide, high, 55, "edge"));
  return drawn;
}

function cell(row, pen) {
  const [wide, high, face] = [row[WIDE], row[HIGH], row[FACE]];
  const [x, y] = [-wide / 2, -high / 2];
  if (face === WALL_CELL) return [rect(x + 10, y + 10, wide - 20, high - 20, 30, "wall")];
  const drawn = [rect(x, y, wide, high, 30, row[FLAGS] & LAST ? "fresh edge" : "empty edge")];
  if (face) drawn.push(use(`stone-${face}`, x, y, wide, high));
  else if (pen.playable(row)) drawn.push(make("circle", { r: wide / 16, class: "spot" }));
  return drawn;
}

function chips(row) {
  const radius = row[WIDE] / 2;
  const count = Math.min(row[B], 10);
  const step = radius * 0.24;
  const drawn = [];
  for (let i = 0; i < count; i++) drawn.push(make("circle", { cy: -step * i, r: radius, class: `chip chip-${row[FACE] % 3}` }));
  if (count > 0) {
    const dashes = `${radius * 0.3} ${radius * 0.22}`;
    const ring = { cy: -step * (count - 1), r: radius * 0.55, "stroke-width": radius * 0.16, "stroke-dasharray": dashes };
    drawn.push(make("circle", { ...ring, class: "chip-ring" }));
  }
  return drawn;
}

function sign(row) {
  const size = row[HIGH];
  const edge = size * 0.7;
  const drawn = row[FLAGS] & PLATE ? [rect(-edge, -edge, 2 * edge, 2 * edge, size * 0.3, "paper")] : [];
  return [...drawn, use(`suit-${row[FACE]}`, -size / 2, -size / 2, size, size)];
}

// Furniture.

function panel(row) {
  const look = `panel${row[FLAGS] & TURN ? " turn" : ""}${row[FLAGS] & FADED ? " faded" : ""}`;
  return [rect(row[X], row[Y], row[WIDE], row[HIGH], 120, `${look} edge`)];
}

function grid(row) {
  const [x, y, wide, high] = [row[X], row[Y], row[WIDE], row[HIGH]];
  let lines = "";
  for (let r = 1; r < row[A]; r++) lines += `M${x} ${y + (high * r) / row[A]}h${wide}`;
  for (let c = 1; c < row[B]; c++) lines += `M${x + (wide * c) / row[B]} ${y}v${high}`;
  return [rect(x, y, wide, high, 30, "board"), make("path", { d: lines, class: "lines" })];
}

function strike(row) {
  const line = { d: `M${row[X]} ${row[Y]}l${row[WIDE]} ${row[HIGH]}`, "stroke-width": row[A], class: `strike strike-${row[FACE]}` };
  return [make("path", line)];
}

const drawers = {
  [PANEL]: panel,
  [CARD]: card,
  [SLOT]: (row) => [rect(row[X], row[Y], row[WIDE], row[HIGH], 60, "slot edge")],
  [LABEL]: label,
  [TAG]: tag,
  [CELL]: cell,
  [GRID]: grid,
  [STRIKE]: strike,
  [CHIPS]: chips,
  [DOT]: (row) => [make("circle", { r: row[WIDE] / 2, class: `plate ${tone(row)} edge` })],
  [SIGN]: sign,
  [BAR]: (row) => [rect(row[X], row[Y], row[WIDE], row[HIGH] || 20, (row[HIGH] || 20) / 2, `bar ${tone(row)}`)],
};

export const round = (row) => [DOT, SIGN, CHIPS].includes(row[KIND]);
export const movable = (row) => round(row) || row[KIND] === CARD || row[KIND] === CELL;

// Return the middle of an element.
export function place(row) {
  return round(row) ? [row[X], row[Y]] : [row[X] + row[WIDE] / 2, row[Y] + row[HIGH] / 2];
}

// Draw one row; `pen` has labels, names, and where the words before ended.
export function piece(row, pen) {
  const drawn = drawers[row[KIND]]?.(row, pen) ?? [];
  if (row[KIND] !== LABEL && row[KIND] !== TAG) {
    const [x, y] = place(row);
    const half = round(row) ? (row[KIND] === SIGN ? row[HIGH] : row[WIDE]) / 2 : row[WIDE] / 2;
    pen.end = x + half;
    pen.middle = y;
  }
  return drawn;
}
