"""Compiler process: it writes one WebAssembly module and ends, see `kozyr.envs.compile.wasm`.

python -m kozyr.agents.play.site.emit FILE < {"game": "durak", "options": {…}, "net": null, "only": []}
"""

import json
import sys
from pathlib import Path

FAILED = 2  # exit code; the reason is on stderr


def main() -> None:
    """Compile the game of the job in standard input."""
    from kozyr.envs.compile import wasm

    wasm.turn()
    from kozyr import envs
    from kozyr.agents.play.site import search_module
    from kozyr.agents.play.site.entries import entries
    from kozyr.envs import registry
    from kozyr.envs.compile import CompileError

    job = json.load(sys.stdin)
    game = envs.game(job["game"])
    registry.seat_bots(game)
    try:
        v = game.make_variant(**job["options"])
        search_only = job["only"] == [search_module.ENTRY]
        functions = {search_module.ENTRY: search_module.entry(game, v)} if search_only else entries(game, v, job["net"])
        module = wasm.module({name: one for name, one in functions.items() if name in (job["only"] or functions)})
    except CompileError as error:
        sys.stderr.write(str(error).partition("\n")[0])
        sys.exit(FAILED)
    Path(sys.argv[1]).write_bytes(module)


if __name__ == "__main__":
    main()
