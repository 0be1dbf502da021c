"""Write the pages that are made from the sources: environments, rules, policies, commands, notebooks."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from kozyr import agents, envs
from kozyr.agents import search
from kozyr.agents.arena.matches.schedule import Contest
from kozyr.agents.arena.results.escape import in_code
from kozyr.agents.arena.scores import card as score_card
from kozyr.agents.arena.scores import report
from kozyr.agents.arena.scores import suite as suites
from kozyr.agents.arena.tournaments import cup_report
from kozyr.agents.arena.tournaments.cup import Cup
from kozyr.agents.arena.tournaments.cup_result import CupResult
from kozyr.agents.player import play_game
from kozyr.agents.programs import students
from kozyr.envs import registry
from kozyr.envs.viewer import film as filming

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "_site"  # what is copied beside the pages
TABLES = ROOT / "docs" / "_tables"  # what is copied last, because it is written while Sphinx works
_SUITE = """The tasks of `{suite}`, and how strong the bundled agents are in it. 0 points are random play, 100 those of
the task's reference. ± and brackets are [95 % intervals](../about/how_numbers_are_made.md) over duplicate deals.
[What points mean, and how to report them](index.md)."""
_REPORTS = """Each row is a report, a file in `docs/benchmark/reports` that you can play again:

    kozyr score check docs/benchmark/reports/policies.json --sample 3"""
_BY_TASK = """A report has points for all tasks if its agents play every task. Below, task by task, is who played what.
`ms a move` is the time of a decision of a policy or a search on two cores that had other work as well."""
_SCORES = """Use these names wherever an agent is asked for, as in `agents.load("{name}:NAME")` or
`kozyr match {name} NAME NAME`. A score of 50 % means equal strength. `kozyr ladder {name}` measures the scores.
[Results](../about/results.md) has them with intervals and the options that were used."""
_AHEAD = "They look ahead. Add a budget with `@`: `pimc@400` runs 400 simulations, `pimc@50ms` thinks for 50 ms."
_POLICIES = """`policy` stands for the one that was trained for your options, as in `kozyr match {name} policy random`.
Each one links to its card, which says how it was trained and measured."""
_SMALL = "Policies that end in `_small` are small networks that play the later moves in a search's worlds."
FILMS = "films"
_FILMED: dict[str, dict[str, Any]] = {
    "daifugo": {},
    "draw_poker": {},
    "durak": {},
    "mnk": {},
    "war": {"pickup": "choice"},
}
_PLIES = 30  # of a game, a second each
_COMMANDS = """What `kozyr COMMAND --help` prints. `kozyr` alone lists all commands on one screen.

`kozyr --install-completion` lets the Tab key complete commands, options, games and players in your shell.

`--json` makes a command print [one JSON document](json.md)."""
_LIST = "```{toctree}\n:hidden:\n\n"


def write(docs: Path) -> Future[None]:
    """Write all pages, and only those whose text has changed, so that Sphinx rebuilds no others.

    The tables' games are compiled by processes of their own meanwhile: what is returned is done when they are.
    """
    for name in envs.games():
        game = envs.game(name)
        keep(docs / "environments" / f"{game.id}.md", environment(game))
        keep(docs / "environments" / f"{name}_rules.md", rules(game))
    cards = sorted((ROOT / "training" / "policies").glob("*.md"))
    for card in cards:
        keep(docs / "policies" / card.name, folded(card.read_text(encoding="utf-8")))
    for card in sorted((ROOT / "agents").glob("*/learned.md")):
        page = card.read_text(encoding="utf-8").replace("](../../docs/", "](../")
        keep(docs / "policies" / f"{card.parent.name}_search.md", page)
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        keep(docs / "notebooks" / notebook.name, notebook.read_text(encoding="utf-8"))
    keep(docs / "reference" / "commands.md", commands())
    keep(docs / "benchmark" / "scores.md", scores())
    films()
    course(SITE / "course")
    return ThreadPoolExecutor(1).submit(site)


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


def folded(card: str) -> str:
    """Return a policy's card as a page, on which its facts for programs open when they are asked for."""
    fold = "```{{raw}} html\n{}\n```\n"
    first, last = fold.format("<details><summary>The same for programs</summary>"), fold.format("</details>")
    return re.sub(r"^```json\n.*?^```$", lambda found: f"{first}\n{found[0]}\n\n{last}", card, flags=re.M | re.S)


def rules(game: Any) -> str:
    """Return the page with a game's rules, which are beside its code."""
    _, _, text = (resources.files(game.package) / "RULES.md").read_text(encoding="utf-8").partition("\n")
    return f"# {game.title}: rules\n{text}"


