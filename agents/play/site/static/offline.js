// The service worker of a site: its files are kept when it is first visited, and answered from there ever after.
// VERSION and FILES stand above: a word for the whole site, and the files that the first visit keeps. A policy or a
// search is kept once somebody has played against it.

const NAME = `kozyr ${self.registration.scope} `;

self.addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(NAME + VERSION).then((kept) => kept.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) =>
    Promise.all(names.filter((name) => name.startsWith(NAME) && name !== NAME + VERSION).map((name) => caches.delete(name)))));
});

self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  if (!pathname.startsWith(new URL(self.registration.scope).pathname)) return;
  event.respondWith(answer(event.request));
});

async function answer(request) {
  const kept = await caches.open(NAME + VERSION);
  const wanted = request.url.endsWith("/") ? `${request.url}index.html` : request;
  const found = await kept.match(wanted, { ignoreSearch: true });
  if (found) return found;
  const got = await fetch(request);
  if (got.ok && got.type === "basic" && !request.headers.has("range")) await kept.put(request, got.clone());
  return got;
}

// A newer site waits until no game is played: the lobby asks, and only if it is the one page that is open.
self.addEventListener("message", (event) => {
  if (event.data !== "take over") return;
  event.waitUntil(self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((open) =>
    open.length <= 1 ? self.skipWaiting() : undefined));
});
