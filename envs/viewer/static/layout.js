// Layout: the zones of a scene get places, on a wide page, a narrow one or a phone, row by row as
// envs/pictures/layout.py, blocks.py and zone_places.py do it, which say what each step is for.

import {
  A, AFTER, B, BACK, BAR, BOLD, CARD, CARD_HIGH, CARD_WIDE, CELL, CHIPS, DOT, END, FACE, FLAGS, GRID, HIGH, KEY, KIND, LABEL,
  MIDDLE, PANEL, SLOT, STRIKE, TAG, WIDE, X, Y, ZONE,
} from "./pieces.js";

export const [SEAT, CARDS, PILE, PAIRS, LINES, BOARD, TABLE, CENTRE] = [1, 2, 3, 4, 5, 6, 7, 8];
export const ASIDE = 1;
export const WIDEST = {
  wide: 9600, more: 2400, margin: 180, gap: 140, pad: 140, own: 720, pile: 600, small: 450, back: 450, strip: 200,
  name: 130, text: 100, tag: 82, least: 0, across: 5, beside: 0, board: 4600,
};
export const NARROW = {
  wide: 6600, more: 0, margin: 150, gap: 120, pad: 140, own: 660, pile: 600, small: 450, back: 390, strip: 300,
  name: 120, text: 100, tag: 90, least: 0, across: 3, beside: 0, board: 0,
};
export const PHONE = {
  wide: 4200, more: 0, margin: 100, gap: 90, pad: 110, own: 600, pile: 460, small: 460, back: 300, strip: 380,
  name: 110, text: 100, tag: 100, least: 98, across: 2, beside: 1, board: 0,
};
const [MANY, ROOMY, THREE_TAGS, RAISED, SIDE] = [5, 3000, 2400, 50, 2300];
const CELL_MOST = 1000;
const [RIGHT, DOWN, PITCH] = [160, 200, 900];
const [DOT_WIDE, CUE, CHIP, HEADING] = [80, 140, 220, 60];

const over = (a, b) => Math.floor(a / b); // whole numbers, as Python divides them
const isWord = (row) => row[KIND] === LABEL || row[KIND] === TAG;
const isLying = (row) => row[KIND] === CARD || row[KIND] === SLOT;
const set = (row, values) => Object.entries(values).forEach(([column, value]) => (row[column] = value));
const highest = (blocks) => Math.max(...blocks.map((one) => one.high));

// The shape for a picture that is so many pixels wide.
export const shapeFor = (pixels) => (pixels < 600 ? PHONE : pixels < 900 ? NARROW : WIDEST);

// Return the rows of a scene with places; one without zones stays as it is.
//   tall: the picture's least height, in thousandths of its width.
export function laidOut(rows, kind, tall = 0) {
  const placed = rows.map((row) => [...row]);
  const { centre: inMiddle, seats } = zonesOf(placed);
  if (!inMiddle.length && !seats.length) return placed;
  const wide = kind.wide + (seats.length >= MANY ? kind.more : 0);
  const aside = kind.board > 0 && inMiddle.some((zone) => zone.kind === BOARD);
  const board = aside ? Math.max(kind.board, over(wide * tall, 1000) - 2 * kind.margin - 3 * kind.name) : 0;
  const shape = { ...kind, board };
  set(placed[0], { [WIDE]: wide, [A]: shape.least });
  const room = wide - 2 * shape.margin;
  const across = aside ? room - 2 * (SIDE + shape.gap) : room;
  const centre = flow(inMiddle.map((zone) => zonePlaces[zone.kind](zone, shape, across, false)), across, shape.gap, true);
  const bands = aside
    ? [besideBoard(seats, centre, shape, room)]
    : [othersAbove(seats.slice(1), shape, room), centre, ...seats.slice(0, 1).map((one) => seatPanel(one, shape, room, true))];
  placed[0][HIGH] = stackBands(bands.filter((band) => band.rows.length), shape, over(wide * tall, 1000));
  return placed;
}

