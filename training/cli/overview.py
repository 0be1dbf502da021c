"""Group of all commands: its overview on one screen, and errors in one line."""

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

import typer
from typer.core import TyperGroup

from kozyr.envs.core.quote import quote

USAGE, FAILURE, INTERRUPTED = 2, 1, 130  # exit codes
_MISUSE: Any = typer.BadParameter.__base__  # what typer raises for a line that it cannot read, whosever class it is
_HELP_WANTED, _MISSING = "NoArgsIsHelpError", "MissingParameter"
_NO_MEMORY = (
    "there is not enough memory: end other programs, or ask for less at once, as fewer tables, workers or deals"
)
_FOOT = (
    "kozyr COMMAND --help shows the options of a command with an example.\n"
    "kozyr --install-completion lets the Tab key complete; kozyr --version."
)


class Failure(Exception):  # noqa: N818 - it is no bug
    """The command was right and could not be carried out."""


class Careful(TyperGroup):
    """Commands in groups, whose errors are a line on stderr; KOZYR_DEBUG=1 shows where they come from."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options that stand before the command."""
        with _errors_in_a_line():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command and turn its errors into a line and an exit code."""
        with _errors_in_a_line(), _threads_in_a_line():
            return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the commands, group by group, in a line each."""
        from rich.console import Console
        from rich.table import Table

        panels: dict[str, list[Any]] = {}
        every: dict[str, Any] = dict(self.commands)
        for command in every.values():
            if command.hidden:
                continue
            panels.setdefault(str(command.rich_help_panel), []).append(command)
        console, wide = Console(highlight=False), max(map(len, self.commands)) + 2
        console.print(self.help, markup=False)
        for title, commands in panels.items():
            table = Table(box=None, show_header=False, title=f"\n{title}", title_justify="left", title_style="bold")
            table.add_column(style="cyan", width=wide, no_wrap=True)
            table.add_column(overflow="ellipsis", no_wrap=True)
            for one in commands:
                table.add_row(f" {one.name}", str(one.help).partition("\n")[0])
            console.print(table)
        console.print(f"\n{_FOOT}", markup=False)


@contextmanager
def _threads_in_a_line() -> Generator[None]:
    """Say in a line what has ended a thread beside a command, such as TensorBoard's on a full disk."""
    before = threading.excepthook

    def warn(error: threading.ExceptHookArgs) -> None:
        if os.environ.get("KOZYR_DEBUG") == "1" or not isinstance(error.exc_value, OSError | MemoryError):
            before(error)
            return
        with suppress(ValueError):  # standard error is closed when Python ends
            typer.echo(f"warning: what ran beside the command has ended: {_words(error.exc_value)}", err=True)

    threading.excepthook = warn
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def _errors_in_a_line() -> Generator[None]:
    """Turn a command's errors into a line and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:  # the reader has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - open until the interpreter has flushed it
        raise typer.Exit(FAILURE) from None
    except (typer.Exit, typer.Abort):
        raise
    except _MISUSE as error:
        if type(error).__name__ == _HELP_WANTED:
            raise
        typer.echo(f"error: {_misuse(error)}", err=True)
        raise typer.Exit(USAGE) from None
    except (ValueError, ImportError, OSError, RuntimeError, Failure) as error:
        if os.environ.get("KOZYR_DEBUG") == "1":
            raise
        typer.echo(f"error: {_words(error)}", err=True)
        raise typer.Exit(USAGE if isinstance(error, ValueError) else FAILURE) from None
    except MemoryError as error:
        if os.environ.get("KOZYR_DEBUG") == "1":
            raise
        detail = f" ({quote(str(error))})" if str(error) else ""
        typer.echo(f"error: {_NO_MEMORY}{detail}", err=True)
        raise typer.Exit(FAILURE) from None


def _misuse(error: Any) -> str:
    """Return the error of a command line, and advice."""
    text = " ".join(error.format_message().split())
    text = f"{text[:1].lower()}{text[1:]}"
    if not text.endswith((".", "?")):
        text += "."
    if "Did you mean" in text or error.ctx is None:
        return text
    if type(error).__name__ == _MISSING and error.ctx.command.epilog:
        return f"{text} {error.ctx.command.epilog}"
    return f"{text} See: {error.ctx.command_path} --help"


def _words(error: Exception) -> str:
    """Return an error in plain words."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


class Inner(TyperGroup):
    """Commands in a group whose `run` may be left out: `kozyr score AGENT` is `kozyr score run AGENT`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the name of the command, or put in the one that is left out."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["run", *args]
        return super().parse_args(ctx, args)
