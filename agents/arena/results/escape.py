"""Escaping of agents' names in reports: Markdown, HTML and figures show any text as it is."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from kozyr.agents import agent_names

_LONGEST = 120
_MARKS = re.compile(r"([\\`*\[\]<>&|$])")  # special characters of Markdown, or of HTML in it


def plain(name: str, longest: int = _LONGEST) -> str:
    r"""Return a name in one line of printable characters, cut if it is very long.

    Example:
        >>> plain("a\n# b")
        'a # b'
    """
    text = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return text if len(text) <= longest else f"{text[:longest]}…"


def short(names: Sequence[str]) -> list[str]:
    """Return names for a narrow table: a class without its module, a file without most of its folders.

    Those that would become the same stay as they are.

    Example:
        >>> short(["bots.mine:Mine", "runs/demo/policy.onnx", "process:node bots/low.js", "low"])
        ['Mine', 'demo/policy.onnx', 'process:low.js', 'low']
        >>> short(["old:Mine", "new:Mine"])
        ['old:Mine', 'new:Mine']
    """
    shortened = [_short(name) for name in names]
    times = Counter(shortened)
    return [one if times[one] == 1 else name for one, name in zip(shortened, names, strict=True)]


def _short(name: str) -> str:
    """Return a name in short."""
    try:
        return _shortened(agent_names.parse(name))
    except ValueError:  # of an object, or one of two of the same name
        return name


def _shortened(name: agent_names.Name) -> str:
    """Return a parsed name in short."""
    if isinstance(name, agent_names.AgentClass):
        return name.attribute
    if isinstance(name, agent_names.PolicyFile):
        return "/".join(PurePath(name.path).parts[-2:])
    if isinstance(name, agent_names.Program):
        words = name.command.split() or [""]
        return f"{name.protocol}:{PurePath(words[-1]).name}"
    if isinstance(name, agent_names.LanguageModel):
        return str(name).partition("@")[0]
    if isinstance(name, agent_names.HubPolicy):
        return name.repository.partition("/")[2]
    if name.guide is None:
        return str(name)
    return f"{replace(name, guide=None)}{'++' if name.rolls else '+'}{_shortened(name.guide)}"


def in_markdown(name: str, longest: int = _LONGEST) -> str:
    r"""Escape a name for Markdown.

    Example:
        >>> print(in_markdown("<b>|$x_$"))
        \<b\>\|\$x_\$
    """
    return _MARKS.sub(r"\\\1", plain(name, longest))


def in_code(name: str) -> str:
    r"""Escape a name for backticks in a table of Markdown.

    Example:
        >>> print(in_code("a`|b"))
        a'\|b
    """
    return plain(name).replace("`", "'").replace("|", r"\|")


def in_figure(name: str) -> str:
    r"""Escape a name for Matplotlib, which reads text between dollars as a formula.

    Example:
        >>> print(in_figure("$x_$"))
        \$x_\$
    """
    return plain(name).replace("$", r"\$")


def both_ends(words: str, longest: int) -> str:
    """Return the beginning and the end of a long text: the end has a program's last output.

    Example:
        >>> both_ends("abcdefghij", 4)
        'ab … ij'
    """
    return words if len(words) <= longest else f"{words[: longest // 2]} … {words[-longest // 2 :]}"
