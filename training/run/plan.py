"""Plan of a training run: the options of `kozyr train`, and of all other commands that train."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kozyr import envs


@dataclass(frozen=True)
class RunPlan:
    """Plan of a training run.

    Attributes:
        game: a name from `kozyr.envs.games()`.
        preset: a table of the settings file.
        out: the run's folder; None takes runs/<game>-<preset>.
        seed: instead of the settings' seed.
        timesteps: instead of the settings' number of decisions; a whole rollout is always finished.
        resume: go on with the run in `out`, with the settings that it began with.
        settings: a TOML file instead of the game's own.
        options: fields of the variant, instead of the settings'.
        imitation: keys of the settings' table `imitation`, laid over it; without `against` the run then ends with the
            imitation, and `resume` trains on.
        threads: instead of the settings' number; 0 takes one a core.
        against: an agent that sits in all other seats and that is measured against, instead of the settings' ones.
        minutes: instead of the settings' number: the run, lessons included, ends after so much wall time if it has
            not made its decisions sooner; 0 sets no limit. The measurements at the end come after that.
        allow_code: classes and programs that the settings, or the run that goes on, may name as agents.
        start: the folder of another run, whose settings and weights a new run takes, `preset` and `settings` aside;
            or a policy's file, whose weights it takes; `options` may then differ from its variant in the parts that
            `net.unseen` names. Unless `imitation` has keys, the critic then learns alone first.
        engine: "compiled", "sb3" or "auto", instead of the settings' word for what learns.
    """

    game: str
    preset: str = "default"
    out: Path | None = None
    seed: int | None = None
    timesteps: int | None = None
    resume: bool = False
    settings: Path | None = None
    options: dict[str, Any] | None = None
    imitation: dict[str, Any] | None = None
    threads: int | None = None
    against: str | None = None
    minutes: float | None = None
    allow_code: Sequence[str] = ()
    start: Path | None = None
    engine: str | None = None

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return Path("runs") / f"{envs.game(self.game).name}-{self.preset}" if self.out is None else Path(self.out)

    @property
    def imitates_only(self) -> bool:
        """True if the run ends with the imitation."""
        return self.imitation is not None and self.against is None

    def overrides(self) -> dict[str, Any]:
        """Return the plan's values for keys of the settings, None for those that it leaves as they are."""
        names = ("seed", "threads", "timesteps", "minutes", "engine")
        return {name: getattr(self, name) for name in names}

    def agent_names(self) -> list[str]:
        """Return the names of agents in the plan, which may therefore be code."""
        return [*self.allow_code, self.against or "", (self.imitation or {}).get("teacher", "")]
