// What somebody wants of the page, kept by the browser: switches whose ids are the names.

const KEY = "kozyr-wishes";

function all() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) || "{}");
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}

// Let a switch show what is kept, and keep what it is set to; `does` is called with it, now too.
export function wish(box, does) {
  box.checked = all()[box.id] ?? box.defaultChecked;
  does(box.checked);
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...all(), [box.id]: box.checked }));
    } catch {
      // a browser that keeps nothing does it until the page is left
    }
    does(box.checked);
  });
}
