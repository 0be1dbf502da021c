"""Commands that learn: train, sweep, imitate."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.overview import Failure
from kozyr.training.cli.terminal import Game, Json, Seed, Settings, options, show, show_json

ENGINES = ("sb3", "rllib")
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
    timesteps: Annotated[int | None, typer.Option(help="Decisions to train for, rounded up to whole rollouts.")] = None,
    resume: Resume = False,
    start: Annotated[
        Path | None, typer.Option(help="Begin with the weights of a policy.onnx or .npz, or of the run in a folder.")
    ] = None,
    minutes: Minutes = None,
    settings_file: SettingsFile = None,
    threads: Threads = None,
    settings: Settings = None,
    engine: Annotated[str, typer.Option(help="What trains: sb3 in this process, or rllib on a Ray cluster.")] = "sb3",
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
    if start and engine != "sb3":
        raise ValueError("--start goes with --engine sb3: leave one of them out")
    trainer = _engine(engine, num_env_runners, address)
    document = trainer(
        game,
        preset,
        out,
        seed,
        timesteps,
        resume,
        settings_file,
        fields(game, settings),
        threads=threads,
        minutes=minutes,
        allow_code=allow_code or (),
        callbacks=_callbacks(track),
        start=start,
    )
    if as_json:
        show_json(document)


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

    found = sweep(
        game, preset, trials, timesteps, out, seed, address, settings_file, fields(game, settings), allow_code or ()
    )
    if as_json:
        show_json(found)
        return
    best = found["trials"][0]
    show(f"# {100 * best['score']:.1f} % after {best['timesteps']:,} decisions, the best of {len(found['trials'])}")
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
    keys = {"teacher": teacher, "decisions": decisions}
    given = {key: value for key, value in keys.items() if value is not None}
    document = installed_trainer()(
        game,
        preset,
        out,
        seed,
        resume=resume,
        settings=settings_file,
        options=fields(game, settings),
        imitation=given,
        threads=threads,
        allow_code=allow_code or (),
    )
    if as_json:
        show_json(document)


def fields(game: str, given: list[str] | None) -> dict[str, Any]:
    """Return what --set gives, of a command that has --settings, too.

    Raises:
        ValueError: for a text without "=", and for a key of settings files.
    """
    from kozyr import envs
    from kozyr.training.settings import run_settings as settings

    found = options(given)
    for name in found.keys() - envs.game(game).fields.keys():
        if name.partition(".")[0] in settings.KEYS:
            raise ValueError(
                f"--set {name} is not allowed: --set takes options of the game. Write {name.partition('.')[0]} into a "
                "settings file of your own and name it with --settings"
            )
    return found


def _engine(name: str, num_env_runners: int | None, address: str | None) -> Any:
    """Return what trains under a name.

    Raises:
        ValueError: for an unknown engine, or options that are not its own.
    """
    from kozyr.envs.environments import check

    check.choice("engine", name, ENGINES)
    train = installed_trainer()
    if name == "rllib":
        check.count("num_env_runners", num_env_runners or 0, 0)
        from kozyr.training.rllib.run import train as distributed

        return partial(distributed, num_env_runners=num_env_runners or 0, address=address)
    if num_env_runners is not None or address is not None:
        raise ValueError(f"--num-env-runners and --address are not for engine={name!r}: add --engine rllib")
    return train


def _callbacks(track: str | None) -> Any:
    """Return what follows a run under a name; `installed_trainer` has found that training is installed."""
    from kozyr.training.run import tracking

    return tracking.chosen(track)


def installed_trainer() -> Any:
    """Return `kozyr.training.run.train.train`, or say which extra is missing."""
    from kozyr.agents.arena.matches.console import waiting

    try:
        with waiting("loading PyTorch"):
            from kozyr.training.run.train import train
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        from kozyr.envs.environments import install_hint

        raise Failure(f"training needs {error.name}: {install_hint.command('train')}") from error
    return train
