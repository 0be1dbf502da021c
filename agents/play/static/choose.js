// From chosen elements to legal actions. No rules: only the choices that the server sent,
// [[action, words, how, amount, target, [keys], phrase], …], see envs/core/input_spec.py.

import { gettext } from "./language.js";

export const [SELECT, BUTTON, AMOUNT] = [1, 2, 3];
export const [ACTION, WORDS, HOW, , TARGET, KEYS] = Array(6).keys();
const EXAMPLES = 3;

function counts(keys) {
  const found = new Map();
  for (const key of keys) found.set(key, (found.get(key) ?? 0) + 1);
  return found;
}

// Whether all of `few` are among `many`, each as often.
export function within(few, many) {
  const have = counts(many);
  return [...counts(few)].every(([key, count]) => (have.get(key) ?? 0) >= count);
}

const selects = (choices) => choices.filter((choice) => choice[HOW] === SELECT && choice[KEYS].length > 0);

// Choices that use these elements and maybe more.
export const possible = (choices, keys) => selects(choices).filter((choice) => within(keys, choice[KEYS]));

// Actions that need no element: they are buttons.
export const buttons = (choices) =>
  choices.filter((choice) => choice[HOW] === BUTTON || (choice[HOW] === SELECT && choice[KEYS].length === 0));

export const amounts = (choices) => choices.filter((choice) => choice[HOW] === AMOUNT).sort((a, b) => a[3] - b[3]);

// What these chosen elements come to.
//   play: the action, if it is the only thing they can mean; offers: choices to confirm; why: a sentence, or "".
export function judge(choices, keys) {
  if (keys.length === 0) return { play: null, offers: [], why: "" };
  const fits = possible(choices, keys);
  const exact = fits.filter((choice) => choice[KEYS].length === keys.length);
  if (fits.length === 0) return { play: null, offers: [], why: gettext("No legal move uses these together.") };
  if (exact.length === 0) return { play: null, offers: [], why: gettext("This needs more: {0}.", examples(fits)) };
  if (exact.length === 1 && fits.length === 1) return { play: exact[0][ACTION], offers: exact, why: "" };
  return { play: null, offers: exact, why: "" };
}

function examples(choices) {
  const words = choices.slice(0, EXAMPLES).map((choice) => choice[WORDS]);
  return words.join(", ") + (choices.length > EXAMPLES ? ", …" : "");
}

// The action of these elements dropped on an element of key `target`, or null.
export function dropped(choices, keys, target) {
  const exact = possible(choices, keys).filter((choice) => choice[KEYS].length === keys.length);
  const aimed = exact.filter((choice) => choice[TARGET] === target && target !== 0);
  if (aimed.length === 1) return aimed[0][ACTION];
  const loose = exact.filter((choice) => choice[TARGET] === 0);
  return aimed.length === 0 && loose.length === 1 ? loose[0][ACTION] : null;
}

// What an element of this key is called for those who do not see it.
export function spoken(choices, key) {
  const uses = selects(choices).filter((choice) => choice[KEYS].includes(key));
  return uses.length ? examples(uses) : "";
}
