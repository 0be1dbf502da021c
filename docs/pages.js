// What scrolls sideways can be reached by the Tab key, so that the arrow keys can scroll it. The rest is no stop.
const SCROLLING = "pre, .table-wrapper";

function mark(box) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
}

const watch = new ResizeObserver(changes => changes.forEach(change => mark(change.target)));
addEventListener("DOMContentLoaded", () => {
    for (const box of document.querySelectorAll(SCROLLING)) {
        mark(box);
        watch.observe(box);
    }
});
