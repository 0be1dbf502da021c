// The lobby, the form of a new table, and its links. What is possible, the server says; nothing here knows a rule.

import { gettext, named } from "./language.js";
import { keep, mine } from "./mine.js";
import { isText, store, stored } from "./storage.js";

function make(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// My tables.

async function showTables(section) {
  const kept = mine();
  if (!kept.length) return;
  const answer = await fetch("/tables/mine", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(kept),
  });
  if (!answer.ok) return;
  const found = await answer.json();
  keep(kept.filter((one) => found.some((there) => there.table === one.table)));
  const rows = section.querySelector(".rows");
  for (const one of found) {
    const { token } = kept.find((its) => its.table === one.table);
    const row = make("li", "");
    row.append(make("span", `${one.title}: ${named(one.names).join(", ")}`), make("span", one.says, { class: "faint" }));
    row.append(make("a", one.over ? gettext("Look") : gettext("Go on"), { class: "button", href: `/tables/${one.table}#${token}` }));
    rows.append(row);
  }
  section.hidden = !found.length;
}

// How strong the others are, which the browser keeps for all games.

function keepLevel(lists) {
  let level = stored("level", isText, null);
  const show = () => {
    for (const list of lists) {
      if ([...list.options].some((one) => one.value === level)) list.value = level;
      list.form.querySelector(".player code").textContent = list.selectedOptions[0].dataset.player;
    }
  };
  for (const list of lists) {
    list.addEventListener("change", () => {
      level = list.value;
      store("level", level);
      show();
    });
  }
  addEventListener("pageshow", show);
}

// The form of a new table.

function watchForm(form) {
  let asked = 0;
  let waiting;
  const fields = () => new URLSearchParams(new FormData(form));
  const ask = async () => {
    const number = ++asked;
    let answer;
    try {
      answer = await fetch(form.dataset.check, { method: "POST", body: fields() });
    } catch {
      return;  // the server says it again when the form is sent
    }
    if (number === asked && answer.ok) show(form, await answer.json());
  };
  form.addEventListener("input", () => {
    asked += 1;  // an answer that is on its way is about the form as it was
    clearTimeout(waiting);
    waiting = setTimeout(ask, 200);
    describe(form);
  });
  form.addEventListener("submit", (event) => {
    if (form.querySelector(".first").getAttribute("aria-disabled") !== "true") return;
    event.preventDefault();
    form.querySelector("[aria-invalid=true]")?.focus();
  });
  addEventListener("pageshow", ask);
  describe(form);
}

// Saving one's name leads back to the form as it is filled in.
function keepForm(form, names) {
  names.addEventListener("submit", () => {
    const filled = new URLSearchParams(new FormData(form));
    filled.delete("form");
    for (const box of form.querySelectorAll("[type=checkbox]:not(:checked)")) filled.set(box.name, "");
    names.elements.back.value = `${location.pathname}?${filled}`;
  });
}

function show(form, told) {
  const seats = form.querySelector("#seats");
  if (seats.dataset.shape !== told.shape) {
    const focused = document.activeElement?.id;
    seats.innerHTML = told.seats;
    seats.dataset.shape = told.shape;
    if (focused) document.getElementById(focused)?.focus();
  }
  form.querySelector("#refused").textContent = "";
  const why = form.querySelector("#why");
  const first = told.problems[""] || Object.values(told.problems)[0] || "";
  if (why.textContent !== first) why.textContent = first;
  for (const place of form.querySelectorAll(".problem")) {
    const key = place.id.replace("problem-", "");
    const words = told.problems[key] || "";
    if (place.textContent !== words) place.textContent = words;
    const field = document.getElementById(key);
    if (field && words) field.setAttribute("aria-invalid", "true");
    else if (field) field.removeAttribute("aria-invalid");
  }
  const button = form.querySelector(".first");
  if (Object.keys(told.problems).length) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
  describe(form);
}

function describe(form) {
  for (const place of form.querySelectorAll(".seat .about")) {
    const chosen = form.querySelector(`#seat-${place.id.replace("does-", "")}`)?.selectedOptions[0];
    const about = chosen && document.getElementById(`about-${chosen.value}`);
    const words = about ? `${chosen.textContent} ${about.textContent}` : "";
    const sentence = words.match(/^.*?\.(?=\s|$)/s)?.[0] ?? words;
    if (place.textContent !== sentence) place.textContent = sentence;
    place.lang = about?.querySelector("[lang]")?.lang ?? document.documentElement.lang;
  }
}

// The links of a table that was just made: they stand in the address, after #, which no server is sent.

// An address of this machine alone leads nobody else here, and not every phone knows a machine's name: then the links
// have the network's address, or the page says that there is none.

const ALONE = /^(localhost|127\.[\d.]+|\[::1\])$/;
const NAME = /^[\w-]+(\.local)?$/;

function showLinks(place, near) {
  const table = location.pathname.split("/")[2];
  const alone = ALONE.test(location.hostname);
  const moved = (alone || NAME.test(location.hostname)) && near.dataset.others;
  near.hidden = !alone && !moved;
  const others = moved || location.origin;
  for (const part of location.hash.slice(1).split("&")) {
    const [name, token] = part.split("=");
    if (!/^[\w-]+$/.test(token || "")) continue;
    const path = `/tables/${table}#${token}`;
    if (name === "go") {
      place.append(make("a", gettext("Go to my table"), { class: "button first", href: path }));
    } else {
      place.append(link(name, `${others}${path}`, !alone || moved));
    }
  }
}

// The QR code of an address, which the server draws when it is wanted.
function code(label, address) {
  const row = make("details", "", { class: "code" });
  const picture = make("img", "", { alt: gettext("QR code of the link: {0}", label), width: 240, height: 240 });
  row.append(make("summary", gettext("QR code, for a phone")), picture);
  row.addEventListener("toggle", async () => {
    if (!row.open || picture.src) return;
    const answer = await fetch("/qr.svg", { method: "POST", body: new URLSearchParams({ address }) });
    if (answer.ok) picture.src = URL.createObjectURL(await answer.blob());
    else row.append(make("p", gettext("There is no QR code: copy the link."), { class: "problem" }));
  });
  return row;
}

// A link to copy; `reached` says whether other machines get there.
function link(name, address, reached) {
  const row = make("div", "", { class: "link" });
  const label = name === "watch" ? gettext("To watch") : gettext("Seat {0}", Number(name) + 1);
  const field = make("input", "", { id: `link-${name}`, readonly: "", value: address });
  const button = make("button", gettext("Copy"), { type: "button", "aria-label": gettext("Copy the link: {0}", label) });
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(address);
    } catch {
      field.select();
      document.execCommand("copy");  // addresses without TLS have no clipboard
    }
    button.textContent = gettext("Copied");
    setTimeout(() => (button.textContent = gettext("Copy")), 2000);
  });
  row.append(make("label", label, { for: field.id }), field, button);
  if (reached) row.append(code(label, address));
  return row;
}

for (const link of document.querySelectorAll(".languages a")) if (location.hash) link.hash = location.hash; // keys to seats
const section = document.getElementById("open");
if (section) showTables(section);
const form = document.getElementById("game");
keepLevel(document.querySelectorAll(".start select"));
if (form) watchForm(form);
if (form) keepForm(form, document.querySelector("form[action='/name']"));
const links = document.getElementById("links");
if (links) showLinks(links, document.getElementById("near"));
