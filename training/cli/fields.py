"""A command line made of a dataclass: an option for each field, with its help and its usual value."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar

from kozyr.training.cli.terminal import options

Settings = TypeVar("Settings")
VARIANT = "variant"  # the field that `--set FIELD=VALUE` fills


def from_command_line(
    settings: type[Settings],
    module: str,
    about: str | None,
    words: Sequence[str] | None,
    require: Callable[[Settings], None],
) -> Settings:
    """Return what a command line says; a wrong one ends the program with a sentence.

    Args:
        settings: the dataclass, which checks its fields; module: which `python -m` runs; about: what it does.
        words: of the command line, or None for those of this process.
        require: raises ValueError for what the dataclass cannot check by itself.
    """
    parser = _parser_of(settings, module, about)
    given: dict[str, Any] = vars(parser.parse_args(words))
    try:
        found = settings(**{VARIANT: options(given.pop("set"))}, **given)
        require(found)
    except ValueError as error:
        parser.error(str(error))
    return found


def _parser_of(settings: type[Any], module: str, about: str | None) -> argparse.ArgumentParser:
    """Return a parser whose options are the fields, whose metadata say `help`; one without a default must be given."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for one in fields(settings):
        if one.name == VARIANT:
            parser.add_argument("--set", action="append", metavar="FIELD=VALUE", help="a field of the game's variant")
            continue
        needed = one.default is MISSING
        kind = str if needed else Path if one.default is None else type(one.default)
        usual = "" if needed or one.default is None else f" (otherwise {one.default})"
        flag, told = f"--{one.name.replace('_', '-')}", one.metadata["help"] + usual
        parser.add_argument(flag, type=kind, required=needed, default=None if needed else one.default, help=told)
    return parser
