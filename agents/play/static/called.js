// What an element is called for those who do not see it.

import { CARD, FACE, KIND } from "../viewer/pieces.js";

const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king", "ace"];
const SUITS = ["clubs", "spades", "hearts", "diamonds"]; // as envs/core/cards.py has them
const JOKER = 53;

// The name of a card as its face shows it; "" for what is no open card, whose moves say what it is.
export function called(row) {
  const face = row[FACE];
  if (row[KIND] !== CARD || face < 1 || face > JOKER) return "";
  return face === JOKER ? "joker" : `${RANKS[(face - 1) % 13]} of ${SUITS[Math.floor((face - 1) / 13)]}`;
}
