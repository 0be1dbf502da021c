"""Compiler process: it writes one WebAssembly module and ends, see `kozyr.envs.compile.wasm`.

python -m kozyr.agents.play.site.emit FILE < {"game": "durak", "options": {…}, "net": null, "only": []}
python -m kozyr.agents.play.site.emit FILE < {"forward": true}
"""

import json
import sys
from pathlib import Path
from typing import Any

FAILED = 2  # exit code; the reason is on stderr


def main() -> None:
    """Compile the game of the job in standard input, or the forward pass of networks."""
    from kozyr.envs.compile import wasm

    wasm.turn()
    from kozyr.envs.compile import CompileError

    job = json.load(sys.stdin)
    try:
        module = wasm.module(_functions(job))
    except CompileError as error:
        sys.stderr.write(str(error).partition("\n")[0])
        sys.exit(FAILED)
    Path(sys.argv[1]).write_bytes(module)


def _functions(job: dict[str, Any]) -> dict[str, Any]:
    """Return the functions of a job by their names."""
    from kozyr import envs
    from kozyr.agents.play.site import policy, search_module
    from kozyr.agents.play.site.entries import entries
    from kozyr.envs import registry

    if "forward" in job:
        return {"forward": policy.forward_entry()}
    game = envs.game(job["game"])
    registry.seat_bots(game)
    v = game.make_variant(**job["options"])
    if job["only"] == [search_module.ENTRY]:
        return {search_module.ENTRY: search_module.entry(game, v)}
    functions = entries(game, v, job["net"])
    return {name: one for name, one in functions.items() if name in (job["only"] or functions)}


if __name__ == "__main__":
    main()
