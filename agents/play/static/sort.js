// A hand as its owner likes it: cards change places, and nothing else in the scene does.

import { noop } from "./language.js";
import { ASIDE, CARDS, SEAT } from "../viewer/layout.js";
import { A, CARD, FACE, FLAGS, KIND, PLATE, SIGN, ZONE } from "../viewer/pieces.js";

export const ORDERS = [noop("as dealt"), noop("by suit"), noop("by rank")];
export const OWN = noop("as I like"); // what the button says once cards were dragged
const [, SUIT, RANK] = ORDERS;
const LETTERS = "23456789TJQKA"; // as faces have them
const JOKER = 53;
const ALTERNATE = [0, 2, 1, 3]; // clubs, hearts, spades, diamonds: colours change

// Places of the cards of a seat's open hand in a scene, back to front; of small cards beside it, none.
export function hand(rows, seat) {
  let [mine, cards] = [false, false];
  return [...rows.keys()].filter((i) => {
    const row = rows[i];
    if (row[KIND] === ZONE && row[FACE] === SEAT) mine = row[A] === seat;
    if (row[KIND] === ZONE) cards = mine && row[FACE] === CARDS && row[A] !== ASIDE;
    return cards && row[KIND] === CARD && row[FACE] > 0;
  });
}

// What a card is sorted by: trumps behind all others, jokers last.
function weight(face, order, ranks, trump) {
  if (face === JOKER) return 1e6;
  const suit = Math.floor((face - 1) / 13);
  const rank = ranks.indexOf(LETTERS[(face - 1) % 13]);
  const place = order === SUIT ? 100 * ALTERNATE.indexOf(suit) + rank : 100 * rank + ALTERNATE.indexOf(suit);
  return (suit === trump ? 1e4 : 0) + place;
}

// Return a scene in which the hand of a seat lies in an order of ORDERS; a sign on a plate is the trump's.
export function sort(rows, seat, order, ranks) {
  if (!ranks || (order !== SUIT && order !== RANK)) return rows;
  const trump = rows.find((row) => row[KIND] === SIGN && row[FLAGS] & PLATE)?.[FACE] ?? -1;
  return laid(rows, seat, (face) => weight(face, order, ranks, trump));
}

// Return a scene in which the hand of a seat lies in the order of a list of faces; cards that are new come last.
export function arrange(rows, seat, faces) {
  const places = new Map(faces.map((face, i) => [face, i]));
  return laid(rows, seat, (face) => places.get(face) ?? faces.length);
}

// The faces of a seat's hand, as it lies.
export const facesOf = (rows, seat) => hand(rows, seat).map((i) => rows[i][FACE]);

// Return a scene in which the cards of a hand lie by what `heavy` says of a face.
function laid(rows, seat, heavy) {
  const places = hand(rows, seat);
  const cards = places.map((i) => rows[i]).sort((one, other) => heavy(one[FACE]) - heavy(other[FACE]));
  const made = [...rows];
  places.forEach((i, k) => (made[i] = cards[k]));
  return made;
}

// Whether a seat has cards whose order means nothing.
export const sortable = (rows, seat, ranks) => ranks !== "" && hand(rows, seat).length > 1;
