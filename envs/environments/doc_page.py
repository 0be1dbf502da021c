"""The documentation page of an environment, its tables filled in from the game's declarations."""

from typing import Any

from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.core.game import Game

_DICTIONARY = """Each observation is a dictionary. `observation` is a vector of whole numbers. `action_mask` is 1 for
every legal action and 0 for all others; it is all 0 while other seats move."""
_USAGE = """```python
{imported}

env = {name}.env()  # raw_env() raises on an illegal action, env() disqualifies
env.reset(seed=42)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    action = None if over else env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
env.close()
```"""
_RENDERING = """`render_mode` chooses what `render()` returns: text (`"ansi"`), a drawing (`"svg"`) or pixels
(`"rgb_array"`). `"human"` opens a window that shows every step (extra `[window]`)."""
_HIDDEN = "All cards are shown, hidden ones too. With `render_seat=1` only those that `player_1` knows are shown."
_OPEN = "Nothing is hidden in this game. With `render_seat=1` the board is shown from the side of `player_1`."


def page(text: str, game: Game) -> str:
    """Return a module's docstring with its marks replaced.

    {summary}, {observation}, {actions} and {options} become tables. {dictionary} says what an observation is made of,
    {usage} is a loop that plays at random, and {rendering} says what can be shown.
    """
    variant = game.make_variant()
    secrecy = _OPEN if perfect_information(variant) else _HIDDEN
    contents = {
        "{summary}": summary(game, variant),
        "{dictionary}": _DICTIONARY,
        "{usage}": _USAGE.format(imported=imported(game), name=game.id),
        "{rendering}": f"{_RENDERING} {secrecy}",
        "{observation}": observation(game, variant),
        "{actions}": table(["Action", "Meaning"], [list(row) for row in game.action_table(variant)]),
        "{options}": options(game),
    }
    for mark, content in contents.items():
        text = text.replace(mark, content)
    return text


def imported(game: Game) -> str:
    """Return the line that imports a game's environments."""
    return f"from {game.package.rpartition('.')[0] or game.package} import {game.id}"


def summary(game: Game, variant: Any) -> str:
    """Return the table that opens a page."""
    seats, size = game.seats(variant), game.size(variant)
    return table(
        ["Import", f"`{imported(game)}`"],
        [
            ["Actions", "Discrete"],
            ["Parallel API", f"`{game.id}.parallel_env()`"],
            ["Manual control", "No"],
            ["Agents", f"`agents = {[f'player_{k}' for k in range(seats)]}`"],
            ["Number of agents", str(seats)],
            ["Action shape", f"Discrete({game.actions(variant)})"],
            ["Observation shape", f"({size},)"],
            ["Observation values", f"[0, {int(game.high(variant).max())}], {game.view_dtype}"],
        ],
    )


def observation(game: Game, variant: Any) -> str:
    """Return the table of a view's parts under the default variant."""
    spans = game.parts(variant).spans()
    rows = [
        [
            f"{s.start} … {s.stop - 1}" if s.stop - s.start > 1 else str(s.start),
            f"`{name}`",
            f"0 … {p.top(variant)}",
            p.meaning,
        ]
        for name, s in spans.items()
        for p in [game.parts.declared[name]]
        if s.stop > s.start
    ]
    return table(["Index", "Part", "Values", "Meaning"], rows)


def options(game: Game) -> str:
    """Return the table of the variant's fields."""
    rows = [
        [f"`{name}`", f"`{facts['default']!r}`", facts["allowed"], facts["meaning"]]
        for name, facts in game.option_facts().items()
    ]
    return table(["Option", "Default", "Allowed", "Meaning"], rows)


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
