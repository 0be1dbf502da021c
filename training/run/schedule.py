"""Schedule of a run: the learning rate and the entropy's weight by decisions or by time, and the run's length."""

from kozyr.training.settings.run_settings import Settings


def decisions_text(settings: Settings) -> str:
    """Return the number of decisions in words: whole rollouts, as a part of one teaches nothing."""
    rollout, decisions = settings["num_tables"] * settings["n_steps"], settings["timesteps"]
    total = -(-decisions // rollout) * rollout
    rounded = f"; {decisions:,} rounded up to whole rollouts of {rollout:,}" if total > decisions else ""
    return f"{total:,} decisions of the learner{rounded}"


def decisions_left(settings: Settings, timesteps: int) -> float:
    """Return the share of the settings' decisions that is left, 1 to 0."""
    return max(1.0 - timesteps / settings["timesteps"], 0.0)


def time_left(settings: Settings, seconds: float, lessons: float) -> float:
    """Return the share that is left of the settings' minutes after the lessons, 1 to 0; 1 without a limit.

    Args:
        settings: see `kozyr.training.settings.run_settings`.
        seconds: wall time of the run so far; lessons: the share of it that the imitation has taken.
    """
    limit = 60.0 * settings["minutes"]
    if not limit:
        return 1.0
    return max(limit - seconds, 0.0) / (limit - lessons) if lessons < limit else 0.0


def rate_at(settings: Settings, left: float) -> float:
    """Return the learning rate where this share of the run is left."""
    return settings["learning_rate"] * (left if settings["anneal"] else 1.0)


def entropy_at(settings: Settings, left: float) -> float:
    """Return the entropy's weight where this share of the run is left."""
    first, last = settings["entropy"], settings["entropy_end"]
    return first if last is None else last + (first - last) * left
