"""The command that measures a run's policy, writes it with its card, and may upload both to the Hugging Face Hub."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.terminal import Deals, Json, Opponents, Settings, Workers, options, show, show_json


def publish(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    name: Annotated[str, typer.Argument(help="The policy's name: its file is NAME.onnx, its card NAME.md.")],
    out: Annotated[Path, typer.Option(help="Folder for both files.")],
    against: Opponents = None,
    deals: Deals = 4000,
    search_deals: Annotated[int, typer.Option(help="Deals against search players.")] = 1000,
    limits: Annotated[str, typer.Option(help="What users should know; it is printed on the card.")] = "",
    condensed: Annotated[
        bool, typer.Option("--condensed", help="Write the small compiled form, NAME.npz, if the network allows it.")
    ] = False,
    settings: Settings = None,
    hub: Annotated[
        str | None, typer.Option(metavar="OWNER/NAME", help="A repository on the Hugging Face Hub to upload to.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="With --hub: a new repository is private.")] = False,
    licence: Annotated[str, typer.Option("--license", help="With --hub: the licence that the card names.")] = "mit",
    workers: Workers = 1,
    as_json: Json = False,
) -> None:
    """Measure a policy and write it with its card; or upload it."""
    from kozyr import agents
    from kozyr.agents.nets.policy import OnnxPolicy
    from kozyr.training.export import hub_upload as the_hub
    from kozyr.training.export import publish as card

    if hub is not None:
        the_hub.require_login(hub)
    names = against or agents.names(OnnxPolicy(run / "policy.onnx").game.name)
    how: dict[str, Any] = {"workers": workers, "limits": limits, "condensed": condensed}
    how["options"] = options(settings)
    facts = card.publish(run, out, name, names, deals, search_deals, **how, progress=sys.stderr.isatty())
    address = None if hub is None else the_hub.upload(out, name, hub, private, licence)
    if as_json:
        show_json(facts if address is None else {**facts, "hub": address})
        return
    show((out / f"{name}.md").read_text(encoding="utf-8").partition("**Training**")[0])
    if address is not None:
        show(f"Uploaded to {address}: play it as hf:{hub}")
