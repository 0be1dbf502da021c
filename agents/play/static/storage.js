// What this browser keeps for its visitor, as JSON under names that begin with "kozyr-". A browser that keeps nothing
// works all the same, until the page is left.

const PREFIX = "kozyr-";

// What is kept under a name if it is there and `fits`, and `otherwise` if not.
export function stored(name, fits, otherwise) {
  try {
    const found = JSON.parse(localStorage.getItem(PREFIX + name));
    return fits(found) ? found : otherwise;
  } catch {
    return otherwise;
  }
}

export function store(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // it holds until the page is left
  }
}

export const isObject = (found) => typeof found === "object" && found !== null && !Array.isArray(found);
export const isText = (found) => typeof found === "string";
