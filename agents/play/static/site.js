// The lobby of a page without a server: forms that become addresses, and the games that this browser has kept.

import { file, records } from "./records.js";

for (const form of document.querySelectorAll("form.sit")) {
  const shape = () => {
    const { seats, players, policies, search } = form.elements.game.selectedOptions[0].dataset;
    const scripted = players.split(" ").map((name) => [name, name]);
    const searching = search ? [[search, `${search}: thinks ahead`]] : [];
    const trained = Object.entries(JSON.parse(policies ?? "{}")).map(([name, kilobytes]) => [name, `${name}: trained, ${kilobytes} kB`]);
    fillIn(form.elements.seat, Array.from({ length: Number(seats) }, (_, k) => [String(k), `seat ${k + 1}`]));
    fillIn(form.elements.against, [...scripted, ...searching, ...trained], scripted.length - 1);
  };
  form.elements.game.addEventListener("change", shape);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const asked = new URLSearchParams(new FormData(form));
    location.assign(`table.html#${asked}`);
  });
  shape();
}

function fillIn(list, options, chosen = 0) {
  const before = list.value;
  list.replaceChildren(...options.map(([value, text], i) => new Option(text, value, i === chosen, i === chosen)));
  if (options.some(([value]) => value === before)) list.value = before;
}

const kept = records();
const section = document.getElementById("kept");
section.hidden = kept.length === 0;
section.querySelector(".rows").replaceChildren(...kept.slice(0, 10).map((one) => {
  const row = document.createElement("li");
  row.textContent = one.says;
  return row;
}));
section.querySelector("button").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file());
  link.download = "games.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
