"""Write the pages that are made from the sources: environments, rules, policies, commands, notebooks."""

import hashlib
import re
import shutil
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

from kozyr import agents, envs
from kozyr.agents.arena import cup_report
from kozyr.agents.arena.contest import Contest
from kozyr.agents.arena.cup import Cup
from kozyr.agents.arena.cup_result import CupResult
from kozyr.agents.engines import students
from kozyr.envs import registry

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "_site"  # what is copied beside the pages
_LEADERBOARD = """How strong the bundled agents are, in matches that you can play again. 50 % is equal strength. ± is
half of the 95 % interval over duplicate deals.

    kozyr leaderboard check docs/leaderboard.jsonl --sample 3

plays three of them anew and compares every number to the last digit.
[How it works](../howto/data.md#keep-a-leaderboard)."""
_COMMANDS = """What `kozyr COMMAND --help` prints. `kozyr` alone lists all commands on one screen.

`kozyr --install-completion` lets the Tab key complete commands, options, games and players in your shell.

`--json` makes a command print [one JSON document](json.md)."""
_LIST = "```{toctree}\n:hidden:\n\n"


def write(docs: Path) -> None:
    """Write all pages, and only those whose text has changed, so that Sphinx rebuilds no others."""
    for name in envs.games():
        game = envs.game(name)
        keep(docs / "environments" / f"{game.id}.svg", picture(name))
        keep(docs / "environments" / f"{game.id}.md", environment(game))
        keep(docs / "environments" / f"{name}_rules.md", rules(game))
    cards = sorted((ROOT / "training" / "policies").glob("*.md"))
    for card in cards:
        keep(docs / "policies" / card.name, included(f"training/policies/{card.name}"))
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        keep(docs / "notebooks" / notebook.name, notebook.read_text(encoding="utf-8"))
    keep(docs / "reference" / "commands.md", commands())
    keep(docs / "reference" / "leaderboard.md", leaderboard())
    site()
    course(SITE / "course")


def course(folder: Path) -> CupResult:
    """Play the cup of the sample course and write its page; what it has played before is kept."""
    bots = students.players(ROOT / "docs" / "course")
    sources, marks = ({name: one[k] for name, one in bots.items()} for k in (0, 1))
    kept = folder / "cup.jsonl"
    contest = Contest("mnk", [*bots], 10, 1, kept, move_limit=5.0, sources=sources, marks=marks)
    result = Cup(contest, "round-robin").play(1)
    cup_report.write(contest, [result], folder)
    return result


def keep(path: Path, text: str) -> None:
    """Write a file unless it says the same already."""
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def included(source: str) -> str:
    """Return a page that shows a Markdown file of the repository."""
    return f"```{{include}} ../../{source}\n```\n"


def rules(game: Any) -> str:
    """Return the page with a game's rules, which are beside its code."""
    return (resources.files(game.package) / "RULES.md").read_text(encoding="utf-8")


def environment(game: Any) -> str:
    """Return an environment's docstring as a page: under its title a picture, and a link to the rules."""
    title, _, rest = (getattr(registry.page(game.name), "__doc__", None) or f"# {game.title}").partition("\n")
    rest = re.sub("^###", "##", rest, flags=re.MULTILINE)  # Sphinx wants levels without gaps
    shown = f"![A game of {game.title} half way through]({game.id}.svg)\n\n{table(game)}"
    rules = f"[The rules, paragraph by paragraph]({game.name}_rules.md)."
    body, mark, history = rest.rstrip().partition("\n## Version History")
    text = f"{body.rstrip()}\n\n{players(game.name)}\n{mark}{history}"
    return f"{title}\n\n{shown}\n\n{rules} [The players](#players).\n{text}\n\n{_LIST}{game.name}_rules\n```\n"


def table(game: Any) -> str:
    """Return a table to play at, which opens when it is asked for."""
    frame = f'<iframe class="table" loading="lazy" title="A table" src="../play/table.html#game={game.name}"></iframe>'
    return f"```{{raw}} html\n<details><summary>Play it here</summary>{frame}</details>\n```"


def site() -> None:
    """Write the games that the tables of the pages need, unless they were made from the same sources."""
    from kozyr.agents.human import site as pages

    folder, sources = SITE / "play", hashlib.sha256()
    tops = "envs", "agents", "training/policies"
    for path in sorted(path for top in tops for path in (ROOT / top).rglob("*.*") if path.is_file()):
        if "__pycache__" not in path.parts:
            sources.update(path.read_bytes())
    stamp = folder / "sources"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == sources.hexdigest():
        return
    shutil.rmtree(folder, ignore_errors=True)
    pages.write([pages.sort(envs.game(name), {}) for name in envs.games()], folder)
    stamp.write_text(sources.hexdigest(), encoding="utf-8")


def players(game: str) -> str:
    """Return the section that says what each player does."""
    scripted, known = agents.names(game), agents.about(game)
    named = [f"**`{name}`** {known[name]}" if name in known else f"**`{name}`**" for name in scripted]
    ahead = [f"**`{name}`** {known[name]}" for name in agents.searchers(game) if name in known]
    measured = f"`kozyr ladder {game}` measures how strong they are."
    first = f"Scripted players, weakest first; {measured}"
    return "\n\n".join(["## Players", first, *named, "Search players, which take a budget (`pimc@400`):", *ahead])


def picture(name: str, seed: int = 4) -> str:
    """Return the drawing of a game half way through, with all cards shown, between the strongest scripted players."""
    plies = sum(1 for _ in positions(name, seed))
    env = next(islice(positions(name, seed), plies // 2, None))
    return env.render()


def positions(name: str, seed: int) -> Any:
    """Play a game and give the environment before every action."""
    env, player = envs.make(name, render_mode="svg"), agents.load(agents.names(name)[-1], game=name)
    env.reset(seed=seed)
    player.reset(-1, seed)
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            break
        yield env
        env.step(player.act(observation["observation"], observation["action_mask"]))


def leaderboard() -> str:
    """Return the page of the bundled agents' leaderboard, a table a game."""
    from kozyr.agents.arena import leaderboard as board

    claims = board.read(ROOT / "docs" / "leaderboard.jsonl")
    parts = ["# Leaderboard", _LEADERBOARD]
    for title in dict.fromkeys(board.titled(one) for one in claims):
        rows = ["| Player | Score, % | Against, in all other seats | Deals | Seed |", "|---|---:|---|---:|---:|"]
        for one in claims:
            if board.titled(one) == title:
                first, *others = one.scores
                names = ", ".join(f"`{other.agent}`" for other in others)
                rows.append(f"| `{first.agent}` | {board.score(first)} | {names} | {one.deals:,} | {one.seed} |")
        parts += [f"## {title}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def commands() -> str:
    """Return the page of the command line: what `--help` prints."""
    import typer.main

    from kozyr.training.cli import app

    group: Any = typer.main.get_command(app)
    parts = ["# The command line", _COMMANDS]
    for name, command in group.commands.items():
        parts += [f"## kozyr {name}", command.help or "", _options(command), f"    {command.epilog}"]
    return "\n\n".join(parts) + "\n"


def _options(command: Any) -> str:
    """Return a table of a command's arguments and options."""
    rows = ["| Argument or option | Default | Meaning |", "|---|---|---|"]
    for one in command.params:
        names = (
            ", ".join(f"`{name}`" for name in one.opts) if one.param_type_name == "option" else f"`{one.name.upper()}`"
        )
        plain = one.default is None or one.default is False or callable(one.default)
        rows.append(f"| {names} | {'' if plain else f'`{one.default}`'} | {getattr(one, 'help', None) or ''} |")
    return "\n".join(rows)
