"""Games in a browser: rules and scripted players as WebAssembly, the same bytes as here, with a small ES module around.

    kozyr wasm durak --out site/games

See "Games in JavaScript" in the documentation.
"""

from kozyr.agents.play.site.build import check_name, facts, package, words, write
from kozyr.agents.play.site.modules import compiled
from kozyr.agents.play.site.policy import bundled, chosen, condensed, lacks, load, size
from kozyr.agents.play.site.search_module import PIMC
from kozyr.agents.play.site.search_module import known as searching_player

__all__ = [
    "PIMC",
    "bundled",
    "check_name",
    "chosen",
    "compiled",
    "condensed",
    "facts",
    "lacks",
    "load",
    "package",
    "searching_player",
    "size",
    "words",
    "write",
]
