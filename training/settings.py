"""Settings of a training run: read from TOML, checked key by key, with sentences for errors.

A file holds presets as tables. Every preset starts from [default], or from the preset that its key `like` names, and
changes the keys that it names; the keys of its own tables (variant, net, opponents, evaluation) are changed one by one
too.
"""

import difflib
import os
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from kozyr.envs.core import capabilities


class Key(NamedTuple):
    """What one key may hold. A list or table is checked entry by entry."""

    kind: type  # of the value or, in a list or table, of its entries
    low: float = 0
    high: float = float("inf")
    choices: tuple[str, ...] = ()
    many: bool = False  # a list
    above: bool = False  # `low` itself is not allowed

    def allows(self, value: Any) -> bool:
        """Tell whether a value fits."""
        if self.many:
            return isinstance(value, list) and all(self._fits(entry) for entry in value)
        return self._fits(value)

    def _fits(self, value: Any) -> bool:
        if self.kind in (bool, str):
            return isinstance(value, self.kind) and (not self.choices or value in self.choices)
        if isinstance(value, bool) or not isinstance(value, (int, float) if self.kind is float else int):
            return False
        return self.low < value <= self.high if self.above else self.low <= value <= self.high

    def allowed(self) -> str:
        """Say in words what the key may hold."""
        words = {bool: "true or false", str: "a text", int: "a whole number", float: "a number"}[self.kind]
        if self.choices:
            words = "one of " + ", ".join(map(repr, self.choices))
        elif self.kind in (int, float):
            words += f" {'above' if self.above else 'from'} {self.low}"
            words += f" to {self.high}" if self.high < float("inf") else ("" if self.above else " up")
        return f"a list, each entry {words}" if self.many else words


KEYS: dict[str, Key] = {
    "timesteps": Key(int, 1),  # decisions of the learner in the whole run
    "minutes": Key(float),  # wall time after which it ends if it has not made its decisions; 0 or left out: no limit
    "num_tables": Key(int, 1),
    "n_steps": Key(int, 1),  # decisions a table in one rollout
    "batch_size": Key(int, 2),
    "n_epochs": Key(int, 1),
    "learning_rate": Key(float, above=True),
    "anneal": Key(bool),  # let the learning rate fall to 0 in a straight line
    "entropy": Key(float),
    "entropy_end": Key(float),  # what the entropy's weight goes to in a straight line; left out, it stays
    "clip": Key(float, above=True),
    "gae_lambda": Key(float, 0, 1),
    "gamma": Key(float, 0, 1),
    "max_grad_norm": Key(float, above=True),
    "value_weight": Key(float),
    "threads": Key(int, 0),  # of the network, the tables and the opponents; 0: one a core
    "seed": Key(int, 0, 2**31 - 1),
    "snapshot_every": Key(int, 1),  # rollouts
    "pool_size": Key(int, 0),  # snapshots that are kept
}
PLAIN: dict[str, Any] = {  # keys of net that may be left out
    "patterns": 0,
    "critic": "view",
    "turned": False,
    "meeting": False,
    "levels": 0,
    "bfloat16": False,
}
TABLES: dict[str, dict[str, Key]] = {
    "net": {
        "trunk": Key(int, 1, many=True),  # widths of the layers that actor and critic share
        "heads": Key(int, 1, many=True),  # widths of the layers of each
        "patterns": Key(int, 0),  # features of a pattern along a line of a board, which go by fours; 0: a plain network
        "critic": Key(str, choices=("view", "everything")),  # what the critic reads: the learner's view or all seats'
        "turned": Key(bool),  # views are turned so that trumps come first, in games that have a symmetry
        "meeting": Key(bool),  # lines of cards are read by turn, in games where they meet place by place
        "levels": Key(int, 0),  # entries of a view that may be 2 up to this are read as zeros and ones too; 0: none
        "bfloat16": Key(bool),  # layers multiply so where the processor can: faster, with 8 bits of each factor
        "activation": Key(str, choices=("relu", "tanh", "silu")),
    },
    "evaluation": {
        "against": Key(str, many=True),  # agents by name
        "deals": Key(int, 2),  # while training
        "final_deals": Key(int, 2),
        "every": Key(int, 1),  # decisions between two evaluations
        "seed": Key(int, 0),
    },
}
LESSONS: dict[str, Key] = {  # of the table `imitation`, which may be left out
    "teacher": Key(str),  # an agent by name
    "decisions": Key(int, 1),  # positions it is asked about
    "learning_rate": Key(float, above=True),  # at first; it falls in a straight line
    "own": Key(float, 0, 1),  # share of the tables at which the learner's own actions are played
    "epochs": Key(int, 1),  # how often a position is learned from, on average
    "memory": Key(int, 1),  # positions that are remembered
}
_USUAL_LESSONS = {"decisions": 1_000_000, "learning_rate": 1e-3, "own": 0.5, "epochs": 2, "memory": 400_000}
OPEN: dict[str, Key | None] = {"variant": None, "opponents": Key(float)}  # tables whose keys depend on the game
_LIKE = "like"  # of a preset: another one that it starts from
_NESTED = (*TABLES, *OPEN, "imitation")

