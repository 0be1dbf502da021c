"""Trained policies in Chromium: how long one answer takes, ours and onnxruntime-web's in turn on the same page."""

from __future__ import annotations

import functools
import http.server
import json
import shutil
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from kozyr import agents, envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.agents.play import site

from .timing import ROUNDS, Row

LIBRARY, VERSION = "onnxruntime-web", "1.30.0"
PAGE = Path(__file__).with_name("browser.html")
_TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}
_NEAR = 1e-3  # between logits of both


def rows(seconds: float) -> Iterator[Row]:
    """Give two rows a bundled policy; they need Chromium and the npm registry."""
    with tempfile.TemporaryDirectory() as folder:
        policies = _written(Path(folder), seconds)
        with _address(Path(folder)) as address:
            answers = _measured(f"{address}/browser.html")
    for one in policies:
        answer = answers[one]
        if answer["difference"] > _NEAR:
            raise ValueError(f"{one} answers otherwise than {LIBRARY}: by {answer['difference']}")
        for library, times in (("kozyr", answer["ours"]), (f"{LIBRARY} {VERSION}", answer["theirs"])):
            micro = [1000 * time for time in times]
            name = f"{one} in Chromium, {library.split()[0]}"
            yield Row(name, library, "an answer", median(micro), min(micro), max(micro), False, False, "wall", "µs")


def _written(folder: Path, seconds: float) -> list[str]:
    """Write the games, their networks, the library and the page into a folder; return the names of the policies."""
    from tests.site import node

    table = list[dict[str, str]]()
    for game in map(envs.game, envs.games()):
        for policy in (OnnxPolicy(path) for path in agents.policies(game.name)):
            site.write(game, policy.variant, folder, policy.name, [policy])
            shutil.copy(policy.path, folder)
            table.append({"name": policy.name, "view": str(game.view_dtype)})
    node.run("pack", f"{LIBRARY}@{VERSION}", "--silent", program="npm", cwd=folder)
    shutil.unpack_archive(next(folder.glob("*.tgz")), folder, "gztar", filter="data")
    shutil.copy(PAGE, folder)
    (folder / "table.json").write_text(json.dumps({"policies": table, "rounds": ROUNDS, "seconds": seconds}))
    return [one["name"] for one in table]


@contextmanager
def _address(folder: Path) -> Generator[str]:
    """Serve a folder, and give its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | _TYPES

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


def _measured(address: str) -> dict[str, Any]:
    """Return what the page has measured, by policy."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM, NONE, QUIET

    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        raise RuntimeError(NONE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        page = browser.new_page()
        page.set_default_timeout(600_000)
        page.goto(address)
        page.wait_for_function("globalThis.measured || globalThis.failed")
        if failed := page.evaluate("globalThis.failed"):
            raise RuntimeError(failed)
        return page.evaluate("globalThis.measured")