// Zones in the middle of the table, and the seats with theirs.
export function zonesOf(rows) {
  const [centre, seats] = [[], []];
  let [inside, newest] = [centre, null];
  for (const row of rows) {
    if (row[KIND] !== ZONE) newest?.elements.push(row);
    else if (row[FACE] === CENTRE) inside = centre;
    else {
      newest = { row, kind: row[FACE], seated: inside !== centre, elements: [], inside: [] };
      (row[FACE] === SEAT ? seats : inside).push(newest);
      if (row[FACE] === SEAT) inside = newest.inside;
    }
  }
  return { centre, seats };
}

const block = (rows, wide, high) => ({ rows, wide, high });

function shift({ rows }, x, y) {
  for (const row of rows) if (!(isWord(row) && row[FLAGS] & AFTER)) set(row, { [X]: row[X] + x, [Y]: row[Y] + y });
}

function stackBands(bands, shape, least) {
  const high = 2 * shape.margin + bands.reduce((sum, band) => sum + band.high, 0) + 2 * shape.gap * (bands.length - 1);
  const spare = over(Math.max(least - high, 0), Math.max(bands.length - 1, 1));
  let y = shape.margin + (bands.length === 1 ? over(spare, 2) : 0);
  for (const band of bands) {
    shift(band, shape.margin, y);
    y += band.high + 2 * shape.gap + spare;
  }
  return Math.max(high, least);
}

// Put blocks side by side in as many lines as they need; spread ones take all the room, the last of three in the middle.
function flow(blocks, room, gap, spread) {
  const lines = [];
  let used = 0;
  for (const one of blocks) {
    if (!lines.length || used + gap + one.wide > room) {
      lines.push([]);
      used = -gap;
    }
    lines.at(-1).push(one);
    used += gap + one.wide;
  }
  let y = -gap;
  for (const line of lines) {
    if (spread && line.length === 3) line.push(...line.splice(1, 1));
    const free = room - line.reduce((sum, one) => sum + one.wide, 0);
    const between = spread ? over(free, Math.max(line.length - 1, 1)) : gap;
    let x = !spread ? over(free - gap * (line.length - 1), 2) : line.length === 1 ? over(free, 2) : 0;
    const high = highest(line);
    for (const one of line) {
      shift(one, x, y + gap + over(high - one.high, 2));
      x += one.wide + between;
    }
    y += gap + high;
  }
  return block(blocks.flatMap((one) => one.rows), room, Math.max(y, 0));
}

function othersAbove(seats, shape, room) {
  const lines = Math.ceil(seats.length / shape.across);
  const rows = [];
  let [y, begin] = [0, 0];
  for (let i = 0; i < lines; i++) {
    const count = Math.ceil((seats.length - begin) / (lines - i));
    const width = over(room - shape.gap * (count - 1), count);
    const blocks = seats.slice(begin, begin + count).map((one) => seatPanel(one, shape, width, false));
    const high = highest(blocks);
    blocks.forEach((one, k) => {
      one.rows[0][HIGH] = high;
      shift(one, k * (width + shape.gap), y);
      rows.push(...one.rows);
    });
    y += high + shape.gap;
    begin += count;
  }
  return block(rows, room, Math.max(y - shape.gap, 0));
}

function besideBoard(seats, centre, shape, room) {
  shift(centre, SIDE + shape.gap, 0);
  const rows = [...centre.rows];
  let y = 0;
  for (const seat of seats.slice(1)) {
    const one = seatPanel(seat, shape, SIDE, false);
    shift(one, 0, y);
    rows.push(...one.rows);
    y += one.high + shape.gap;
  }
  const own = seatPanel(seats[0], shape, SIDE, true);
  shift(own, room - SIDE, Math.max(centre.high - own.high, 0));
  return block([...rows, ...own.rows], room, centre.high);
}

