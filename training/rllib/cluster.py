"""The Ray cluster that a run uses, and whether it is large enough."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from kozyr.agents.arena.matches.workers import cluster


@contextmanager
def joined(address: str | None, num_env_runners: int) -> Generator[None]:
    """Use a Ray cluster while the block runs.

    Args:
        address: as for `kozyr.agents.arena.matches.workers.cluster`; None starts a cluster on this machine.
        num_env_runners: the cores that are needed.

    Raises:
        ValueError: if no cluster answers, or it has too few cores.
    """
    with cluster(address or "local") as ray:
        require_cores(ray, num_env_runners)
        yield


def require_cores(ray: Any, num_env_runners: int) -> None:
    """Raise if the cluster cannot hold the runners, for which RLlib itself would wait without an end."""
    cores = int(ray.cluster_resources().get("CPU", 0))
    if num_env_runners > cores:
        raise ValueError(
            f"{num_env_runners} environment runners need a core each and the cluster has {cores}: "
            f"ask for at most {cores}, or add machines with: ray start --address"
        )
