"""Games in a browser: rules and scripted players as WebAssembly, the same bytes as here, with a small ES module around.

    kozyr wasm durak --out site/games

See "Games in JavaScript" in the documentation.
"""

from kozyr.agents.play.site.build import check_name, facts, package, words, write
from kozyr.agents.play.site.modules import compiled
from kozyr.agents.play.site.policy import bundled, condensed, for_variant, load, size
from kozyr.agents.play.site.search_module import PIMC, find_search

__all__ = [
    "PIMC",
    "bundled",
    "check_name",
    "compiled",
    "condensed",
    "facts",
    "find_search",
    "for_variant",
    "load",
    "package",
    "size",
    "words",
    "write",
]
