"""Commands that train policies: train, plot, imitate, iterate, train-search, sweep, publish."""

import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.overview import Failure
from kozyr.training.cli.terminal import Deals, Game, Json, Opponents, Seed, Settings, Workers, options, show, show_json

RLLIB = "rllib"
ENGINES = ("compiled", "sb3", "auto", RLLIB)
Preset = Annotated[str, typer.Option(help="A preset of the settings file; `kozyr games GAME` lists them.")]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="A settings file (TOML) of your own.")]
RunFolder = Annotated[Path | None, typer.Option(help="Folder of the run. Default: runs/GAME-PRESET.")]
RunSeed = Annotated[int | None, typer.Option(help="Seed; replaces the one in the settings.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the run in the folder.")]
Threads = Annotated[int | None, typer.Option(help="Threads; 0 takes one per core.")]
Minutes = Annotated[
    float | None,
    typer.Option(help="Stop after this many minutes, imitation included; 0: no limit."),
]
AllowCode = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-code", help="A class or program that the settings may run, as bots:Mine; repeat it for more."
    ),
]
_EXTRA = ("torch", "stable_baselines3", "sb3_contrib", "onnx", "onnxscript", "onnxruntime", "tensorboard", "matplotlib")


def train(
    game: Game,
    preset: Preset = "default",
    out: RunFolder = None,
    seed: RunSeed = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", help="Train N seeds from --seed on, a process each, in OUT/seed-1, …")
    ] = None,
    timesteps: Annotated[int | None, typer.Option(help="Decisions to train for, rounded up to whole rollouts.")] = None,
    resume: Resume = False,
    start: Annotated[
        Path | None, typer.Option(help="Begin with the weights of a policy.onnx or .npz, or of the run in a folder.")
    ] = None,
    minutes: Minutes = None,
    settings_file: SettingsFile = None,
    threads: Threads = None,
    settings: Settings = None,
    engine: Annotated[
        str | None,
        typer.Option(help="What trains: compiled, sb3, auto (compiled where it can), or rllib on a Ray cluster."),
    ] = None,
    num_env_runners: Annotated[
        int | None, typer.Option(help="With rllib: processes that play, a core each; 0 plays in this process.")
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="With rllib: address of a Ray cluster, or auto. Default: start one here.")
    ] = None,
    allow_code: AllowCode = None,
    track: Annotated[str | None, typer.Option(help="Follow the run in wandb or mlflow, too.")] = None,
    as_json: Json = False,
) -> None:
    """Train a policy, measure it and export it."""
    from kozyr import envs

    envs.game(game)
    if start and resume:
        raise ValueError("--start begins a run and --resume goes on with one: leave one of them out")
    for option, value in (("--start", start), ("--seeds", seeds)):
        if value is not None and engine == RLLIB:
            raise ValueError(f"{option} does not go with --engine {RLLIB}: leave one of them out")
    trainer = _engine(engine, num_env_runners, address)
    from kozyr.training.run.plan import RunPlan

    variant = fields(game, settings)
    plan = RunPlan(game, preset, out, seed, timesteps, resume, settings_file, variant, threads=threads, minutes=minutes)
    own = None if engine == RLLIB else engine
    plan = replace(plan, allow_code=allow_code or (), start=start, engine=own)
    from kozyr.training.run import seeds as several

    if seeds is not None:
        _show_seeds(several.train_seeds(plan, seeds, track), as_json)
        return
    several.require_no_seeds(plan)
    document = trainer(plan, _callbacks(track))
    if as_json:
        show_json(document)


def _show_seeds(document: dict[str, Any], as_json: bool) -> None:
    """Print the document of several seeds, and raise Failure if some of them have failed."""
    if as_json:
        show_json(document)
    if wrong := [run["seed"] for run in document["runs"] if run["error"]]:
        raise Failure(
            f"{len(wrong)} of {len(document['runs'])} seeds have failed: {', '.join(map(str, wrong))}. The same "
            "command with --resume begins or goes on with these"
        )


