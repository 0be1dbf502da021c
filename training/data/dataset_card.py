"""Card of a dataset: its content, its origin and code that loads it, in Markdown."""

import json
from pathlib import Path

from kozyr.agents.arena.results.escape import in_code
from kozyr.envs.table import file_output, files
from kozyr.training.data.games import Dataset

_MARK = "<!-- written by kozyr export -->"
_LARGEST = 1 << 20
_COLUMNS = (
    ("game", "name and version of the game"),
    ("variant", "its options, as JSON"),
    ("number", "of the game in the file, from 1"),
    ("ply", "how many actions had been played before"),
    ("seat", "who decides or, at the end, who looks, from 0"),
    ("agent", "the name of who plays there; empty where the record does not tell it"),
    ("view", "what the seat knew, {view} numbers of type {dtype}"),
    ("mask", "1 for each legal action, {actions} numbers of type int8"),
    ("action", "what it did; −1 at the end of the game"),
    ("return", "what the game brought this seat in the end; there are no rewards before the end"),
    ("opening", "true for the random plies that a match lets every game begin with"),
    ("truncated", "true where a cap ended the game"),
    ("forfeit", "true where a seat lost by an error, an illegal action or the clock"),
    ("end", "true in a seat's last row, which is no decision: its view is from the end, its mask all 0"),
)


def require_place(path: Path) -> None:
    """Raise ValueError if there is a file that is no card of ours: it is not overwritten."""
    if path.exists() and _MARK not in files.text(path, _LARGEST):
        raise ValueError(f"{path} is there and is no card of a dataset: name another file with --card")


def write(path: Path, data: Path, dataset: Dataset, source: str, licence: str) -> None:
    """Write the card.

    Args:
        path: where; data: the Parquet file; dataset: its facts.
        source: the name of the file of records; licence: of the data, as an identifier of SPDX.
    """
    file_output.write(path, text(data.name, dataset, source, licence))


def text(data: str, dataset: Dataset, source: str, licence: str) -> str:
    """Return the card; the arguments are as for `write`."""
    game, v = dataset.kind
    sizes = {"view": f"{game.size(v):,}", "dtype": game.view_dtype.name, "actions": f"{game.actions(v):,}"}
    parts = [
        _head(data, game.title, licence),
        f"# Decisions in {game.title}",
        f"{dataset.decisions:,} decisions of {dataset.games:,} games of `{game.id}`, "
        f"in `{data}` ({dataset.bytes:,} bytes).",
        f"The options are `{json.dumps(game.options(v))}`.",
        "## How it was made",
        f"`kozyr export {in_code(source)} {in_code(data)}` replayed recorded games through the rules. Every action was "
        "legal, and every game ended as its record says. Each decision became a row, and so did what each seat saw at "
        "the end.",
        _players(dataset),
        "## Columns",
        *["\n".join(["| Column | Meaning |", "|---|---|", *_rows(sizes)])],
        "Rows of one game stand together, in order. The next decision of the same seat is the next row with the same "
        "`number` and `seat`; the last of these rows is its `end`. Only rows without `end` are decisions.",
        _parts(dataset),
        "## Load it",
        _loading(data),
        "## Licence",
        f"The data: {licence}. The rules and the programs that made it are kozyr's, under the MIT licence.",
        _MARK,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(data: str, title: str, licence: str) -> str:
    """Return the head of the card, for dataset hubs."""
    fields = {
        "license": licence.lower(),
        "pretty_name": f"Decisions in {title}",
        "tags": ["reinforcement-learning", "offline-reinforcement-learning", "games"],
        "configs": [{"config_name": "default", "data_files": data}],
    }
    return "\n".join(["---", *(f"{key}: {json.dumps(value)}" for key, value in fields.items()), "---"])


def _rows(sizes: dict[str, str]) -> list[str]:
    return [f"| `{name}` | {meaning.format(**sizes)} |" for name, meaning in _COLUMNS]


def _players(dataset: Dataset) -> str:
    """Return the table of agents, most decisions first, or "" where none is known."""
    known = sorted(dataset.agents.items(), key=lambda one: -one[1].decisions)
    lines = [
        f"| `{in_code(name)}` | {one.decisions:,} | {one.returns / max(one.decisions, 1):+.3f} |" for name, one in known
    ]
    return "\n".join(["| Agent | Decisions | Mean return of a decision |", "|---|---:|---:|", *lines]) if lines else ""


def _parts(dataset: Dataset) -> str:
    """Return the table of the view's parts."""
    game, v = dataset.kind
    declared = game.parts.declared
    lines = [
        f"| `{name}` | {first} … {last - 1} | {high} | {declared[name].meaning} |"
        for name, first, last, high in game.declaration(v)
    ]
    head = "The parts of `view`; the lowest value is 0. The file's metadata has the same under `kozyr.view`."
    return "\n".join([head, "", "| Part | Entries | Highest | Meaning |", "|---|---|---:|---|", *lines])


def _loading(data: str) -> str:
    """Return the code that loads the file with three libraries."""
    return "\n".join(
        [
            "```python",
            "import numpy as np",
            "import pyarrow.compute as pc",
            "import pyarrow.parquet as pq",
            "",
            f"rows = pq.read_table({data!r})  # the ends too",
            'table = rows.filter(pc.invert(rows["end"]))  # decisions',
            'views = table["view"].combine_chunks().flatten().to_numpy().reshape(len(table), -1)',
            'actions = table["action"].to_numpy()',
            "",
            "import pandas as pd  # a column of arrays",
            "",
            f"frame = pd.read_parquet({data!r})",
            'views = np.stack(frame[~frame["end"]]["view"])',
            "",
            'from datasets import load_dataset  # Hugging Face; the format "arrow" keeps the types',
            "",
            f'rows = load_dataset("parquet", data_files={data!r})["train"].with_format("arrow")',
            "```",
        ]
    )
