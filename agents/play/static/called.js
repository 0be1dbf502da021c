// What an element is called for those who do not see it.

import { gettext, noop } from "./language.js";
import { CARD, FACE, KIND } from "../viewer/pieces.js";

const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", noop("jack"), noop("queen"), noop("king"), noop("ace")];
const SUITS = [noop("clubs"), noop("spades"), noop("hearts"), noop("diamonds")]; // as envs/core/cards.py has them
const JOKER = 53;

// A suit's sign, or the joker.
export const sign = (face) => "♣♠♥♦"[face] ?? gettext("joker");

// The name of a card as its face shows it; "" for what is no open card, whose moves say what it is.
export function called(row) {
  const face = row[FACE];
  if (row[KIND] !== CARD || face < 1 || face > JOKER) return "";
  if (face === JOKER) return gettext("joker");
  return gettext("{0} of {1}", gettext(RANKS[(face - 1) % 13]), gettext(SUITS[Math.floor((face - 1) / 13)]));
}
