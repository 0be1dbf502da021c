// The tables that this browser has a place at: their links are kept here, and in the lobby they are offered again.

const KEY = "kozyr-tables";
const MOST = 50;

export function mine() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) || "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one.table === "string" && typeof one.token === "string") : [];
  } catch {
    return [];
  }
}

export function keep(tables) {
  try {
    localStorage.setItem(KEY, JSON.stringify(tables.slice(0, MOST)));
  } catch {
    // a browser that keeps nothing plays all the same
  }
}

const here = location.pathname.match(/^\/tables\/([\w-]+)$/);
const token = location.hash.slice(1);
if (here && /^[\w-]+$/.test(token)) {
  const others = mine().filter((one) => one.table !== here[1] || one.token !== token);
  keep([{ table: here[1], token }, ...others]);
}
