"""A server, a Chromium of this machine, and pages that fail where their scripts do.

Playwright drives a Firefox only if it has built it itself, so Debian's is of no use here.
"""

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="run by `make test-browser`")

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.play.wire import Server
from tests.plugs.required import REQUIRED

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BY_HAND = """localStorage.getItem("kozyr-wishes") ?? localStorage.setItem("kozyr-wishes", '{"forced": false}')"""
NONE = "there is no Chromium on this machine: install one, with Debian `apt-get install chromium`"
SCREENS = Path(__file__).parents[2] / "build" / "screens"
WIDE, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=360, height=740)
AXE = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations.map(
    one => `${one.id} (${one.impact}): ${one.help}: ${one.nodes.slice(0, 5).map(node => node.html).join(" ")}`)"""


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Skip in a sentence where there is no browser, unless it is required."""
    if found() is None and os.environ.get(REQUIRED) != "browser":
        for item in items:
            if Path(__file__).parent in Path(item.path).parents:
                item.add_marker(pytest.mark.skip(reason=NONE))


def found() -> str | None:
    """Return the path of a browser of this machine."""
    return next((path for name in CHROMIUM if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = found() or pytest.fail(NONE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield running
        running.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("house")) as running:
        yield running


Opener = Callable[..., Page]


@pytest.fixture
def window(browser: Browser, server: Server) -> Iterator[Opener]:
    """Open pages, each in a browser context of its own; at the end none may have had an error.

    Every move is made by hand, unless `forced` lets a person's only moves play themselves, as is usual.
    """
    contexts, wrong = list[Any](), list[str]()

    def opened(size: Any = WIDE, forced: bool = False, **given: Any) -> Page:
        context = browser.new_context(viewport=size, base_url=server.address, **given)
        if not forced:
            context.add_init_script(BY_HAND)
        context.set_default_timeout(10_000)
        context.set_default_navigation_timeout(30_000)  # the first lobby draws its pictures
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
        page.on("console", lambda said: wrong.append(f"{page.url}: {said.text}") if said.type == "error" else None)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page without a server of ours; at the end it may not have had an error."""
    context, wrong = browser.new_context(viewport=WIDE, service_workers="block"), list[str]()
    context.set_default_timeout(10_000)
    opened = context.new_page()
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield opened
    context.close()
    assert wrong == []


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the library has it
        pass


@contextmanager
def served(folder: Path) -> Generator[str]:
    """Serve a folder's files as any web host does, at the address that is given."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def screenshot(page: Page, name: str) -> None:
    """Keep a picture of a page for looking at."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SCREENS / f"{name}.png"))


def complaints(page: Page) -> list[str]:
    """Return what axe-core finds wrong with a page."""
    import axe_playwright_python

    script = (Path(str(axe_playwright_python.__file__)).parent / "axe.min.js").read_text(encoding="utf-8")
    page.evaluate(script)  # the page's policy does not stop the one who debugs it
    return page.evaluate(AXE)


def serious(page: Page) -> list[str]:
    """Return what axe-core finds wrong and calls serious or critical."""
    return [one for one in complaints(page) if "(serious)" in one or "(critical)" in one]


def too_wide(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def small_targets(page: Page, least: int = 44) -> list[str]:
    """Return what can be touched and is smaller than a finger, but for links in a text and what is not shown."""
    return page.evaluate(
        """least => {
        const around = (one, box) => {
            one.scrollIntoView({block: "center"});
            const {x, y, width, height} = one.getBoundingClientRect(), far = least / 2 - 1;
            return [[-32, -far], [10, -far], [-32, far], [10, far]].every(([dx, dy]) => {
                const hit = document.elementFromPoint(x + width / 2 + dx, y + height / 2 + dy);
                return hit == one || hit?.closest("label")?.control == one;
            });
        };
        return [...document.querySelectorAll("button, select, input, summary, [role=button], a")].filter(one => {
            const box = one.getBoundingClientRect(), style = getComputedStyle(one);
            if (one.closest("svg, .skip") || !box.width || !box.height || style.visibility == "hidden") return false;
            if (one.tagName == "A" && style.display == "inline") return false;
            if (one.matches("[type=checkbox], [type=radio]")) return !around(one, box);
            return Math.min(box.width, box.height) < least - 0.5;
        }).map(one => `${one.outerHTML.slice(0, 120)} ${Math.round(one.getBoundingClientRect().width)}×${
            Math.round(one.getBoundingClientRect().height)}`)
        }""",
        least,
    )
