// A search player in a worker, so that the page does not stand still while it thinks.

/** Return the search player of a game, whose module is at `place`. */
export async function thinker(place, name) {
  const worker = new Worker(new URL("./thinking.js", import.meta.url), { type: "module" });
  const asked = []; // who waits, in the order in which the worker answers
  const ask = (message) => new Promise((done, failed) => {
    asked.push({ done, failed });
    worker.postMessage(message);
  });
  worker.addEventListener("message", ({ data: { action, why } }) => {
    const { done, failed } = asked.shift();
    if (why) failed(new Error(why));
    else done(action);
  });
  worker.addEventListener("error", () => {
    for (const { failed } of asked.splice(0)) failed(new Error("the search stopped"));
  });
  await ask({ place: String(place) });
  return { name, act: (view, mask) => ask({ view, mask }) };
}