function seatPanel(zone, shape, width, own) {
  const room = width - 2 * shape.pad;
  const head = headOf(zone, shape, room);
  const body = flow(zone.inside.map((one) => zonePlaces[one.kind](one, shape, room, own)), room, shape.gap, false);
  const below = zone.inside.length ? shape.gap + RAISED : 0;
  shift(head, shape.pad, shape.pad);
  shift(body, shape.pad, shape.pad + head.high + below);
  const high = 2 * shape.pad + head.high + below + body.high;
  set(zone.row, { [KIND]: PANEL, [WIDE]: width, [HIGH]: high });
  return block([zone.row, ...head.rows, ...body.rows], width, high);
}

function headOf(zone, shape, room) {
  const ends = zone.elements.filter((row) => row[FLAGS] & END);
  const tags = zone.elements.filter((row) => row[KIND] === TAG);
  const [roomy, line] = [room >= ROOMY, 2 * shape.name];
  const [below, last] = [line + shape.gap, ends.length ? 700 : 0];
  let x = 0;
  for (const row of zone.elements) {
    if (row[KIND] === CELL) {
      set(row, { [WIDE]: line, [HIGH]: line });
      x = line + 80;
    } else if (row[FLAGS] & BOLD) {
      set(row, { [X]: x, [Y]: over(line + shape.name, 2), [HIGH]: shape.name });
      row[WIDE] = room - x - last - (roomy ? 1000 * tags.length : 0);
    }
  }
  const each = room < THREE_TAGS ? 2 : 3;
  const lines = Math.max(Math.ceil(tags.length / each), 1);
  tags.forEach((row, i) => {
    set(row, { [X]: 0, [Y]: below + shape.tag + (2 * shape.tag + 40) * over(i, each), [HIGH]: shape.tag });
    row[WIDE] = roomy ? 0 : over(room, each) - 50;
    if (i % each || roomy) set(row, { [X]: roomy ? 100 : 50, [Y]: 0, [FLAGS]: row[FLAGS] | AFTER });
  });
  ends.forEach((row, i) => {
    set(row, { [X]: room, [HIGH]: shape.text, [WIDE]: i ? over(room, 2) : last });
    row[Y] = over(line + shape.text, 2) + i * (roomy ? line : below + line);
  });
  const more = ends.length > 1 ? line * (ends.length - 1) : 0;
  return block([...zone.elements], room, (roomy ? line : below + (2 * shape.tag + 40) * lines - 40) + more);
}

