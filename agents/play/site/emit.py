"""The process that compiles a module; it can do nothing else, see `kozyr.envs.compile.wasm`.

python -m kozyr.agents.play.site.emit FILE < {"game": "durak", "options": {…}, "net": null, "only": []}
"""

import json
import sys
from pathlib import Path

FAILED = 2  # exit code; the reason is on stderr


def main() -> None:
    """Compile the game that standard input tells."""
    from kozyr.envs.compile import wasm

    wasm.turn()
    from kozyr import envs
    from kozyr.agents.play.site import search_module
    from kozyr.agents.play.site.entries import entries
    from kozyr.envs import registry
    from kozyr.envs.compile import CompileError

    told = json.load(sys.stdin)
    game = envs.game(told["game"])
    registry.seat_bots(game)
    try:
        v = game.make_variant(**told["options"])
        searched = told["only"] == [search_module.ENTRY]
        found = {search_module.ENTRY: search_module.entry(game, v)} if searched else entries(game, v, told["net"])
        module = wasm.module({name: one for name, one in found.items() if name in (told["only"] or found)})
    except CompileError as error:
        sys.stderr.write(str(error).partition("\n")[0])
        sys.exit(FAILED)
    Path(sys.argv[1]).write_bytes(module)


if __name__ == "__main__":
    main()
