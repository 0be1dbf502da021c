"""Commands that score agents in a suite: score, score check, score show."""

import random
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output
from kozyr.training.cli.overview import FAILURE, Inner
from kozyr.training.cli.terminal import Confine, Json, Workers, fit_table, show, show_json, without, without_intervals

_SUMS = {"HOLDS": "hold", "DIFFERS": "differ", "UNCHECKED": "cannot be checked here"}
_KEPT = ".matches.jsonl"  # ending of the file of a score that is not done
score = typer.Typer(cls=Inner, no_args_is_help=True, help="Measure an agent in a suite of tasks.")
Suite = Annotated[str, typer.Option("--suite", help="A suite, or a file.toml with your own.")]
OwnSuite = Annotated[str | None, typer.Option("--suite", help="The file.toml of the suite, if it is your own.")]
Files = Annotated[list[Path], typer.Argument(help="Reports that `kozyr score --out` has written.")]


@score.command("run", epilog="Example: kozyr score policy --quick")
def run(
    agents: Annotated[
        list[str],
        typer.Argument(
            help="Who plays: names and files as for `kozyr match`; each plays the tasks that it fits. "
            "durak_36=file.onnx names one for a task."
        ),
    ],
    suite: Suite = "suite-1",
    task: Annotated[list[str] | None, typer.Option(help="Only this task; repeat it for more.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A sixteenth of the deals, for a first impression.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="File for the report (JSON); a stopped score goes on from what is beside it.")
    ] = None,
    card: Annotated[Path | None, typer.Option(help="File for a page with the report and pictures of games.")] = None,
    name: Annotated[str | None, typer.Option(help="The agent's name in the report.")] = None,
    seed: Annotated[int | None, typer.Option(help="Other deals than the suite's own.")] = None,
    exploitability: Annotated[
        bool, typer.Option("--exploitability", help="Also what a best response wins in mini variants, exactly.")
    ] = False,
    workers: Workers = 1,
    confine: Confine = None,
    as_json: Json = False,
) -> None:
    """Measure an agent in a suite of tasks.

    0 points are random play, 100 a strong search. `kozyr score check FILE`
    plays a report again, `kozyr score show FILE FILE` ranks several.
    """
    import msgspec

    from kozyr.agents.arena.scores import card as cards
    from kozyr.agents.arena.scores import play, report
    from kozyr.agents.arena.scores.suite import load

    whole = load(suite)
    minis, alone = _minis(agents, whole) if exploitability else ({}, [])
    lineup = play.parse_line_up(_for_tasks(agents, whole, {*minis.values()}), whole)
    keep = None if out is None else out.with_name(out.name + _KEPT)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
    bar = sys.stderr.isatty()
    if not lineup:
        name = name or ", ".join(dict.fromkeys(minis.values()))
    result = play.score(
        lineup, whole, name=name, tasks=task, quick=quick, seed=seed, workers=workers, progress=bar, keep=keep
    )
    if exploitability:
        result = _with_minis(result, minis)
    if out is not None and keep is not None:
        report.write(out, result)
        keep.unlink(missing_ok=True)
    if card is not None:
        file_output.write(card, cards.page(result, whole, cards.pictures(result, whole)))
    if as_json:
        show_json(msgspec.to_builtins(result))
        return
    _show(result, whole, alone, out, card)


def _show(result: Any, suite: Any, alone: list[str], out: Path | None, card: Path | None) -> None:
    """Print a report as tables, what was not played, and the files that were written."""
    from kozyr.agents.arena.scores import card as cards

    if result.tasks:
        rows = cards.overview(result)
        show(fit_table(f"{result.suite}{', --quick' if result.quick else ''}", rows, without(rows, "Agent")))
    if result.points is None:
        missing = [one.name for one in suite.tasks if one.name not in {each.task for each in result.tasks}]
        show(f"No points for all tasks: {', '.join(missing)} {'were' if len(missing) > 1 else 'was'} not played.")
    if result.mini_scores:
        show(fit_table("Exploitability", cards.exploitability(result)))
    for line in alone:
        show(line)
    for path, what in ((out, "report"), (card, "card")):
        if path is not None:
            show(f"The {what} is {path}")


def _minis(names: list[str], suite: Any) -> tuple[dict[str, str], list[str]]:
    """Return the agents by the names of their mini variants, and a line for each agent that has none."""
    from kozyr.agents.arena.scores import minis

    lineup, alone = minis.line_up(list(dict.fromkeys(_agent(name, suite) for name in names)))
    lines = [
        f"No exploitability of {name}, which plays no mini variant ({why}): `kozyr exploit` measures what a learner "
        "or a search wins from it."
        for name, why in alone.items()
    ]
    return lineup, lines


def _for_tasks(names: list[str], suite: Any, in_minis: set[str]) -> list[str]:
    """Return the names without agents that play mini variants and no task."""
    from kozyr.agents.arena.scores import play

    return [name for name in names if _agent(name, suite) not in in_minis or play.plays_some_task(name, suite)]


def _agent(name: str, suite: Any) -> str:
    """Return the agent in a name as "task=agent"."""
    task, _, agent = name.partition("=")
    return agent if any(one.name == task for one in suite.tasks) else name


def _with_minis(result: Any, minis: dict[str, str]) -> Any:
    """Return a report with the exploitability of agents by the names of their mini variants."""
    from kozyr.agents.arena.scores import report
    from kozyr.training import mini_scores

    return report.with_minis(result, mini_scores.scores(minis, lambda what: typer.echo(what, err=True)))


@score.command("check", epilog="Example: kozyr score check report.json --sample 4")
def check(
    file: Annotated[Path, typer.Argument(help="A report that `kozyr score --out` has written.")],
    sample: Annotated[int | None, typer.Option(min=1, help="Only so many matches, drawn at random.")] = None,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Run classes, programs and models that the report names.")
    ] = False,
    policy: Annotated[
        list[Path] | None, typer.Option(help="A file of a policy that the report names elsewhere; repeat it for more.")
    ] = None,
    suite: OwnSuite = None,
    as_json: Json = False,
) -> None:
    """Play a report again and compare every digit; the exit code is 1 if one differs.

    First all points are computed from the results. Then the matches are
    played. Nothing that the report names is run unless you allow it.
    """
    from kozyr.agents.arena.scores import report as reports
    from kozyr.agents.arena.scores.suite import load

    report = reports.read(file)
    policies = reports.policies_by_digest(policy or [])
    verdict, words = reports.verify(report, None if suite is None else load(suite))
    results: list[dict[str, Any]] = [{"match": "points", "verdict": verdict.value, "words": words}]
    matches = reports.matches_of(report)
    numbers = range(len(matches)) if sample is None else random.sample(range(len(matches)), min(sample, len(matches)))
    for task, match in (matches[k] for k in sorted(numbers)):
        verdict, words = reports.check(match, allow_code, policies)
        results.append({"match": reports.match_text(task, match), "verdict": verdict.value, "words": words})
        if not as_json:
            typer.echo(_line(results[-1]))
    for one in report.mini_scores:
        results.append(_check_mini(one, allow_code, policies))
        if not as_json:
            typer.echo(_line(results[-1]))
    if as_json:
        show_json(results)
    else:
        typer.echo(_line(results[0]))
        counts = [(one, sum(each["verdict"] == one for each in results)) for one in reports.Verdict]
        typer.echo(", ".join(f"{count} {_SUMS[one.name]}" for one, count in counts if count))
    if any(one["verdict"] == reports.Verdict.DIFFERS for one in results):
        raise typer.Exit(FAILURE)


