// What may be chosen at a table: by click, by drag, and by keys.

import { draw } from "../viewer/scene.js";
import { called } from "./called.js";
import { CELL, FLAGS, KEY, KIND, LAST, LEGAL, place } from "../viewer/pieces.js";
import { KEYS, dropped, judge, possible, spoken } from "./choose.js";

const NEAR = 8; // pixels that a press may move and still be a click
const SHARE = 0.74; // of the window's height that a picture fills at least

// Return rows in which the elements that choices use are LEGAL.
function marked(rows, choices) {
  const used = new Set(choices.flatMap((choice) => choice[KEYS]));
  return rows.map((row) => {
    if (row[KEY] === 0 || !used.has(row[KEY])) return row;
    const legal = [...row];
    legal[FLAGS] |= LEGAL;
    return legal;
  });
}

export class Hand {
  // scene: the SVG element; on: {play(action), chosen(judgement), moved(from, to)}, the last of which hears that one of
  // my own cards was dragged to another place among them.
  constructor(scene, on) {
    Object.assign(this, { scene, on, rows: [], list: [], own: [], choices: [], names: new Map(), picked: [], place: null });
    scene.addEventListener("pointerdown", (event) => this.press(event));
    scene.addEventListener("keydown", (event) => this.key(event));
  }

  // Show a scene and what may be done in it: elements that a choice uses are marked. Nothing moves in a fresh one.
  // own: numbers of the rows that are my own cards, from left to right.
  show(fresh, rows, choices, labels, names, mover, own = []) {
    const before = fresh ? null : this.rows;
    this.remember();
    this.rows = marked(rows, choices);
    this.choices = choices;
    for (const node of this.scene.querySelectorAll(".hinted")) node.classList.remove("hinted");
    this.list = draw(this.scene, before, this.rows, labels, names, { mover, quiet: choices.length === 0, tall: this.tall() });
    this.names = new Map();
    for (const [node, row] of this.list) this.name(node, row);
    const nodes = new Map(this.list.map(([node, , i]) => [i, node]));
    this.own = own.map((i) => nodes.get(i));
    for (const [node] of this.list) node.classList.toggle("own", this.own.includes(node));
    this.choose([]);
    this.refocus();
  }

  // The height that a picture has at least, in thousandths of its width.
  tall() {
    return Math.floor((1000 * SHARE * document.documentElement.clientHeight) / (this.scene.clientWidth || window.innerWidth));
  }

  // Mark the elements of these keys as a hint.
  mark(keys) {
    for (const [node, key] of this.names) node.classList.toggle("hinted", keys.includes(key));
  }

  // A move was made: nothing more is chosen, and the keyboard stays where it is.
  played() {
    this.remember();
    this.choices = [];
  }

  // Remember where the keyboard is, as what is drawn anew loses it.
  remember() {
    const now = document.activeElement;
    const found = this.list.find(([one]) => one === now);
    if (found) this.place = { at: place(found[1]), key: found[1][KEY] };
    else if (now && now !== document.body) this.place = null;
  }

  // Put the keyboard back on the same element, or on the nearest one that may be chosen now.
  refocus() {
    if (!this.place || document.activeElement !== document.body) return;
    const { at: [x, y], key } = this.place;
    const away = ([node, row]) => (this.names.get(node) === key ? -1 : Math.hypot(place(row)[0] - x, place(row)[1] - y));
    const [next] = this.list.filter(([node]) => this.names.has(node)).sort((a, b) => away(a) - away(b));
    next?.[0].focus({ preventScroll: true });
  }

  name(node, row) {
    const legal = row[KEY] > 0 && (row[FLAGS] & LEGAL) !== 0;
    if (!legal) {
      node.classList.remove("chosen");
      for (const name of ["tabindex", "role", "aria-label", "aria-pressed"]) node.removeAttribute(name);
      return;
    }
    this.names.set(node, row[KEY]);
    node.setAttribute("tabindex", 0);
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", [called(row), spoken(this.choices, row[KEY])].filter(Boolean).join(": "));
  }

  keys(nodes = this.picked) {
    return nodes.map((node) => this.names.get(node));
  }

  toggle(node) {
    if (this.choices.length === 0) return; // a move is on its way: the second click of two
    if (this.picked.includes(node)) this.choose(this.picked.filter((one) => one !== node));
    else if (possible(this.choices, this.keys([...this.picked, node])).length) this.choose([...this.picked, node]);
    else this.choose([node]);
  }

  choose(nodes) {
    this.picked = nodes;
    for (const node of this.names.keys()) {
      node.classList.toggle("chosen", nodes.includes(node));
      node.setAttribute("aria-pressed", nodes.includes(node));
    }
    const found = judge(this.choices, this.keys());
    if (found.play === null) this.on.chosen(found);
    else this.on.play(found.play);
  }

