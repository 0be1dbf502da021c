// Keep a site for when there is no network, once the page has what it needs itself.

async function install() {
  let registration;
  try {
    registration = await navigator.serviceWorker.register("offline.js");
  } catch {
    return;  // the browser keeps nothing: the site works as long as there is a network
  }
  if (document.getElementById("main").classList.contains("sitting")) return;
  const offer = () => registration.waiting?.postMessage("take over");
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
  offer();
}

if ("serviceWorker" in navigator && location.protocol !== "file:") {
  if (document.readyState === "complete") install();
  else addEventListener("load", install);
}
