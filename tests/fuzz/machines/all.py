"""The machines, and how they are run for a time."""

import time
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import get_state_machine_test

from tests.fuzz import errors
from tests.fuzz.errors import Wrong
from tests.fuzz.log import Log
from tests.fuzz.machines.aec import Aec
from tests.fuzz.machines.base import Machine
from tests.fuzz.machines.seats import Seat
from tests.fuzz.machines.tables import ATable
from tests.fuzz.machines.vectors import Tables, Vector

MACHINES: dict[str, type[Machine]] = {one.__name__: one for one in (Aec, Vector, Tables, Seat, ATable)}
EXAMPLES = 25  # of one go
STEPS = 40  # of one example, at most


def how(examples: int, steps: int = STEPS) -> settings:
    """Return how Hypothesis runs a machine: without a clock, and without a memory of its own."""
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.large_base_example),
        phases=(Phase.generate, Phase.shrink),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
    )


def go(machine: type[Machine], number: int, examples: int, steps: int = STEPS) -> None:
    """Run a machine with some examples that a number fixes."""
    test: Any = get_state_machine_test(machine, settings=how(examples, steps))
    seed(number)(test)()


def run(name: str, seconds: float, number: int, log: Log) -> None:
    """Run a machine again and again for so many seconds."""
    machine, until = MACHINES[name], time.monotonic() + seconds
    taken = [b""]

    def listen(script: bytes) -> None:
        taken[0] = script
        log.now(name, script)
        log.count("steps")

    Machine.listener = listen
    while time.monotonic() < until and not log.full:
        try:
            go(machine, number, EXAMPLES)
        except Exception as error:
            said = str(error) if isinstance(error, Wrong) else f"{type(error).__name__}: {error}"
            log.found(f"machine-{name}", taken[0], f"{said[:60]} at {errors.place(error)}", said)
        log.count("examples", EXAMPLES)
        number += 1
