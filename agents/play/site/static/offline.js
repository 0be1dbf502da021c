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
  event.respondWith(answer(event));
});

async function answer(event) {
  const { request } = event;
  const wanted = request.url.endsWith("/") ? `${request.url}index.html` : request;
  const found = await caches.match(wanted, { cacheName: NAME + VERSION, ignoreSearch: true });
  if (found) return found;
  const got = await fetch(request);
  if (got.ok && got.type === "basic" && !request.headers.has("range")) event.waitUntil(keep(request, got.clone()));
  return got;
}

async function keep(request, got) {
  if (!await caches.has(NAME + VERSION)) return;  // a newer worker has taken over
  const kept = await caches.open(NAME + VERSION);
  await kept.put(request, got);
}

// A newer site waits until all pages of the older one are closed, or until somebody asks for it in the lobby.
self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
});