def _check_mini(claim: Any, allow_code: bool, policies: dict[str, str]) -> dict[str, Any]:
    """Return the verdict on the exploitability in a mini variant."""
    from kozyr.agents.arena.results.escape import plain
    from kozyr.training import mini_scores

    verdict, words = mini_scores.check(claim, allow_code, policies)
    what = f"{plain(claim.mini)}, {plain(claim.agent)}, NashConv {claim.nash_conv:.4f}"
    return {"match": what, "verdict": verdict.value, "words": words}


def _line(result: dict[str, Any]) -> str:
    """Return a verdict in a line."""
    return f"{result['match']}: {result['verdict']}{': ' if result['words'] else ''}{result['words']}"


@score.command("show", epilog="Example: kozyr score show mine.json random.json")
def show_reports(files: Files, suite: OwnSuite = None, as_json: Json = False) -> None:
    """Rank reports of one suite: a leaderboard."""
    import msgspec

    from kozyr.agents.arena.scores import card as cards
    from kozyr.agents.arena.scores import report as reports
    from kozyr.agents.arena.scores.suite import load

    every = [reports.read(path) for path in files]
    if as_json:
        show_json([msgspec.to_builtins(one) for one in every])
        return
    suites = {one.suite for one in every}
    if len(suites) > 1:
        names = ", ".join(map(quote, sorted(suites)))
        raise ValueError(f"the reports are of different suites, {names}: name those of one")
    if any(one.quick for one in every) and not all(one.quick for one in every):
        typer.echo("some of these were played with --quick, on fewer deals", err=True)
    rows = cards.ranking(every, load(suite or every[0].suite))
    show(fit_table(every[0].suite, rows, without_intervals(rows)))
