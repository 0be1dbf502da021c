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
`press`, `select` and `set_amount` write a whole row, and `use` adds keys to it. Any action may be a button with its own
words.
"""

from typing import Any

from kozyr.envs.compile import once

ENTRIES = 32
HOW, SAID, SAID_A, SAID_B, SAID_C, TARGET, COUNT, KEYS = range(8)
MOST_KEYS = ENTRIES - KEYS
SELECT, BUTTON, AMOUNT = 1, 2, 3
AS_TEXT = -1


@once
def press(row: Any, said: int = AS_TEXT, a: int = 0, b: int = 0) -> None:
    """Make an action a button that has the words of a label with its arguments, or of the game's `say`."""
    select(row, said, a, b)
    row[HOW] = BUTTON


@once
def select(row: Any, said: int, a: int = 0, b: int = 0, target: int = 0, key: int = 0) -> None:
    """Make an action a choice of the element `key` or, if that is 0, of those that `use` adds.

    They may be dropped on the key `target`.
    """
    row[HOW], row[SAID], row[SAID_A], row[SAID_B], row[SAID_C] = SELECT, said, a, b, 0
    row[TARGET], row[COUNT], row[KEYS] = target, 1 if key > 0 else 0, key


@once
def use(row: Any, key: int) -> None:
    """Add a key to those of a choice."""
    row[KEYS + row[COUNT]] = key
    row[COUNT] += 1


@once
def set_amount(row: Any, said: int, number: int) -> None:
    """Make an action a number on a slider."""
    select(row, said, number)
    row[HOW] = AMOUNT
