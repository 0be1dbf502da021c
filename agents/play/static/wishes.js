// What somebody wants of the page, kept by the browser: switches whose ids are the names.

import { gettext } from "./language.js";

const KEY = "kozyr-wishes";

function all() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) || "{}");
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}

function store(id, value) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...all(), [id]: value }));
  } catch {
    // a browser that keeps nothing does it until the page is left
  }
}

// Let a switch show what is kept, and keep what it is set to; `does` is called with it, now too.
export function wish(box, does) {
  box.checked = all()[box.id] ?? box.defaultChecked;
  does(box.checked);
  box.addEventListener("change", () => {
    store(box.id, box.checked);
    does(box.checked);
  });
}

// Let a button go through some texts, show the one that is kept, and keep the next; `does` is called with it, now too.
export function cycle(button, texts, does) {
  let at = Math.max(texts.indexOf(all()[button.id]), 0);
  const show = () => {
    button.textContent = gettext("Hand: {0}", gettext(texts[at]));
    does(texts[at]);
  };
  show();
  button.addEventListener("click", () => {
    at = (at + 1) % texts.length;
    store(button.id, texts[at]);
    show();
  });
}
