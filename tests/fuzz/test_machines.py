"""Each machine takes some examples; `make fuzz` takes very many."""

import json

import pytest

from tests.fuzz.errors import Wrong
from tests.fuzz.machines.all import MACHINES, go
from tests.fuzz.machines.base import Machine, replay

EXAMPLES, STEPS = 8, 25


@pytest.mark.parametrize("name", MACHINES)
def test_any_call_in_any_order_is_done_or_refused(name: str) -> None:
    go(MACHINES[name], 3, EXAMPLES, STEPS)


def script(name: str, begin: dict[str, object], *steps: tuple[str, dict[str, object]]) -> bytes:
    return "\n".join(json.dumps(one) for one in [(name, {}), ("begin", begin), *steps]).encode()


BEGIN: dict[str, object] = {"game": "mnk", "number": 3, "raw": True, "mode": 0}


def test_a_script_is_taken_again() -> None:
    replay(script("Aec", BEGIN, ("reset", {"seed": 1, "starter": 0}), ("play", {"number": 4})), MACHINES)


def test_a_state_that_changes_after_a_refusal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = script("Aec", BEGIN, ("reset", {"seed": 1, "starter": 0}), ("play_no_number", {"number": 0}))
    refused = Machine.refused

    def spoiling(self: Machine, *given: object, **named: object) -> None:
        refused(self, *given, **named)  # pyright: ignore[reportArgumentType]
        self.env._states["ply"] += 1

    replay(steps, MACHINES)
    monkeypatch.setattr(Machine, "refused", spoiling)
    with pytest.raises(Wrong, match="state is not as its twin's"):
        replay(steps, MACHINES)
