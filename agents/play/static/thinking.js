// What runs in the worker of thinker.js: it opens a game, then answers views. The answers keep the order of the questions.

let player;
let before = Promise.resolve();

async function answer({ place, view, mask }) {
  if (place) player = await (await (await import(place)).default()).search();
  return place ? {} : { action: player.act(view, mask) };
}

addEventListener("message", ({ data }) => {
  before = before.then(() => answer(data)).catch((error) => ({ why: String(error) })).then(postMessage);
});
