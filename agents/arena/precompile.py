"""Ahead-of-time compilation: the commands' work on a game, done once on a small scale.

Machine code is made for a type of variant and of its states, not for its values. But a variant does not reach the code
of options that it excludes, so some work is done in several variants: each option at its lowest and at its highest.
Where options are static, a game's variants are of two classes; where it says so, its states are of several sizes.
"""

import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from kozyr import agents, envs
from kozyr.agents import search, statistics
from kozyr.agents.agent import Solo
from kozyr.agents.agent_names import CONDENSED, ONNX
from kozyr.agents.arena.matches.batch import Batch, DealRange, Job
from kozyr.agents.nets.trained import bundled
from kozyr.agents.search import Searcher
from kozyr.envs.core.game import Game
from kozyr.envs.core.variant import Field
from kozyr.envs.environments.game_tree import EXPLICIT, Rules, unfold
from kozyr.envs.table.table import Table

_PLIES = 40
_DEALS = 50  # of the statistics
_POSITIONS = 2000  # of a tree
_OTHERS = "openspiel-mcts"  # compiles nothing of its own, and its library may be missing

Options = dict[str, Any]
Step = tuple[str, Callable[[], None]]


class _Outside(Solo):
    """Agent outside the compiled loops that plays the first legal action."""

    def act(self, view: Any, mask: Any) -> int:
        """Return the first legal action."""
        return int(mask.argmax())


def steps(name: str) -> Iterator[Step]:
    """Yield the steps of a game's compilation, each with its name.

    Raises:
        ValueError: for an unknown game.
    """
    game = envs.game(name)
    scripted, searching = agents.names(game.name), [one for one in search.makers(game) if one != _OTHERS]
    for options in forms(game):
        note = "".join(f", {name}={value}" for name, value in options.items())
        yield f"one table{note}", lambda options=options: _one_table(game, options)
        yield f"many tables{note}", lambda options=options: _tables(game, options)
        yield f"a learner among others{note}", lambda options=options: _learner(game, scripted, options)
        yield f"texts{note}", lambda options=options: _texts(game, options)
    yield "matches", lambda: _matches(game, scripted)
    for one in searching:
        yield one, lambda one=one: _search(game, one, scripted[-1])
    for path in (*bundled(game.name, ONNX), *bundled(game.name, CONDENSED)):
        yield path.name, lambda path=path: _policy(game, str(path))
    yield "statistics", lambda: _statistics(game)
    yield "exploitability", lambda: _tree(game, scripted)


def forms(game: Game) -> list[Options]:
    """Return options of a variant of each form, the default one first: each is compiled apart."""
    first = dict[tuple[type, Any], Options]()
    for options in variants(game):
        first.setdefault(form(game, game.make_variant(**options)), options)
    return [*first.values()]


def form(game: Game, variant: Any) -> tuple[type, Any]:
    """Return the class of a variant and the type of its states: machine code is made for each pair of them."""
    return variant.__class__, game.layout(variant)


def variants(game: Game) -> Iterator[Options]:
    """Yield options of the default variant, of those that differ from it in one field, and of others of other forms."""
    own = [*_variants(game)]
    made = {game.make_variant(**options) for options in own}
    reached: set[tuple[type, Any]] = {form(game, one) for one in made}
    yield from own
    presets = ({"rules": name} for name in game.presets)
    found = [options for options in presets if form(game, game.make_variant(**options)) not in reached]
    for options in (*found, *map(dict, game.compiled_apart)):
        if (variant := game.make_variant(**options)) not in made:
            made.add(variant)
            yield options


def _variants(game: Game) -> Iterator[Options]:
    yield {}
    for name, field in game.fields.items():
        for value in _extremes(field, game.variant._field_defaults[name]):
            try:
                if game.make_variant(**{name: value}) != game.make_variant():
                    yield {name: value}
            except ValueError:  # not by itself
                continue


def _extremes(field: Field, default: Any) -> list[Any]:
    """Return the extreme values of a field."""
    if field.choices:
        return list(field.choices)
    if isinstance(default, bool):
        return [False, True]
    if field.numbers:
        return [field.numbers[0], field.numbers[-1]]
    return [type(default)(field.low), type(default)(field.high)]


def _one_table(game: Game, options: Options) -> None:
    """Play a game as PettingZoo and as Gymnasium do."""
    env, seat = envs.make(game.name, **options), envs.make_seat(game.name, "random", **options)
    env.reset(seed=0)
    for _ in env.agent_iter(_PLIES):
        observation: Any = env.observe(env.agent_selection)
        over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
        env.step(None if over else int(observation["action_mask"].argmax()))
    _, info = seat.reset(seed=0)
    for _ in range(_PLIES):
        _, _, terminated, truncated, info = seat.step(int(info["action_mask"].argmax()))
        if terminated or truncated:
            break