  press(event) {
    const node = this.at(event.target) ?? this.own.find((one) => one?.contains(event.target));
    if (!node || event.button) return;
    const from = [event.clientX, event.clientY];
    const far = (now) => Math.hypot(now.clientX - from[0], now.clientY - from[1]) > NEAR;
    const cell = this.list.find(([one]) => one === node)?.[1][KIND] === CELL;
    let [moved, aim] = [false, node];
    const move = (now) => {
      moved ||= far(now);
      if (cell) aim = this.aim(aim, now);
      else if (moved) node.style.translate = `${this.units(now.clientX - from[0])}px ${this.units(now.clientY - from[1])}px`;
    };
    const up = (now) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", up);
      node.style.translate = "";
      aim?.classList.remove("aimed");
      if (now.type === "pointercancel") return;
      if (moved && !cell) this.drop(node, now);
      else if (this.names.has(aim)) this.toggle(aim);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", up);
  }

  // Mark the cell under the pointer, and return it: a thumb that lies on a small one may slide to another.
  aim(before, event) {
    const node = this.at(document.elementFromPoint(event.clientX, event.clientY) ?? this.scene);
    before?.classList.remove("aimed");
    node?.classList.add("aimed");
    return node;
  }

  units(pixels) {
    return pixels / (this.scene.getScreenCTM()?.a || 1);
  }

  // The place among my other cards where one was dropped; −1 if that is elsewhere.
  slot(node, event) {
    if (!this.own.includes(node)) return -1;
    const others = this.own.filter((one) => one !== node).map((one) => one.getBoundingClientRect());
    const [left, right] = [Math.min(...others.map((box) => box.left)), Math.max(...others.map((box) => box.right))];
    const [top, bottom] = [Math.min(...others.map((box) => box.top)), Math.max(...others.map((box) => box.bottom))];
    const wide = others[0]?.width ?? 0;
    if (event.clientY < top || event.clientY > bottom || event.clientX < left - wide || event.clientX > right + wide) return -1;
    return others.filter((box) => box.left + NEAR < event.clientX).length;
  }

  drop(node, event) {
    const [from, to] = [this.own.indexOf(node), this.slot(node, event)];
    if (to >= 0 && to !== from) return this.on.moved(from, to);
    if (!this.names.has(node)) return;
    const nodes = this.picked.includes(node) ? this.picked : [...this.picked, node];
    const keys = possible(this.choices, this.keys(nodes)).length ? this.keys(nodes) : this.keys([node]);
    const there = document.elementsFromPoint(event.clientX, event.clientY);
    if (!there.includes(this.scene)) return;
    const under = there.map((one) => one.closest("[data-key]"));
    for (const one of under) {
      if (!one || one === node || !this.scene.contains(one)) continue;
      const action = dropped(this.choices, keys, Number(one.dataset.key));
      if (action !== null) return this.on.play(action);
    }
    const action = dropped(this.choices, keys, 0);
    if (action !== null && !under.includes(node.parentNode)) return this.on.play(action);
    return this.toggle(node);
  }

  at(target) {
    const node = target.closest?.("[data-key]");
    return node && this.names.has(node) ? node : null;
  }

  key(event) {
    const node = this.at(event.target);
    if (node && (event.key === " " || (event.key === "Enter" && this.picked.length === 0))) {
      event.preventDefault();
      event.stopPropagation();
      this.toggle(node);
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const [from, by] = [this.own.indexOf(node), { ArrowRight: 1, ArrowLeft: -1 }[event.key]];
      if (event.shiftKey && by && from >= 0) {
        if (this.own[from + by]) this.on.moved(from, from + by);
        return;
      }
      this.walk(node, event.key);
    }
  }

  // Move to the nearest element that may be chosen in the direction of an arrow key: from the one that has the
  // keyboard, or from the newest move; without either to the first one.
  walk(node, arrow) {
    const spots = [...this.names.keys()].map((one) => [one, place(this.list.find(([other]) => other === one)[1])]);
    const from = this.list.find(([one, row]) => (node ? one === node : row[FLAGS] & LAST));
    if (!from) return spots[0]?.[0].focus();
    const [x, y] = place(from[1]);
    const [right, down] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[arrow];
    const ahead = spots
      .map(([one, [toX, toY]]) => [one, (toX - x) * right + (toY - y) * down, Math.abs((toX - x) * down) + Math.abs((toY - y) * right)])
      .filter(([, along]) => along > 0)
      .sort((a, b) => a[1] + 3 * a[2] - (b[1] + 3 * b[2]));
    return (ahead[0] ?? (node ? undefined : spots[0]))?.[0].focus();
  }
}

