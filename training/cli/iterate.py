"""The command that lets a policy learn from the search that it guides, round by round."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.learn import Preset, SettingsFile, fields, installed_trainer
from kozyr.training.cli.terminal import Game, Json, Seed, Settings, show, show_json


def iterate(
    game: Game,
    preset: Preset = "default",
    first: Annotated[
        str | None, typer.Option(help="Agent that the first policy imitates. Default: the settings' teacher.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="The first policy: a policy.onnx of the preset's network, or a run's folder.")
    ] = None,
    search: Annotated[str, typer.Option(help="Search that the policy guides and then learns from.")] = "pimc@100",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds at most; it ends with the first that does not pay.")] = 5,
    decisions: Annotated[int, typer.Option(help="Positions a round to ask the search about.")] = 200_000,
    learning_rate: Annotated[
        float | None, typer.Option(help="Of the rounds' lessons at first. Default: the settings'.")
    ] = None,
    deals: Annotated[int, typer.Option(help="Deals between each policy and the one before it.")] = 2000,
    out: Annotated[Path | None, typer.Option(help="Folder of the rounds. Default: runs/iterate-GAME.")] = None,
    seed: Seed = 1,
    settings_file: SettingsFile = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Let a policy learn from its own search (expert iteration).

    Call it again to go on after a stop.
    """
    from kozyr import envs

    envs.game(game)
    installed_trainer()
    from kozyr.training.imitation import expert_iteration

    begun: dict[str, Any] = {
        "preset": preset,
        "settings": settings_file,
        "options": fields(game, settings),
        "first": first,
    }
    how: dict[str, Any] = {
        "rounds": rounds,
        "decisions": decisions,
        "deals": deals,
        "seed": seed,
        "learning_rate": learning_rate,
    }
    folder = out or Path("runs") / f"iterate-{game}"
    plan = expert_iteration.Plan(game, folder, start=start, search=search, **begun, **how)
    done = expert_iteration.iterate(plan)
    best = expert_iteration.best(plan, done)
    if as_json:
        show_json({"best": str(best), "rounds": [asdict(one) for one in done]})
        return
    show(_table(done))
    show(f"The best policy is {best}")


def _table(done: list[Any]) -> Any:
    """Return the rounds as a table."""
    from rich.table import Table

    table = Table("round", "minutes", "against the one before", *(row["against"] for row in done[0].results))
    for one in done:
        scores = (_score(row["score"], row["low"], row["high"]) for row in one.results)
        table.add_row(str(one.number), f"{one.seconds / 60:.0f}", _score(one.score, one.low, one.high), *scores)
    return table


def _score(score: float, low: float, high: float) -> str:
    return f"{100 * score:.1f} % ({100 * low:.1f} … {100 * high:.1f})"