// Places of the elements of a zone, in a box at the origin.
const zonePlaces = {
  [CARDS](zone, shape, room, own) {
    const lying = zone.elements.filter(isLying);
    const mine = own && zone.row[A] !== ASIDE;
    if (zone.seated && zone.row[A] === ASIDE) room = Math.max(room - shape.pile - shape.small - 2 * shape.gap, Math.min(room, 2000));
    const hidden = zone.seated && !own && lying.every((row) => row[KIND] === CARD && row[FACE] === BACK);
    const wide = hidden ? shape.back : !zone.seated ? shape.pile : mine ? shape.own : shape.small;
    const high = over(wide * 7, 5);
    const least = wide === shape.back ? over(wide, 7) : mine ? shape.strip : over(wide, 3);
    const most = Math.max(over(room - wide, least) + 1, 1);
    let lines = 1;
    while (lines < 4 && lines * most < lying.length) lines += 1;
    const each = Math.max(Math.ceil(lying.length / lines), 1);
    const step = Math.min(hidden && zone.row[A] === ASIDE ? over(wide * 2, 5) : over(wide * 21, 20), over(room - wide, Math.max(each - 1, 1)));
    const across = step * (Math.min(each, Math.max(lying.length, 1)) - 1) + wide;
    const rise = over(high * 5, 8);
    let i = 0;
    for (const row of zone.elements) {
      if (isLying(row)) {
        set(row, { [X]: step * (i % each), [Y]: rise * over(i, each), [WIDE]: wide, [HIGH]: high });
        i += 1;
      } else if (row[KIND] === BAR && i) {
        const on = row[FLAGS] & AFTER && i % each;
        set(row, { [X]: step * ((i - 1) % each), [Y]: rise * over(i - 1, each) + high + 30 });
        set(row, { [WIDE]: on ? step : Math.min(step, wide) - 30, [HIGH]: 40, [FLAGS]: row[FLAGS] & ~AFTER });
      }
    }
    const down = rise * (lines - 1) + high;
    if (zone.row[KEY]) set(zone.row, { [KIND]: SLOT, [WIDE]: across, [HIGH]: down });
    const cards = block([zone.row, ...zone.elements.filter((row) => !isWord(row))], across, down);
    const said = zone.elements.filter(isWord);
    const full = zone.seated ? (said.length ? Math.max(across, Math.min(room, 2600)) : across) : room;
    shift(cards, over(full - across, 2), 0);
    const words = wordLines(said, shape, full, false, 0);
    shift(words, 0, down + 90);
    return block([...cards.rows, ...words.rows], full, down + (said.length ? 90 + words.high : 0));
  },

  [PILE](zone, shape) {
    const wide = zone.row[A] === ASIDE ? shape.small : shape.pile;
    const high = over(wide * 7, 5);
    let out = 0;
    const rows = [zone.row, ...zone.elements.filter((row) => row[KIND] === CARD || row[KIND] === TAG)];
    for (const row of rows.slice(1)) {
      if (row[KIND] === CARD) set(row, { [WIDE]: wide, [HIGH]: high });
      else set(row, { [X]: over(wide, 2), [Y]: over(high, 2), [HIGH]: shape.name, [WIDE]: wide, [FLAGS]: row[FLAGS] | MIDDLE });
      if (row[KIND] === CARD && row[A]) [row[X], out] = [over(wide * 3, 5), over(wide * 4, 5)];
    }
    set(zone.row, { [KIND]: SLOT, [WIDE]: wide, [HIGH]: high });
    const rest = zone.elements.filter((row) => row[KIND] !== CARD && row[KIND] !== TAG);
    if (!rest.length) return block(rows, wide + out, high);
    const words = wordLines(rest, shape, 1200, true, 0);
    if (shape.beside) {
      shift(words, wide + out + 100, over(high - words.high, 2));
      return block([...rows, ...words.rows], wide + out + 100 + words.wide, high);
    }
    shift(words, 0, high + 90);
    return block([...rows, ...words.rows], Math.max(wide + out, words.wide), high + 90 + words.high);
  },

  [PAIRS](zone, shape, room) {
    const count = zone.elements.filter((row) => !(row[FLAGS] & AFTER)).length;
    const most = Math.max(Math.min(count, over(room - CARD_WIDE - RIGHT, PITCH) + 1), 1);
    const lines = Math.max(Math.ceil(count / most), 1);
    const each = Math.max(Math.ceil(count / lines), 1);
    const fall = CARD_HIGH + DOWN + shape.gap;
    let i = -1;
    for (const row of zone.elements) {
      const after = row[FLAGS] & AFTER;
      if (!after) i += 1;
      set(row, { [X]: PITCH * (i % each) + (after ? RIGHT : 0), [Y]: fall * over(i, each) + (after ? DOWN : 0) });
      set(row, { [WIDE]: CARD_WIDE, [HIGH]: CARD_HIGH, [FLAGS]: row[FLAGS] & ~AFTER });
    }
    return block([zone.row, ...zone.elements], PITCH * (each - 1) + CARD_WIDE + RIGHT, fall * lines - shape.gap);
  },

  [LINES](zone, shape, room) {
    const words = zone.seated
      ? wordLines(zone.elements, shape, Math.min(room, 1300), true, 0)
      : wordLines(zone.elements, shape, room, false, shape.name);
    return block([zone.row, ...words.rows], words.wide, words.high);
  },

  [BOARD](zone, shape, room) {
    const [rows, columns] = [zone.row[A], zone.row[B]];
    const edge = 2 * shape.text;
    const high = shape.board ? shape.board - edge : over(room * 4, 3);
    const side = Math.min(over(room - 2 * edge, columns), over(high, rows), CELL_MOST);
    const small = Math.min(110, Math.max(80, shape.least, over(side, 4)));
    for (const row of zone.elements) {
      const [column, line] = [row[X], row[Y]];
      const [x, y] = [column, line].map((n) => (n >= 0 ? edge + side * n + over(side, 2) : over(edge, 2)));
      if (row[KIND] === CELL) set(row, { [X]: x - over(side, 2), [Y]: y - over(side, 2), [WIDE]: side, [HIGH]: side });
      else if (row[KIND] === STRIKE) {
        set(row, { [X]: x, [Y]: y, [A]: over(side * 18, 25), [WIDE]: row[WIDE] * side, [HIGH]: row[HIGH] * side });
      } else {
        row[HIGH] = column < 0 || line < 0 ? small : over(side, 2);
        set(row, { [X]: x, [Y]: y + over(row[HIGH], 2), [FLAGS]: row[FLAGS] | MIDDLE });
      }
    }
    set(zone.row, { [KIND]: GRID, [X]: edge, [Y]: edge, [WIDE]: side * columns, [HIGH]: side * rows });
    return block([zone.row, ...zone.elements], side * columns + 2 * edge, side * rows + edge);
  },

  [TABLE](zone, shape, room) {
    const [wide, pitch] = [Math.min(190, over(room, zone.row[B])), 130];
    for (const row of zone.elements) {
      const [x, y] = [row[X] * wide + over(wide, 2), row[Y] * pitch + over(pitch, 2) + (row[Y] ? HEADING : 0)];
      const high = row[KIND] === LABEL ? shape.text : row[KIND] === DOT ? DOT_WIDE : CUE;
      set(row, { [X]: x, [Y]: y, [WIDE]: high, [HIGH]: high });
      if (row[KIND] !== LABEL) continue;
      const centred = row[FLAGS] & MIDDLE;
      set(row, { [X]: centred ? x : x - over(wide, 2), [Y]: y + over(high, 2), [WIDE]: centred ? 0 : wide * zone.row[B] });
    }
    return block([zone.row, ...zone.elements], wide * zone.row[B], pitch * zone.row[A] + HEADING);
  },
};

