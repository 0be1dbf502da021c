"""Learning curves as ONE page that opens anywhere: data, style and script are inside, and nothing is fetched."""

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files

from kozyr.training.plots.curves import Curve, Point, captions, limits, time_unit

_VIEWER, _HERE = "kozyr.envs.viewer.static", "kozyr.training.plots"
_DIGITS = 5  # of a score


def page(title: str, every: Sequence[Curve], by: str = "decisions") -> str:
    """Return a page with a panel for each opponent, which shows values under the pointer.

    Args:
        title: of the page.
        every: the curves; by: "decisions" or "time", which the page can change.
    """
    style, script = _static("theme.css", _VIEWER) + _static("curves.css"), _static("curves.js")
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'"
    parts = {"title": escape(title), "policy": f"{policy}; form-action 'none'", "style": style, "script": script}
    parts["data"] = json.dumps(_data(every, by), separators=(",", ":")).replace("<", "\\u003c")
    parts["captions"] = "".join(f'<p class="faint">{escape(text)}</p>\n' for text in captions(every))
    parts["rows"] = "\n".join(_row(one, point) for one in every for point in one.points)
    return re.sub(r"<!--(\w+)-->", lambda mark: parts[mark[1]], _static("curves.html"))


def _data(every: Sequence[Curve], by: str) -> dict[str, object]:
    """Return the data of the page's script."""
    names, opponents = (list(dict.fromkeys(getattr(one, key) for one in every)) for key in ("name", "against"))
    words, seconds = time_unit(every)
    panels = list[dict[str, object]]()
    for against in opponents:
        its = [one for one in every if one.against == against]
        lines = [
            {
                "line": names.index(one.name),
                "points": [[*_numbers(point), point.score.percent()] for point in one.points],
                "seeds": [list(map(_numbers, points)) for points in one.seeds.values()],
            }
            for one in its
        ]
        panels.append({"against": against, "limits": limits(its), "curves": lines})
    unit = {"words": words, "short": words.partition(" ")[0], "seconds": seconds}
    return {"by": by, "names": names, "unit": unit, "panels": panels}


def _numbers(point: Point) -> list[float]:
    """Return a point as the script takes it."""
    return [round(point.decisions), round(point.seconds, 3), *(round(x, _DIGITS) for x in point.score)]


def _row(curve: Curve, point: Point) -> str:
    """Return a point as a row of the table."""
    numbers = str(len(curve.seeds)), f"{point.decisions:,.0f}", f"{point.seconds:,.1f}", point.score.percent()
    cells = (curve.name, curve.against, *numbers)
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _static(name: str, package: str = _HERE) -> str:
    return (files(package) / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