def environment(game: Any) -> str:
    """Return an environment's docstring as a page, with a film of a game, a table to play at, and its players."""
    title, _, rest = (getattr(registry.page(game.name), "__doc__", None) or f"# {game.title}").partition("\n")
    rest = re.sub("^###", "##", rest, flags=re.MULTILINE)  # Sphinx wants levels without gaps
    facts, words, sections = opening(rest)
    ways = f"[Rules]({game.name}_rules.md) · [Usage](#usage) · [Players](#players) · [Strategy](#strategy)"
    first = [title, film(game), words, ways, table(game), facts]
    body = before(before(sections, "Options", commands_of(game.name)), "Strategy", players(game))
    return "\n\n".join([*first, body.strip()]) + f"\n\n{_LIST}Rules <{game.name}_rules>\n```\n"


def opening(text: str) -> tuple[str, str, str]:
    """Return the table that opens a page, its introduction and its sections."""
    first, mark, sections = text.partition("\n## ")
    table, words = list[str](), list[str]()
    for block in first.strip().split("\n\n"):
        (table if block.startswith("|") else words).append(block)
    told = re.sub(
        r"\s*`RULES\.md` in the folder `\w+` holds the rules paragraph by\s+paragraph\.", "", "\n\n".join(words)
    )
    return "\n\n".join(table), told, mark + sections


def before(text: str, heading: str, part: str) -> str:
    """Return a page with a part before one of its headings, or at its end if it has no such heading."""
    start, mark, end = text.partition(f"\n## {heading}\n")
    return f"{start.rstrip()}\n\n{part}\n{mark}{end}"


def film(game: Any) -> str:
    """Return a film of a game, and a picture in its place for those who want nothing to move."""
    folder = f"../{FILMS}/{game.name}"
    words = f"A game of {game.title} between scripted players, all cards shown"
    return f"""```{{raw}} html
<picture class="film"><source media="(prefers-reduced-motion: reduce)" srcset="{folder}.still.svg">
<img src="{folder}.svg" alt="{words}"></picture>
```"""


def commands_of(name: str) -> str:
    """Return the commands that one tries first with a game."""
    strongest = agents.names(name)[-1]
    lines = {
        f"kozyr play {name}": "play it in your browser",
        f"kozyr match {name} {strongest} random --deals 500": "compare two players",
        f"kozyr train {name} --preset demo --out runs/{name}": "train a policy",
        f"kozyr evaluate runs/{name}/policy.onnx --against {strongest}": "test it",
        f"kozyr agents {name}": "list the players",
    }
    wide = max(map(len, lines))
    text = "\n".join(f"{line:{wide}}  # {words}" for line, words in lines.items())
    more = "[Many tables at once](../howto/own_training_loop.md), [evaluation](../howto/evaluation.md)"
    return f"On the command line:\n\n```sh\n{text}\n```\n\n{more} and [your own bot](../howto/own_bot.md) have pages."


def table(game: Any) -> str:
    """Return a table to play at, which opens when it is asked for."""
    frame = f'<iframe class="table" loading="lazy" title="A table" src="../play/table.html#game={game.name}"></iframe>'
    return f"```{{raw}} html\n<details><summary>Play it here</summary>{frame}</details>\n```"


def site() -> None:
    """Write the games that the tables of the pages need, unless they were made from the same sources."""
    from kozyr.agents.play.site import site as pages

    stamp = renewed(TABLES)
    if stamp is not None:
        pages.write([pages.site_game(envs.game(name), {}) for name in envs.games()], TABLES)
        stamp()


def renewed(folder: Path) -> Callable[[], Any] | None:
    """Empty a folder and return what marks it as written, or None if it was made from the same sources."""
    sources, tops = hashlib.sha256(), ("envs", "agents", "training/policies")
    for path in sorted(path for top in tops for path in (ROOT / top).rglob("*.*") if path.is_file()):
        if "__pycache__" not in path.parts:
            sources.update(path.read_bytes())
    stamp = folder / "sources"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == sources.hexdigest():
        return None
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return lambda: stamp.write_text(sources.hexdigest(), encoding="utf-8")


def players(game: Any) -> str:
    """Return the section that says what each player does, and how strong the bundled policies are."""
    name, known = game.name, agents.about(game.name)
    general = [one for one in agents.searchers(name) if known[one] == search.ABOUT.get(one)]
    own = sorted({*agents.searchers(name)} - {*general}, key=search.rungs(game).index)
    scripted, ahead = ([f"**`{one}`** {known[one]}" for one in some] for some in (agents.names(name), own + general))
    return "\n\n".join(
        [
            f"## Players\n\n{_SCORES.format(name=name)}",
            "### Scripted players",
            "Weakest first.",
            *scripted,
            "### Search players",
            _AHEAD,
            *ahead,
            "### Bundled policies",
            policies(name),
        ]
    )


