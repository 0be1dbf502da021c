// What somebody wants of the page, kept by the browser: switches whose ids are the names.

import { gettext } from "./language.js";
import { isObject, isText, store, stored } from "./storage.js";

export const wishes = () => stored("wishes", isObject, {});
const keep = (id, value) => store("wishes", { ...wishes(), [id]: value });

// Take over wishes from elsewhere, as far as they can be any.
export function addWishes(found) {
  for (const [id, value] of Object.entries(found)) if (typeof value === "boolean" || isText(value)) keep(id, value);
}

// Let a switch show what is kept, and keep what it is set to; `does` is called with it, now too.
export function wish(box, does) {
  box.checked = wishes()[box.id] ?? box.defaultChecked;
  does(box.checked);
  box.addEventListener("change", () => {
    keep(box.id, box.checked);
    does(box.checked);
  });
}

// Let a button go through some texts, show the one that is kept, and keep the next; `does` is called with it, now too.
export function cycle(button, texts, does) {
  let at = Math.max(texts.indexOf(wishes()[button.id]), 0);
  const show = () => {
    button.textContent = gettext("Hand: {0}", gettext(texts[at]));
    does(texts[at]);
  };
  show();
  button.addEventListener("click", () => {
    at = (at + 1) % texts.length;
    keep(button.id, texts[at]);
    show();
  });
}
