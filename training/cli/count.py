"""The command that counts a game's figures."""

from dataclasses import asdict
from typing import Annotated

import typer

from kozyr.training.cli.terminal import Game, Json, Seed, show, show_json


def stats(
    game: Game,
    deals: Annotated[int, typer.Option(help="Deals to count over.")] = 10_000,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Count a game's statistics over many deals.

    They are shown with 95 % intervals beside the figures on the game's page.
    """
    from rich.table import Table

    from kozyr.agents import statistics as counted
    from kozyr.agents.arena.matches.console import waiting

    with waiting(f"counting {deals:,} deals of {game}"):
        found = counted.measure(game, deals, seed)
    if as_json:
        show_json([asdict(fact) for fact in found])
        return
    table = Table("What", title=f"{game}, {deals:,} deals, seed {seed}")
    for head in ("Figure", "95 % interval", "Page"):
        table.add_column(head, justify="right", no_wrap=True)
    for fact in found:
        unit = "" if fact.unit == "return" else f" {fact.unit}"
        page = "" if fact.expected is None else f"{fact.expected:g}{unit}"
        table.add_row(fact.name, f"{fact.value:.2f}{unit}", f"{fact.low:.2f} … {fact.high:.2f}", page)
    show(table)
