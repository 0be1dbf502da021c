// The lobby of a page without a server: forms that become addresses, and the games that this browser has kept.

import { backup, chosenLanguage, keepLanguage, restore } from "./backup.js";
import { gettext, language } from "./language.js";
import { file, records } from "./records.js";

// The lobby's first page leads to the one in the language of its visitor: the one that was chosen here, or the browser's.

const links = new Map([...document.querySelectorAll(".languages a")].map((link) => [link.hreflang, link]));
const asked = new URLSearchParams(location.search).get("lang");

for (const [tag, link] of links) link.addEventListener("click", () => keepLanguage(tag));
const wanted = [asked, chosenLanguage(), ...navigator.languages].map((tag) => tag?.split("-")[0]).find((tag) => links.has(tag));
if (language === "en" && wanted && wanted !== "en") {
  keepLanguage(wanted);
  location.replace(links.get(wanted).href + location.hash);
}

for (const form of document.querySelectorAll("form.sit")) {
  const shape = () => {
    const { seats, players, policies, search } = form.elements.game.selectedOptions[0].dataset;
    const scripted = players.split(" ").map((name) => [name, name]);
    const searching = search ? [[search, gettext("{0}: thinks ahead", search)]] : [];
    const trained = Object.entries(JSON.parse(policies ?? "{}")).map(([name, kilobytes]) => [name, gettext("{0}: trained, {1} kB", name, kilobytes)]);
    fillIn(form.elements.seat, Array.from({ length: Number(seats) }, (_, k) => [String(k), gettext("seat {0}", k + 1)]));
    fillIn(form.elements.against, [...scripted, ...searching, ...trained], scripted.length - 1);
  };
  form.elements.game.addEventListener("change", shape);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.assign(`${form.dataset.table}#${new URLSearchParams(new FormData(form))}`);
  });
  shape();
}

function fillIn(list, options, chosen = 0) {
  const before = list.value;
  list.replaceChildren(...options.map(([value, text], i) => new Option(text, value, i === chosen, i === chosen)));
  if (options.some(([value]) => value === before)) list.value = before;
}

function showRecords() {
  const kept = records();
  const section = document.getElementById("kept");
  section.hidden = kept.length === 0;
  section.querySelector(".rows").replaceChildren(...kept.slice(0, 10).map((one) => {
    const row = document.createElement("li");
    row.textContent = one.says;
    return row;
  }));
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

showRecords();
document.querySelector("#kept button").addEventListener("click", () => download(file(), "games.jsonl"));

// What this browser keeps, taken along to another one.

const [save, load] = document.querySelectorAll("#backup button");
const chosen = document.querySelector("#backup input");
const told = document.querySelector("#backup [role=status]");
save.addEventListener("click", () => download(backup(), "kozyr-settings.json"));
load.addEventListener("click", () => chosen.click());
chosen.addEventListener("change", async () => {
  const text = await chosen.files[0]?.text();
  chosen.value = ""; // the same file may be chosen again
  if (text === undefined) return;
  const done = restore(text, [...links.keys()]);
  told.textContent = done
    ? gettext("Your settings are here now, and your games: {0} in all.", records().length)
    : gettext("This file holds no settings of kozyr. Choose one that this page has saved.");
  showRecords();
});
