"""Input of an action by a person: a row of numbers that a game's function `elements(v, s, action, row)` fills.

A page or a terminal that knows no rules turns what somebody chooses into an action by these rows. Only legal actions of
the seat to move are asked for, and the row may tell nothing that the seat does not know.

| entry | meaning |
|---|---|
| HOW | SELECT: choose elements of the scene; BUTTON: press a button; AMOUNT: set a number on a slider |
| SAID | the action as a player says it, "take", "call 4": a label's number, or AS_TEXT: as the game's `say` does |
| SAID_A, SAID_B, SAID_C | the label's arguments; of an AMOUNT, SAID_A is the number |
| TARGET | SELECT: the key of what the elements may be dropped on, or 0 |
| COUNT | how many keys follow; a SELECT without keys is a button |
| KEYS … | keys of the elements; a key that is there twice asks for two elements that have it |

Several actions may have the same keys, as a card that may be played in two ways: then the person chooses by the words
or by the target. An action whose keys are part of another's needs a confirmation, which is the button with its words.
Any action may be a button with its own words: `press` writes that row, and a game then changes what it shows otherwise.
"""

from typing import Any

from kozyr.envs.compile import jit

ENTRIES = 32
HOW, SAID, SAID_A, SAID_B, SAID_C, TARGET, COUNT, KEYS = range(8)
MOST_KEYS = ENTRIES - KEYS
SELECT, BUTTON, AMOUNT = 1, 2, 3
AS_TEXT = -1


@jit
def press(row: Any) -> None:
    """Make an action a button that has the words of the game's `say`."""
    row[HOW], row[SAID], row[TARGET], row[COUNT] = BUTTON, AS_TEXT, 0, 0
