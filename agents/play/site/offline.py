"""Manifest and service worker of a site, which make it an app that plays on with the network off."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from kozyr.envs.table import file_output

MANIFEST, WORKER = "manifest.json", "offline.js"
_FOLDERS = ("games", "pictures", "rules", "static", "viewer", "words")
_ON_DEMAND = (".net", ".weights", ".search.wasm")  # kept once they have been asked for: policies and searches
_UNASKED = (".ts", "package.json", "forward.js", "forward.wasm")  # by the pages, or for a policy alone
_SOURCE = Path(__file__).parent / "static" / WORKER
_FELT, _PAPER = "#1d5646", "#f4f1e6"


def write(folder: Path, pages: Iterable[str]) -> None:
    """Write the manifest and the service worker of a site whose other files are there.

    Args:
        folder: of the site; pages: its pages, relative to the folder.
    """
    manifest = {
        "name": "kozyr",
        "short_name": "kozyr",
        "description": "Games that run in the browser, without a server",
        "start_url": "index.html",
        "scope": "./",
        "display": "standalone",
        "background_color": _PAPER,
        "theme_color": _FELT,
        "icons": [{"src": "static/icon.svg", "sizes": "any", "type": "image/svg+xml"}],
    }
    file_output.write(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    names = sorted({*pages, MANIFEST, *_files(folder)})
    first = [name for name in names if not name.endswith((*_ON_DEMAND, *_UNASKED))]
    head = f'const VERSION = "{_digest(folder, names)}";\nconst FILES = {json.dumps(first, indent=1)};\n\n'
    file_output.write(folder / WORKER, head + _SOURCE.read_text(encoding="utf-8"))


def _files(folder: Path) -> Iterable[str]:
    files = (path for name in _FOLDERS for path in (folder / name).rglob("*") if path.is_file())
    return (path.relative_to(folder).as_posix() for path in files)


def _digest(folder: Path, names: Iterable[str]) -> str:
    """Return the same word for the same files: a site that has changed has another."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{name} {hashlib.sha256((folder / name).read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]