def plot(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN…", help="Folder of a run, or of several seeds; repeat it."),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A .html page or a .png. Default: curves.html in the first RUN.")
    ] = None,
    by: Annotated[str, typer.Option(help="decisions or time; a page can change it.")] = "decisions",
    as_json: Json = False,
) -> None:
    """Draw learning curves with intervals over seeds.

    A line is the interquartile mean of a run's seeds, its band the 95 % interval of a stratified bootstrap.
    """
    from kozyr.envs.environments import argument_checks
    from kozyr.training.plots import write

    argument_checks.choice("by", by, write.BY)
    path = runs[0] / "curves.html" if out is None else out
    document = write.curves_document(runs, path, by)
    if as_json:
        show_json(document)
        return
    for sentence in document["remarks"]:
        typer.echo(sentence, err=True)
    show(f"The curves are in {path}")


def sweep(
    game: Game,
    preset: Annotated[str, typer.Option(help="Preset of the settings file from which the search starts.")] = "default",
    trials: Annotated[int, typer.Option(help="How many settings to try; each core works on one.")] = 16,
    timesteps: Annotated[int | None, typer.Option(help="Decisions of a trial; replaces the settings' number.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the sweep. Default: runs/sweep-GAME-PRESET.")] = None,
    seed: Seed = 0,
    address: Annotated[
        str | None, typer.Option(help="Address of a Ray cluster, or auto. Default: start one here.")
    ] = None,
    settings_file: SettingsFile = None,
    settings: Settings = None,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Search for settings that train better (Ray Tune, Optuna)."""
    from kozyr import envs

    envs.game(game)
    installed_trainer()
    from kozyr.training.rllib.sweep import sweep

    result = sweep(
        game, preset, trials, timesteps, out, seed, address, settings_file, fields(game, settings), allow_code or ()
    )
    if as_json:
        show_json(result)
        return
    best = result["trials"][0]
    show(f"# {100 * best['score']:.1f} % after {best['timesteps']:,} decisions, the best of {len(result['trials'])}")
    show(*(f"{key} = {value:.4g}" for key, value in best["settings"].items()))


def imitate(
    game: Game,
    teacher: Annotated[str | None, typer.Option(help="Agent to learn from. Default: the settings' teacher.")] = None,
    decisions: Annotated[int | None, typer.Option(help="Positions to ask the teacher about.")] = None,
    preset: Preset = "default",
    out: RunFolder = None,
    seed: RunSeed = None,
    settings_file: SettingsFile = None,
    threads: Threads = None,
    resume: Resume = False,
    settings: Settings = None,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Teach a policy to play like another player.

    The policy is measured and exported. `kozyr train --resume` in its folder trains on.
    """
    from kozyr import envs

    envs.game(game)
    from kozyr.training.run.plan import RunPlan

    keys = {"teacher": teacher, "decisions": decisions}
    lessons = {key: value for key, value in keys.items() if value is not None}
    plan = RunPlan(game, preset, out, seed, None, resume, settings_file, fields(game, settings), lessons, threads)
    document = installed_trainer()(replace(plan, allow_code=allow_code or ()))
    if as_json:
        show_json(document)


def fields(game: str, settings: list[str] | None) -> dict[str, Any]:
    """Return the fields that --set gives to a command that has --settings, too.

    Raises:
        ValueError: for a text without "=", and for a key of settings files.
    """
    from kozyr import envs
    from kozyr.training.settings import run_settings

    values = options(settings)
    for name in values.keys() - envs.game(game).fields.keys():
        if name.partition(".")[0] in run_settings.KEYS:
            raise ValueError(
                f"--set {name} is not allowed: --set takes options of the game. Write {name.partition('.')[0]} into a "
                "settings file of your own and name it with --settings"
            )
    return values


def _engine(name: str | None, num_env_runners: int | None, address: str | None) -> Any:
    """Return the function that trains with an engine.

    Raises:
        ValueError: for an unknown engine, or options that are not its own.
    """
    from kozyr.envs.environments import argument_checks

    if name is not None:
        argument_checks.choice("engine", name, ENGINES)
    train = installed_trainer()
    if name == RLLIB:
        argument_checks.count("num_env_runners", num_env_runners or 0, 0)
        from kozyr.training.rllib.run import train as distributed

        return partial(distributed, num_env_runners=num_env_runners or 0, address=address)
    if num_env_runners is not None or address is not None:
        raise ValueError("--num-env-runners and --address go with the engine rllib: add --engine rllib")
    return train


def _callbacks(track: str | None) -> Any:
    """Return the callbacks of a tracker; `installed_trainer` has made sure that training is installed."""
    from kozyr.training.run import tracking

    return tracking.callbacks(track)


def installed_trainer() -> Any:
    """Return `kozyr.training.run.train.train`, or say which extra is missing."""
    from kozyr.agents.arena.matches.console import waiting

    try:
        with waiting("loading PyTorch"):
            from kozyr.training.run.train import train
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        from kozyr.envs.core import install_hint

        raise Failure(f"training needs {error.name}: {install_hint.command('train')}") from error
    return train


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

    folder, variant = out or Path("runs") / f"iterate-{game}", fields(game, settings)
    plan = expert_iteration.Plan(game, folder, preset, settings_file, variant, first, start, search)
    plan = replace(plan, rounds=rounds, decisions=decisions, deals=deals, seed=seed, learning_rate=learning_rate)
    done = expert_iteration.iterate(plan)
    best = expert_iteration.best(plan, done)
    if as_json:
        show_json({"best": str(best), "rounds": [asdict(one) for one in done]})
        return
    show(_iteration_table(done))
    show(f"The best policy is {best}")


def _iteration_table(done: list[Any]) -> Any:
    """Return the rounds as a table."""
    from rich.table import Table

    table = Table("round", "minutes", "against the one before", *(row["against"] for row in done[0].results))
    for one in done:
        scores = (_score(row["score"], row["low"], row["high"]) for row in one.results)
        table.add_row(str(one.number), f"{one.seconds / 60:.0f}", _score(one.score, one.low, one.high), *scores)
    return table


def _score(score: float, low: float, high: float) -> str:
    return f"{100 * score:.1f} % ({100 * low:.1f} … {100 * high:.1f})"


def train_search(
    game: Game,
    rounds: Annotated[int, typer.Option(help="Rounds of games and lessons.")] = 3,
    games: Annotated[int, typer.Option(help="Games that the search plays against itself in a round.")] = 20_000,
    nodes: Annotated[int, typer.Option(min=0, help="Positions a decision; 0: what the game's search is fit for.")] = 0,
    start: Annotated[Path | None, typer.Option(help="An evaluation to begin with, a valuation.npz.")] = None,
    epochs: Annotated[float, typer.Option(help="How often each position is learned from.")] = 8.0,
    deals: Annotated[int, typer.Option(help="Deals against the search of the round before.")] = 200,
    out: Annotated[Path | None, typer.Option(help="Folder of the rounds. Default: runs/search-GAME.")] = None,
    workers: Workers = 1,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Let a search learn to value positions from its own games.

    Call it again to go on after a stop.
    """
    from kozyr.training.imitation import search_lessons

    folder = out or Path("runs") / f"search-{game}"
    done = search_lessons.learn(
        search_lessons.Plan(game, folder, rounds, games, nodes, start, epochs, workers, deals, seed),
    )
    newest = folder / f"round-{done[-1].number}" / search_lessons.RESULT
    if as_json:
        show_json({"valuation": str(newest), "rounds": [asdict(one) for one in done]})
        return
    show(_search_table(done))
    show(f"The newest evaluation is {newest}")


def _search_table(done: list[Any]) -> Any:
    """Return the rounds as a table."""
    from rich.table import Table

    table = Table("round", "min", "positions", "value loss", "moves loss", "against the one before")
    for one in done:
        last = one.curve[-1]
        losses = (f"{last['value_loss']:.3f}", f"{last['moves_loss']:.3f}")
        score = f"{100 * one.score:.1f} % ({100 * one.low:.1f} … {100 * one.high:.1f})"
        table.add_row(str(one.number), f"{one.seconds / 60:.0f}", f"{one.positions:,}", *losses, score)
    return table


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