Settings = dict[str, Any]  # every key of KEYS, a dictionary for every name of _NESTED, and the preset they are of


def threads_of(settings: Settings) -> int:
    """Return how many threads a run may use: the settings' number, or one a core."""
    return settings["threads"] or os.cpu_count() or 1


def load(game: Any, preset: str = "default", path: Path | None = None) -> Settings:
    """Return the settings of one preset.

    Args:
        game: the game they are for.
        preset: a table of the file.
        path: a TOML file; None takes the one that comes with the game.

    Raises:
        ValueError: naming the file, the key, its value and what is allowed.
    """
    name, text = _read(game.name, path)
    try:
        presets = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name} is not valid TOML: {error}") from None
    if not presets or preset not in presets:
        raise ValueError(f"{name} has no preset {preset!r}: its presets are {', '.join(presets) or 'none'}")
    settings: Settings = {table: {} for table in _NESTED}
    settings["net"] |= PLAIN
    settings |= {"preset": f"{Path(name).name} [{preset}]", "entropy_end": None, "minutes": 0.0}
    for layer in _layers(presets, preset, name):
        _lay_over(settings, presets[layer], f"{name} [{layer}]")
    settings["imitation"] = lessons(settings["imitation"], f"{name} [{preset}] imitation")
    _require_all(settings, f"{name} [{preset}]")
    _require_sense(settings, game, f"{name} [{preset}]")
    return settings


def _layers(presets: dict[str, Any], preset: str, name: str) -> list[str]:
    """Return the presets that make one, the first one first: [default], those that it is like, and its own."""
    for layer, given in presets.items():
        if not isinstance(given, Mapping):
            raise ValueError(f"{name} [{layer}] is not a table of settings: {given!r}")
    if _LIKE in presets.get("default", {}):
        raise ValueError(f"{name} [default]: {_LIKE} is not allowed: all other presets start from [default]")
    chain = [preset]
    while _LIKE in presets[chain[-1]]:
        like = presets[chain[-1]][_LIKE]
        where = f"{name} [{chain[-1]}]: {_LIKE}={like!r} is not allowed"
        if not isinstance(like, str) or like not in presets:
            raise ValueError(f"{where}: the presets are {', '.join(presets)}")
        if like in chain:
            raise ValueError(f"{where}: [{like}] itself starts from [{chain[-1]}]")
        chain.append(like)
    return [layer for layer in dict.fromkeys(["default", *reversed(chain)]) if layer in presets]


def lessons(given: dict[str, Any], where: str) -> dict[str, Any]:
    """Return a table `imitation` with all of its keys, or without any; raise ValueError for what is not allowed."""
    if not given:
        return {}
    whole = {**_USUAL_LESSONS, **given}
    missing = [key for key in LESSONS if key not in whole]
    if missing:
        raise ValueError(f"{where}: {', '.join(missing)} is missing")
    return {key: _checked(_rule(LESSONS, key, where), key, value, where) for key, value in whole.items()}


def _read(game: str, path: Path | None) -> tuple[str, str]:
    """Return the name and the text of a settings file."""
    if path is None:
        source = resources.files("kozyr.training.configs") / f"{game}.toml"
        if not source.is_file():
            raise ValueError(f"there are no training settings for {game}: give a TOML file of your own")
        return source.name, source.read_text(encoding="utf-8")
    try:
        return str(path), Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"the settings file {path} cannot be read: {error}") from None