def policies(name: str) -> str:
    """Return a table of the trained policies that are bundled for a game."""
    rows = ["| Policy | Options | Score |", "|---|---|---|"]
    for card in sorted((ROOT / "training" / "policies").glob(f"{name}_*.md")):
        facts = json.loads(card.read_text(encoding="utf-8").partition("```json\n")[2].partition("\n```")[0])
        game = envs.game(name)
        given = game.departures(game.make_variant(**facts["options"]))
        options = ", ".join(f"`{key}={value}`" for key, value in given.items()) or "default"
        scores = ", ".join(f"{100 * row['score']:.1f} % against `{row['against']}`" for row in facts["results"])
        rows.append(f"| [`{card.stem}`](../policies/{card.name}) | {options} | {scores} |")
    small = _SMALL if any("_small`" in row for row in rows) else ""
    return f"{_POLICIES.format(name=name)} {small}".rstrip() + "\n\n" + "\n".join(rows)


def films() -> None:
    """Write a film of each game between the strongest scripted players, and a picture from its middle."""
    folder = SITE / FILMS
    stamp = renewed(folder)
    if stamp is None:
        return
    for name, options in _FILMED.items():
        game = envs.game(name)
        variant, player = game.make_variant(**options), agents.load(agents.names(name)[-1], name, **options)
        played = play_game(game, variant, 4, -1, [player] * game.seats(variant))
        last = min(len(played.actions), _PLIES)
        for file, plies in ((f"{name}.svg", range(last + 1)), (f"{name}.still.svg", range(last // 2, last // 2 + 1))):
            shown = replace(played, actions=played.actions[: plies[-1]])  # the rest need not be drawn
            filming.write(shown, folder / file, plies=plies, delay=1.0)
    stamp()


def scores() -> str:
    """Return the page of the newest suite: its tasks, and the reports of the bundled agents."""
    suite = suites.load()
    made = {path.name: report.read(path) for path in sorted((ROOT / "docs" / "benchmark" / "reports").glob("*.json"))}
    ranked = sorted(made, key=lambda name: score_card.order(made[name]), reverse=True)
    rows = ["| Agents | Points, all tasks | File |", "|---|---:|---|"]
    for name in ranked:
        points = made[name].points
        rows.append(f"| {made[name].title} | {'' if points is None else score_card.points_text(points)} | `{name}` |")
    parts = [f"# Scores in {suite.suite}", _SUITE.format(suite=suite.suite), _REPORTS, "\n".join(rows), _BY_TASK]
    parts += [_task(task, [made[name] for name in ranked]) for task in suite.tasks]
    return "\n\n".join([*parts, f"The digest of {suite.suite} is `{suite.digest}`."]) + "\n"


def _task(task: suites.Task, made: list[report.Report]) -> str:
    """Return the part of a task: what it is, and a table of those who played it."""
    options = ", ".join(f"{name}={value}" for name, value in task.variant.items()) or "default options"
    against = ", ".join(f"`{one.agent}` ({one.deals:,} deals)" for one in task.opponents)
    begins = f" Games begin with {task.opening} random plies." if task.opening else ""
    ends = f"0 points are a score of {100 * task.zero:.2f} %, 100 points of {100 * task.hundred:.2f} %."
    rows = ["| Agents | Player | Points | ms a move |", "|---|---|---:|---:|"]
    for one in made:
        for each in one.tasks:
            if each.task == task.name:
                ms = "" if each.ms is None else f"{each.ms:.2f}"
                rows.append(f"| {one.title} | `{in_code(each.agent)}` | {score_card.points_text(each.points)} | {ms} |")
    words = f"{task.game}, {options}. Against {against}. {ends}{begins}"
    return "\n\n".join([f"## {task.name}", words, "\n".join(rows)])


def commands() -> str:
    """Return the page of the command line: what `--help` prints."""
    import typer.main

    from kozyr.training.cli import app

    group: Any = typer.main.get_command(app)
    parts = ["# The command line", _COMMANDS]
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        if inner is None:
            parts += _command("##", f"kozyr {name}", command)
        else:
            parts += [f"## kozyr {name}", command.help or ""]
            for other, one in inner.items():
                parts += _command("###", f"kozyr {name} {other}", one)
    return "\n\n".join(parts) + "\n"


def _command(level: str, name: str, command: Any) -> list[str]:
    """Return what `--help` says of a command, below a heading."""
    example = [f"    {command.epilog}"] if command.epilog else []
    return [f"{level} {name}", command.help or "", _options(command), *example]


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
