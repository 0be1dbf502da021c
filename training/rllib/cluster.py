"""The Ray cluster that a run uses: joined or started, and told apart from one that is too small or not there."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import ray

from kozyr.agents.arena.workers import knock

LOCAL = "local"  # start a cluster on this machine


@contextmanager
def joined(address: str | None, num_env_runners: int) -> Generator[None]:
    """Use a Ray cluster while the block runs.

    Args:
        address: "local" starts a cluster on this machine, "auto" joins the one that runs here, anything else is a
            cluster's address; None takes the one that this process has joined, or starts one.
        num_env_runners: the cores that are needed.

    Raises:
        ValueError: if no cluster answers, or it has too few cores.
    """
    if address is None and ray.is_initialized():
        require_cores(num_env_runners)
        yield
        return
    address = LOCAL if address is None else address
    try:
        knock(address)
        ray.init(address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        raise ValueError(f"no Ray cluster answers at {address!r}: {error}. Start one with: ray start --head") from None
    try:
        require_cores(num_env_runners)
        yield
    finally:
        ray.shutdown()


def require_cores(num_env_runners: int) -> None:
    """Raise if the cluster cannot hold the runners, for which RLlib itself would wait without an end."""
    resources: dict[str, Any] = ray.cluster_resources()
    cores = int(resources.get("CPU", 0))
    if num_env_runners > cores:
        raise ValueError(
            f"{num_env_runners} environment runners need a core each and the cluster has {cores}: "
            f"ask for at most {cores}, or add machines with: ray start --address"
        )
