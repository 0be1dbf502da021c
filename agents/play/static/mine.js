// The tables that this browser has a place at: their links are kept here, and in the lobby they are offered again.

import { isObject, isText, store, stored } from "./storage.js";

const MOST = 50;
const fits = (one) => isObject(one) && isText(one.table) && isText(one.token);

export const mine = () => stored("tables", Array.isArray, []).filter(fits);
export const keep = (tables) => store("tables", tables.slice(0, MOST));

const here = location.pathname.match(/^\/tables\/([\w-]+)$/);
const token = location.hash.slice(1);
if (here && /^[\w-]+$/.test(token)) {
  const others = mine().filter((one) => one.table !== here[1] || one.token !== token);
  keep([{ table: here[1], token }, ...others]);
}