function wordLines(rows, shape, room, left, first) {
  const lines = [];
  for (const row of rows) {
    const goesOn = row[FLAGS] & (AFTER | END) || (row[KIND] === CHIPS && lines.at(-1)?.at(-1)[KIND] === CHIPS);
    if (!lines.length || !goesOn) lines.push([]);
    lines.at(-1).push(row);
  }
  let y = 0;
  lines.forEach((line, number) => {
    const size = first && number === 0 ? first : shape.text;
    const pitch = 2 * size + (size !== shape.text || line.some((row) => row[KIND] !== LABEL) ? 60 : 0);
    line.forEach((row, i) => (left ? fromLeft : centredIn)(row, i, line.length, room, size, y + over(pitch, 2)));
    y += pitch;
  });
  return block([...rows], room, y);
}

function fromLeft(row, i, count, room, size, mid) {
  if (isWord(row)) {
    set(row, { [HIGH]: size, [WIDE]: room });
    if (row[FLAGS] & AFTER) row[X] = 80;
    else set(row, { [X]: row[FLAGS] & END ? room : 0, [Y]: mid + over(size, 2), [WIDE]: count === 1 ? room : over(room, 2) });
  } else if (row[KIND] === BAR) set(row, { [X]: 0, [Y]: mid - 30, [WIDE]: 130, [HIGH]: 60 });
  else set(row, { [WIDE]: over(size * 17, 10), [HIGH]: over(size * 17, 10), [X]: size, [Y]: mid });
}

function centredIn(row, i, count, room, size, mid) {
  let part = CHIP + 20;
  if (isWord(row)) {
    part = count === 1 ? room : Math.min(over(room, count), 1300);
    set(row, { [FLAGS]: (row[FLAGS] & ~AFTER) | MIDDLE, [HIGH]: size, [WIDE]: part - 60 });
    row[Y] = mid + (row[KIND] === LABEL ? over(size, 2) : 0);
  } else set(row, { [WIDE]: CHIP, [HIGH]: CHIP, [Y]: mid });
  row[X] = over(room, 2) + over(part * (2 * i - count + 1), 2);
}