def _tables(game: Game, options: Options) -> None:
    """Step tables without players inside."""
    make: Any = envs.make_tables
    tables = make(game.name, 4, **options)
    for _ in range(_PLIES):
        tables.step(tables.masks.argmax(1))


def _texts(game: Game, options: Options) -> None:
    """Write positions and views as texts, and read them again."""
    table = Table(game, game.make_variant(**options), 0)
    for _ in range(_PLIES):
        game.text.read(table.variant, game.text.write(table.variant, table.states[0]))
        for seat in range(table.seats):
            game.text.read_view(table.variant, game.text.write(table.variant, table.states[0], seat))
        if table.over:
            break
        table.play(int(table.mask.argmax()))


def _learner(game: Game, scripted: list[str], options: Options) -> None:
    """Step tables with scripted opponents, and with one outside the compiled loop."""
    others: list[Any] = [dict.fromkeys(scripted, 1.0), _Outside()]
    for opponents in others:
        vector = envs.make_vec(game.name, 4, opponents, **options)
        observations, _ = vector.reset(seed=0)
        for _ in range(_PLIES):
            observations = vector.step(observations["action_mask"].argmax(1))[0]


def _matches(game: Game, scripted: list[str]) -> None:
    """Play matches of all scripted players, with records, and ask each of them for single actions."""
    for options in variants(game):
        seats = game.seats(game.make_variant(**options))
        for first in range(0, len(scripted), seats):
            _match(game, options, scripted[first : first + seats])
        samples = list(search.positions(game, game.make_variant(**options)))
        for player in (agents.load(one, game=game.name, **options) for one in scripted):
            for view, mask in samples:
                player.act(view, mask)


def _match(game: Game, options: Options, players: list[Any]) -> None:
    """Play and record a deal with all rotations of the seats."""
    Batch(Job(game.name, options, players, 0, None, True), DealRange(0, 0, 1)).play()


def _search(game: Game, name: str, guide: str) -> None:
    """Let a search player decide in all variants that it plays, alone and with guides if it asks them."""
    maker = search.makers(game)[name]
    names = [name, *([f"{name}+{guide}"] if getattr(maker, "guided", False) else [])]
    names += [f"{name}++{guide}"] if getattr(maker, "rolling", False) else []
    for options in variants(game):
        for one in names:
            try:
                player = agents.load(one, game=game.name, **options)
            except ValueError:  # it does not play this variant
                continue
            if isinstance(player, Searcher):
                player.warm()
    _match(game, {}, [f"{name}@2", "random"])


def _policy(game: Game, path: str) -> None:
    """Let a policy answer in its own variant."""
    try:
        player: Any = agents.load(path)
    except ImportError:  # without the library it cannot be loaded anyway
        return
    _match(game, game.options(player.variant), [player, "random"])


def _statistics(game: Game) -> None:
    """Count the figures of the game's page."""
    statistics.measure(game.name, _DEALS)


def _tree(game: Game, scripted: list[str]) -> None:
    """Unfold the tree of the smallest variant with all its chance events, unless it is too large."""
    options = smallest(game)
    try:
        tree = unfold(Rules(game.name, EXPLICIT, -1, 0, **options), _POSITIONS)
    except ValueError:  # too large; what compiles has been compiled
        return
    for one in scripted:
        player: Any = agents.load(one, game=game.name, **options)
        player.chances(tree.views[:1], tree.masks[:1])


def smallest(game: Game) -> Options:
    """Return options of a variant with short and simple games, by changing one or two fields at a time."""
    moves = [
        {name: value}
        for name, field in game.fields.items()
        for value in (field.numbers or _extremes(field, game.variant._field_defaults[name]))
    ]
    pairs = [one | other for one, other in combinations(moves, 2) if one.keys() != other.keys()]
    options, least = dict[str, Any](), _size(game, {})
    while (best := min([*moves, *pairs], key=lambda move: _size(game, options | move))) and (
        size := _size(game, options | best)
    ) < least:
        options, least = options | best, size
    return options


def _size(game: Game, options: Options) -> tuple[float, float]:
    """Return the size of a variant's games and the sum of its options, or infinity for an impossible variant."""
    try:
        variant = game.make_variant(**options)
    except ValueError:
        return math.inf, math.inf
    return game.size(variant) * game.bound(variant), sum(variant)