def _lay_over(settings: Settings, given: Mapping[str, Any], where: str) -> None:
    """Change settings by the keys of one preset."""
    for key, value in given.items():
        if key == _LIKE:
            continue
        if key in _NESTED:
            if not isinstance(value, Mapping):
                raise ValueError(f"{where}: {key}={value!r} is not allowed: {key} is a table of keys")
            for inner, one in value.items():
                rules = LESSONS if key == "imitation" else TABLES.get(key)
                rule = OPEN[key] if rules is None else _rule(rules, inner, f"{where} {key}")
                settings[key][inner] = _checked(rule, inner, one, f"{where} {key}")
        else:
            settings[key] = _checked(_rule({**KEYS, **dict.fromkeys((_LIKE, *_NESTED))}, key, where), key, value, where)


def _rule(rules: Mapping[str, Any], key: str, where: str) -> Any:
    """Return the rule of a key, or raise listing the keys."""
    if key in rules:
        return rules[key]
    close = difflib.get_close_matches(key, rules, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"{where}: unknown key {key!r}.{hint} The keys are: {', '.join(rules)}")


def _checked(rule: Key | None, key: str, value: Any, where: str) -> Any:
    """Return a value that its rule allows; whole numbers become floats where floats are meant."""
    if rule is None:
        return value
    if not rule.allows(value):
        raise ValueError(f"{where}: {key}={value!r} is not allowed: {key} is {rule.allowed()}")
    return float(value) if rule.kind is float else value


def _require_all(settings: Settings, where: str) -> None:
    """Raise if a key is missing."""
    missing = [key for key in KEYS if key not in settings]
    missing += [f"{table}.{key}" for table, rules in TABLES.items() for key in rules if key not in settings[table]]
    if missing:
        raise ValueError(f"{where}: {', '.join(missing)} is missing here and in [default]")


def _require_sense(settings: Settings, game: Any, where: str) -> None:
    """Raise if keys do not go together or do not fit the game."""
    rollout = settings["num_tables"] * settings["n_steps"]
    if settings["batch_size"] > rollout:
        raise ValueError(
            f"{where}: batch_size={settings['batch_size']} is not allowed: a rollout has "
            f"num_tables × n_steps = {rollout} decisions"
        )
    net = settings["net"]
    try:
        variant = game.agree(**settings["variant"])
    except ValueError as error:
        raise ValueError(f"{where} variant: {error}") from None
    if net["patterns"] and capabilities.board(variant) is None:
        raise ValueError(f"{where}: net.patterns={net['patterns']} is not allowed: {game.name} has no board: it is 0")
    if net["turned"] and (net["patterns"] or capabilities.symmetry(variant) is None):
        raise ValueError(f"{where}: net.turned=true is not allowed: {game.name} has no symmetry of suits")
    if net["meeting"] and (net["patterns"] or capabilities.two_lines(variant) is None):
        raise ValueError(f"{where}: net.meeting=true is not allowed: {game.name} has no lines of cards that meet")
    if net["patterns"] and net["critic"] != "view":
        raise ValueError(f"{where}: net.critic={net['critic']!r} is not allowed with net.patterns: it is 'view'")
    if net["patterns"] and net["levels"]:
        raise ValueError(f"{where}: net.levels={net['levels']} is not allowed with net.patterns: it is 0")
    if net["patterns"] and net["bfloat16"]:
        raise ValueError(f"{where}: net.bfloat16=true is not allowed with net.patterns: it is false")
    if net["patterns"] and net["activation"] != "relu":
        raise ValueError(
            f"{where}: net.activation={net['activation']!r} is not allowed with net.patterns: it is 'relu'"
        )
    if net["patterns"] and not net["trunk"]:
        raise ValueError(f"{where}: net.trunk=[] is not allowed with net.patterns: name at least one width")
    widths = net["patterns"], *net["trunk"]
    if net["patterns"] and any(width % 4 for width in widths):
        raise ValueError(f"{where}: net.patterns, net.trunk={widths} is not allowed: all are multiples of 4")
    if not any(settings["opponents"].values()):
        raise ValueError(f"{where}: opponents={settings['opponents']} is not allowed: some weight must be above 0")
