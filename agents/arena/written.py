"""Names of agents in reports: whatever stands in them, a report shows it and is not changed by it."""

import re

_LONGEST = 120
_MARKS = re.compile(r"([\\`*\[\]<>&|$])")  # what Markdown, or HTML in it, would take for its own


def plain(name: str, longest: int = _LONGEST) -> str:
    r"""Return a name in one line of what can be seen, cut where it is very long.

    Example:
        >>> plain("a\n# b")
        'a # b'
    """
    shown = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return shown if len(shown) <= longest else f"{shown[:longest]}…"


def in_markdown(name: str, longest: int = _LONGEST) -> str:
    r"""Return a name as Markdown shows it.

    Example:
        >>> print(in_markdown("<b>|$x_$"))
        \<b\>\|\$x_\$
    """
    return _MARKS.sub(r"\\\1", plain(name, longest))


def in_code(name: str) -> str:
    r"""Return a name to be put between backticks in a table of Markdown.

    Example:
        >>> print(in_code("a`|b"))
        a'\|b
    """
    return plain(name).replace("`", "'").replace("|", r"\|")


def in_figure(name: str) -> str:
    r"""Return a name as Matplotlib shows it, which takes what stands between dollars for a formula.

    Example:
        >>> print(in_figure("$x_$"))
        \$x_\$
    """
    return plain(name).replace("$", r"\$")


def both_ends(words: str, longest: int) -> str:
    """Return the beginning and the end of words that are many: a program's last words stand at the end.

    Example:
        >>> both_ends("abcdefghij", 4)
        'ab … ij'
    """
    return words if len(words) <= longest else f"{words[: longest // 2]} … {words[-longest // 2 :]}"
