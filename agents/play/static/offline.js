// Keep a site for when there is no network, once the page has what it needs itself, and offer a newer one in the lobby.

async function install() {
  let registration;
  try {
    registration = await navigator.serviceWorker.register("offline.js");
  } catch {
    return;  // the browser keeps nothing: the site works as long as there is a network
  }
  const newer = document.getElementById("newer");
  if (!registration || !newer) return;
  const offer = () => { newer.hidden = !(registration.waiting && navigator.serviceWorker.controller); };
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
  newer.querySelector("button").addEventListener("click", () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
    registration.waiting.postMessage("take over");
  });
  offer();
}

if ("serviceWorker" in navigator && location.protocol !== "file:") {
  if (document.readyState === "complete") install();
  else addEventListener("load", install);
}
