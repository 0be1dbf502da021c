"""A search for better settings: many short runs, spread over a Ray cluster by Tune and chosen by Optuna."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import torch
from ray import tune
from ray.tune.schedulers import ASHAScheduler
from rich.console import Console

from kozyr import envs
from kozyr.envs.core import install_hint
from kozyr.envs.environments import argument_checks
from kozyr.envs.table.lock import locked
from kozyr.training.rllib.run import ClusterRun, joined
from kozyr.training.run import report
from kozyr.training.run.callbacks import Progress
from kozyr.training.settings import run_settings as settings_file

RESULTS = "sweep.json"
Settings = dict[str, Any]


def ranges(settings: Settings) -> dict[str, Any]:
    """Return the search space: the settings' learning rate and entropy up to four times less and more, and the rest."""
    rate, entropy = settings["learning_rate"], max(settings["entropy"], 1e-3)
    return {
        "learning_rate": tune.loguniform(rate / 4, rate * 4),
        "entropy": tune.loguniform(entropy / 4, entropy * 4),
        "clip": tune.uniform(0.1, 0.3),
        "n_epochs": tune.randint(1, 5),
    }


def sweep(
    game: str,
    preset: str = "default",
    trials: int = 16,
    timesteps: int | None = None,
    out: Path | None = None,
    seed: int = 0,
    address: str | None = None,
    settings: Path | None = None,
    options: dict[str, Any] | None = None,
    allow_code: Sequence[str] = (),
) -> dict[str, Any]:
    """Try settings and return the content of sweep.json: every trial, the best first.

    A trial is a run on one core. Its score is the mean over the agents that it is evaluated against; a trial whose
    score is among the lower ones at an evaluation ends there.

    Args:
        game: a name from `kozyr.envs.games()`; preset: a table of the settings file, where the search begins.
        trials: how many settings are tried.
        timesteps: decisions of a trial, instead of the settings' number.
        out: the folder; None takes runs/sweep-<game>-<preset>.
        seed: fixes which settings are tried first.
        address: of a Ray cluster; None takes the one that this process has joined, or starts one here.
        settings: a TOML file instead of the game's own.
        options: fields of the variant, instead of the settings'.
        allow_code: classes and programs that the settings may name as agents.

    Raises:
        ImportError: without optuna.
        ValueError: naming what is wrong with a setting, the folder or the cluster.
        RuntimeError: if all trials have failed.
    """
    trials, search = argument_checks.count("trials", trials), _search(argument_checks.seed(seed) % 2**31)
    it = envs.game(game)
    base = settings_file.load(it, preset, settings, allow_code)
    base["timesteps"] = argument_checks.count("timesteps", base["timesteps"] if timesteps is None else timesteps)
    base["threads"] = 1  # a trial has a core
    variant = it.options(it.make_variant(**{**base["variant"], **(options or {})}))
    folder = Path("runs") / f"sweep-{it.name}-{preset}" if out is None else Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, "sweep"):
        if (folder / RESULTS).exists():
            raise ValueError(f"there is a sweep in {folder} already: choose another folder, or remove it")
        with joined(address, 1):
            tuner = _tuner(partial(_trial, game=it.name, options=variant, settings=base), base, search, trials, folder)
            with redirect_stdout(sys.stderr):  # Tune's banner, which cannot be turned off
                content = {"game": it.id, "options": variant, "preset": preset, "trials": _ranked(tuner.fit())}
        report.write_json(folder / RESULTS, content)
    return content


def _tuner(trial: Callable[..., None], settings: Settings, search: Any, trials: int, folder: Path) -> tune.Tuner:
    """Return the tuner of the trials, which runs one on each core at a time."""
    first = min(settings["evaluation"]["every"], settings["timesteps"])
    return tune.Tuner(
        tune.with_resources(trial, {"cpu": 1}),
        param_space=ranges(settings),
        tune_config=tune.TuneConfig(
            metric="score",
            mode="max",
            search_alg=search,
            scheduler=ASHAScheduler("timesteps", max_t=settings["timesteps"] + 1, grace_period=first),
            num_samples=trials,
        ),
        run_config=tune.RunConfig(name="trials", storage_path=str(folder.resolve()), verbose=0),
    )


def _search(seed: int) -> Any:
    """Return Optuna's search, or raise naming the extra."""
    try:
        import optuna
    except ImportError:
        raise ImportError(f"a sweep needs optuna 4 or newer: {install_hint.command('rllib')}") from None
    from ray.tune.search.optuna import OptunaSearch

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return OptunaSearch(seed=seed)


def _trial(tried: Settings, game: str, options: dict[str, Any], settings: Settings) -> None:
    """Carry out one trial, in a process of its own."""
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    it = envs.game(game)
    run = Trial(it, it.make_variant(**options), {**settings, **tried}, Path.cwd())
    progress = Progress(run, Console(file=Path(os.devnull).open("w")))  # noqa: SIM115 - open while the trial lasts
    run.learn(progress)
    run.finish()


class Trial(ClusterRun):
    """Run that reports its score to Tune at every evaluation."""

    def _measure(self, agent: Any, deals: int, progress: bool = False) -> list[dict[str, Any]]:
        rows = super()._measure(agent, deals, progress)
        score = sum(row["score"] for row in rows) / len(rows)
        tune.report({"score": score, "timesteps": self.timesteps})
        return rows


def _ranked(results: Any) -> list[dict[str, Any]]:
    """Return the trials, the best first."""
    done = [one for one in results if one.error is None and "score" in (one.metrics or {})]
    if not done:
        failed = next((one.error for one in results if one.error is not None), "none has come to an evaluation")
        raise RuntimeError(f"all trials have failed: {failed}")
    done.sort(key=lambda one: -one.metrics["score"])
    keys = ("score", "timesteps")
    return [{**{key: one.metrics[key] for key in keys}, "settings": one.config, "folder": one.path} for one in done]
