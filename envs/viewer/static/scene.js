// Scenes: rows of numbers, as envs/pictures/scene.py describes them, drawn into an SVG element. An element keeps its node
// from one scene to the next as long as it keeps its ID, and moves from where it was to where it is.

import {
  A, B, BACK, CARD, FACE, FADED, FLAGS, HIGH, ID, KEY, KIND, LAST, LEGAL, PANEL, PICTURE, STACK, WIDE, ZONE, make, movable, piece,
  place,
} from "./pieces.js";
import { laidOut, shapeFor } from "./layout.js";

const LIFT = 70; // what a card that may be played is raised by
const shown = new WeakMap(); // svg → {nodes, shape, tall}

// Draw `rows` into `svg`; zones get places for the width that it has.
//   before: the rows that it showed, or null: then nothing moves.
//   labels, names: of the game, and a seat each.
//   options: mover, the seat from whose place new cards come; still, nothing moves; quiet, nothing is marked as legal;
//     tall, the least height in thousandths of the width. A picture that was higher stays so, lest the page jumps.
// Each node with an identity has data-el (its ID) and data-key (its KEY). Returns [[node, placed row, its number], …] back
// to front.
export function draw(svg, before, rows, labels, names, options = {}) {
  const last = shown.get(svg);
  const old = before && last ? last.nodes : new Map();
  const shape = shapeFor(svg.clientWidth || document.documentElement.clientWidth);
  const tall = Math.max(options.tall ?? 0, last?.shape === shape ? last.tall : 0);
  const placed = laidOut(rows, shape, tall);
  if (!before) svg.replaceChildren();
  const playable = (row) => !options.quiet && (row[FLAGS] & LEGAL) !== 0;
  const pen = { labels, names, end: 0, middle: 0, playable, least: placed[0]?.[A] ?? 0 };
  const nodes = new Map();
  const list = [];
  const counts = {};
  ground(svg, placed[0]);
  for (const [i, row] of placed.entries()) {
    if (!i || row[KIND] === ZONE) continue;
    const name = row[ID] ? `${row[KIND]}:${row[ID]}` : `${row[KIND]}-${(counts[row[KIND]] = (counts[row[KIND]] ?? 0) + 1)}`;
    const known = old.get(name);
    const node = known && !nodes.has(name) ? known.node : make("g");
    fillNode(node, row, pen, playable(row));
    nodes.set(nodes.has(name) ? `${name}+${list.length}` : name, { node, row });
    list.push([node, row, i]);
  }
  const gone = [...old].filter(([name]) => !nodes.has(name)).map(([, one]) => one);
  for (const one of gone) one.node.remove();
  order(svg, list);
  if (options.still) for (const one of svg.getAnimations({ subtree: true })) one.cancel();
  if (before && !options.still && !calm()) move(svg, old, nodes, gone, options.mover);
  const grown = placed.length ? Math.ceil((1000 * placed[0][HIGH]) / placed[0][WIDE]) : 0;
  shown.set(svg, { nodes, shape, tall: Math.max(options.tall ?? 0, grown) });
  return list;
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function ground(svg, row) {
  const [wide, high] = row && row[KIND] === PICTURE ? [row[WIDE], row[HIGH]] : [1000, 600];
  const box = `0 0 ${wide} ${high}`;
  if (svg.dataset.box !== box) {
    svg.dataset.box = box;
    svg.setAttribute("viewBox", box);
  }
  svg.classList.toggle("felt", !row || row[FACE] === 0);
  svg.classList.toggle("on-paper", Boolean(row) && row[FACE] !== 0);
}

const turnOf = (row) => (row[KIND] === CARD ? row[A] : 0);

function middle(row, playable) {
  const [x, y] = place(row);
  return [x, y - (playable && row[KIND] === CARD && !(row[FLAGS] & STACK) && !row[A] ? LIFT : 0)];
}

function fillNode(node, row, pen, playable) {
  const look = `el${playable ? " legal" : ""}${row[FLAGS] & LAST ? " of-last" : ""}${row[FLAGS] & FADED ? " faded" : ""}`;
  if (node.getAttribute("class") !== look) node.setAttribute("class", look);
  for (const [name, value] of [["data-el", row[ID]], ["data-key", row[KEY]]]) {
    if (value) node.setAttribute(name, value);
    else node.removeAttribute(name);
  }
  node.replaceChildren(...piece(row, pen));
  if (!movable(row)) return;
  const [x, y] = middle(row, playable);
  node.setAttribute("transform", `translate(${x} ${y})${turnOf(row) ? ` rotate(${turnOf(row)})` : ""}`);
}

// Put the nodes in their order and touch only those that are out of it: the others keep focus and motion.
function order(svg, list) {
  let at = svg.firstChild;
  for (const [node] of list) {
    if (node === at) at = at.nextSibling;
    else svg.insertBefore(node, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function move(svg, old, nodes, gone, mover) {
  const vanished = gone.filter((one) => one.row[KIND] === CARD);
  const given = stacks(old, nodes, (was, is) => was > is);
  const taken = stacks(old, nodes, (was, is) => was < is);
  for (const [name, { node, row }] of nodes) {
    if (!movable(row)) continue;
    const was = old.get(name)?.row ?? (row[KIND] === CARD ? origin(row, vanished, given, nodes, mover) : null);
    if (was) glide(node, was, row, Boolean(old.get(name)));
    else if (row[ID]) fade(node, 0, 1);
  }
  for (const { node, row } of vanished) {
    const stack = nearest(row, taken);
    if (!stack) continue;
    svg.append(node);
    node.setAttribute("class", "el ghost");
    const motion = glide(node, row, stack, true, true);
    if (motion) motion.onfinish = () => node.remove();
    else node.remove();
  }
}

// Return the stacks that grew, or shrank.
function stacks(old, nodes, differs) {
  const found = [];
  for (const [name, { row }] of nodes) {
    const was = old.get(name)?.row;
    if (was && row[FLAGS] & STACK && differs(was[B], row[B])) found.push(row);
  }
  for (const [name, { row }] of old) if (!nodes.has(name) && row[FLAGS] & STACK && differs(row[B], 0)) found.push(row);
  return found;
}

function nearest(row, rows) {
  const [x, y] = place(row);
  const far = (other) => Math.hypot(place(other)[0] - x, place(other)[1] - y);
  return rows.reduce((best, other) => (best === null || far(other) < far(best) ? other : best), null);
}

// Return where a new card comes from: a card that vanished, a stack that shrank, the place of who moved.
function origin(row, vanished, given, nodes, mover) {
  const same = vanished.filter((one) => one.row[FACE] === row[FACE]);
  const like = same.length ? same : vanished.filter((one) => one.row[FACE] === BACK || row[FACE] === BACK);
  const from = nearest(row, like.map((one) => one.row));
  if (from) {
    vanished.splice(vanished.findIndex((one) => one.row === from), 1);
    return from;
  }
  const stack = nearest(row, given);
  if (stack) return stack;
  for (const { row: other } of nodes.values()) if (other[KIND] === PANEL && other[A] === mover) return other;
  return null;
}

const length = () => parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--move")) || 200;

function glide(node, from, to, stays, ends = false) {
  const [x, y] = stays && !ends ? middle(from, (from[FLAGS] & LEGAL) !== 0) : place(from);
  const [toX, toY] = ends ? place(to) : middle(to, node.classList.contains("legal"));
  const [turn, toTurn] = [turnOf(from), turnOf(to)];
  if (x === toX && y === toY && turn === toTurn) return null;
  const frames = [
    { transform: `translate(${x}px, ${y}px) rotate(${turn}deg)` },
    { transform: `translate(${toX}px, ${toY}px) rotate(${toTurn}deg)` },
  ];
  if (ends) frames[1].opacity = 0;
  return node.animate(frames, { duration: length(), easing: "ease-out" });
}

function fade(node, from, to) {
  return node.animate([{ opacity: from }, { opacity: to }], { duration: length() });
}

let loading;

// Put the drawings of cards, suits and stones into the document, once.
export function loadFaces(address) {
  return (loading ??= document.getElementById("faces") ? Promise.resolve() : fetchFaces(address));
}

async function fetchFaces(address) {
  const parsed = new DOMParser().parseFromString(await (await fetch(address)).text(), "image/svg+xml");
  const faces = document.importNode(parsed.documentElement, true);
  faces.id = "faces";
  faces.setAttribute("width", 0);
  faces.setAttribute("height", 0);
  faces.setAttribute("aria-hidden", "true");
  faces.setAttribute("class", "faces");
  document.body.prepend(faces);
}

// Apply a message's scene to the rows before: {"from", "count", "rows": [[i, …12 numbers], …]}.
export function changed(before, scene) {
  const rows = scene.from ? before.slice(0, scene.count) : [];
  for (const [i, ...row] of scene.rows) rows[i] = row;
  rows.length = scene.count;
  return rows;
}
