// A board whose cells are too small for a thumb is drawn larger than its place, which then scrolls.

import { CELL, KIND, LAST, FLAGS, WIDE } from "../viewer/pieces.js";

const TOUCH = 44; // pixels that a thumb needs
const ground = (svg) => svg.parentElement;

// svg: the scene; list: [[node, row], …] as drawn; names: the nodes that may be chosen.
export function fit(svg, list, names) {
  const cells = list.filter(([, row]) => row[KIND] === CELL);
  const room = ground(svg);
  if (cells.length === 0 || !matchMedia("(pointer: coarse), (max-width: 700px)").matches) {
    room.classList.remove("panned");
    room.removeAttribute("tabindex");
    svg.style.width = "";
    return;
  }
  const [wide] = [svg.viewBox.baseVal.width];
  const least = Math.min(...cells.map(([, row]) => row[WIDE]));
  const larger = Math.max(1, (TOUCH * wide) / (least * room.clientWidth));
  const first = !room.classList.contains("panned");
  room.classList.toggle("panned", larger > 1);
  if (larger > 1 && names.size === 0) room.tabIndex = 0; // the keyboard scrolls it where nothing in it can be chosen
  else room.removeAttribute("tabindex");
  svg.style.width = larger > 1 ? `${(100 * larger).toFixed(1)}%` : "";
  if (larger === 1) return;
  if (first) room.scrollTo((svg.clientWidth - room.clientWidth) / 2, (svg.clientHeight - room.clientHeight) / 2);
  const newest = names.size ? cells.find(([, row]) => row[FLAGS] & LAST) : null;
  if (newest && !first) newest[0].scrollIntoView({ block: "nearest", inline: "nearest" });
}
