"""The shell lines of the documentation's pages, made small enough for a test to run."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import typer.main

from kozyr.training.cli import app
from kozyr.training.cli.overview import Inner
from tests.docs import pages

NOT_RUN = "<!-- not run: "  # stands above a block, with the reason
ELSEWHERE = {  # first words of lines that are not ours, and why they are not run
    "#!/bin/sh": "a script",
    "./client": "a program of the UECda contest",
    "cd": "the lines after it run where they are",
    "cli_client": "a program of the course",
    "docker": "there need not be Docker",
    "exec": "a script",
    "export": "sets up an endpoint",
    "git": "needs the network",
    "make": "has tests of its own",
    "nox": "has tests of its own",
    "npx": "needs Node and the network",
    "open": "opens a window",
    "pip": "installs",
    "python": "has tests of its own",
    "ray": "starts a cluster",
}
WAITING = {  # commands that are only checked, and why
    "serve": "waits for clients",
    "join": "needs a server",
    "engine": "waits for a manager",
    "mcp": "waits for a client",
    "web": "compiles for a minute",
    "wasm": "compiles for half a minute",
    "sweep": "needs Ray",
    "warm": "compiles for minutes",
}
OBSTACLES = {  # what a line may need that is not here
    "rllib": "needs Ray",
    "llm:": "needs an endpoint",
    "process:": "needs a program that the reader builds",
    "gomocup:": "needs an engine",
    "deep_sea": "needs a game that the reader installs",
    "hf:": "needs the network",
    "--mp4": "needs ffmpeg",
    "--webp": "draws for half a minute",
    "--terminal": "needs a terminal",
    "cuda": "needs a GPU",
    "--hub": "needs the network",
    "--track": "needs a service",
}
SMALL = {
    "deals": 2,
    "search_deals": 1,
    "timesteps": 64,
    "decisions": 64,
    "simulations": 2,
    "minutes": 0,
    "workers": 1,
    "clients": 1,
    "asks": 2,
    "rounds": 1,
    "games": 4,
    "nodes": 20,
    "epochs": 1,
}
PPO = ["python", "-m", "kozyr.training.ppo_single_file"]  # how lines begin of the one other program that is run
PPO_SMALL = ["--decisions", "64", "--tables", "4", "--deals", "2"]
_SOLVER = re.compile(r"(cfr|mccfr)@\d+")
_OWN = re.compile(r"(?:^|\+)([a-z_]+(?:\.[a-z_]+)*):([A-Z]\w*)$")
_BOT = """from kozyr.agents.agent import Solo


class {}(Solo):
    def act(self, view, mask):
        return int(mask.argmax())
"""


class Line(NamedTuple):
    """A line of a page: its words, where its output goes, and why it is not run, if it is not."""

    words: list[str]
    target: str
    reason: str


def lines(text: str) -> list[Line]:
    """Return the lines of a page's shell blocks.

    Raises:
        ValueError: for a line that is not ours and that nothing says why it is not run.
    """
    found: list[Line] = []
    for mark, block in re.findall(rf"^({NOT_RUN}[^\n]*\n)?\n?```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        reason = mark.removeprefix(NOT_RUN).removesuffix(" -->\n")
        typed = block.replace("\\\n", " ").splitlines()
        found += [_line(one, reason) for one in typed if one.startswith("#!") or shlex.split(one, comments=True)]
    return found


def _line(line: str, reason: str) -> Line:
    words = [line] if line.startswith("#!") else shlex.split(line, comments=True)
    target = ""
    if ">" in words:
        words, target = words[: words.index(">")], words[words.index(">") + 1]
    if words[0] != "kozyr" and words[: len(PPO)] != PPO:
        if not reason and words[0] not in ELSEWHERE:
            raise ValueError(f"{line!r} is not run: write {NOT_RUN}REASON --> above its block")
        return Line(words, target, reason or ELSEWHERE[words[0]])
    needed = [] if words[1] == "new-game" else words  # which writes the game that others need
    obstacle = next((why for what, why in OBSTACLES.items() if any(what in word for word in needed)), "")
    return Line(words, target, reason or WAITING.get(" ".join(words[1:2]), "") or obstacle)


def understood(words: list[str]) -> Any:
    """Return the context of a command line of ours; it is read as far as it can be without running it.

    Raises:
        Exception: typer's, for a line that a user could not type.
    """
    command: Any = typer.main.get_command(app)
    context, rest = None, words[1:]
    while rest and hasattr(command, "commands"):
        if rest[0].startswith("-"):
            break
        if rest[0] not in command.commands and isinstance(command, Inner):
            rest = ["run", *rest]
        assert rest[0] in command.commands, f"there is no command {' '.join(words[: len(words) - len(rest) + 1])!r}"
        command, rest = command.commands[rest[0]], rest[1:]
    if words[1:]:
        context = command.make_context(" ".join(words), list(rest))
    return context


def smaller(words: list[str], context: Any) -> list[str]:
    """Return a command line with small budgets."""
    params = {param.name: param.opts[0] for param in context.command.params if param.param_type_name == "option"}
    found = list(words[1:])
    by, foreign = found[found.index("--by") + 1] if "--by" in found else "learner", {"minutes"}
    if found[0] == "exploit":
        others = {"learner": {"deals", "simulations", "asks"}, "exact": {"decisions", "deals", "simulations"}}
        foreign |= others.get(by, {"decisions", "asks"})
    for name in SMALL.keys() & params.keys():
        option = params[name]
        if option in found:
            found[found.index(option) + 1] = str(SMALL[name])
        elif name not in foreign:
            found += [option, str(SMALL[name])]
    return [_SOLVER.sub(r"\1@2", word) for word in found]


def supply(words: list[str], text: str) -> None:
    """Write into the current folder what a line supposes that the reader has, as the page shows it."""
    for word in words:
        if (own := _OWN.search(word)) and "--" not in word:
            _write_bot(own[1], own[2], text)
        elif word.endswith("/") and not Path(word).exists():
            shutil.copytree(pages.ROOT / "docs" / "course", word)
        elif word.endswith(".onnx") and not Path(word).exists():
            Path(word).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(pages.ROOT / "training" / "policies" / "durak_52.onnx", word)
    if "--settings" in words and not Path(words[words.index("--settings") + 1]).exists():
        Path(words[words.index("--settings") + 1]).write_text(pages.blocks(text, "toml")[0], encoding="utf-8")


def _write_bot(module: str, name: str, text: str) -> None:
    """Write a class where a line looks for it: the page's own, if it shows one."""
    path = Path(*module.split(".")).with_suffix(".py")
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = [block for block in pages.blocks(text, "python") if f"class {name}" in block]
    path.write_text(shown[0] if shown else _BOT.format(name), encoding="utf-8")
