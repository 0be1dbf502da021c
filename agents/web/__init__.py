"""Games in a browser: rules and scripted players as WebAssembly, the same bytes as here, with a small ES module around.

    kozyr wasm durak --out site/games

See "Games in JavaScript" in the documentation.
"""

from kozyr.agents.web.build import check_name, compiled, facts, package, words, write

__all__ = ["check_name", "compiled", "facts", "package", "words", "write"]
