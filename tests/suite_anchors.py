"""Measure the two ends of a suite's scales anew: random play and the references. It takes an hour.

    python -m tests.suite_anchors FOLDER

A frozen suite is not measured again: this is for a new one. The matches are kept in FOLDER, so that a stopped
measurement goes on; `zero`, `hundred` and `reference` are written into the suite's file.
"""

import re
import sys
from pathlib import Path

from kozyr.agents.arena import scores
from kozyr.agents.arena.scores import suite as suites

FILE = Path(suites.__file__).with_name(f"{suites.LATEST}.toml")
REFERENCES = {  # the strongest search of each task at a budget that another machine repeats
    "durak_36": "pimc+policy",
    "durak_52": "pimc+policy",
    "durak_perevodnoy_4": "pimc",
    "draw_poker_2": "pimc",
    "draw_poker_4": "pimc",
    "daifugo_4": "pimc+policy",
    "daifugo_5": "pimc+policy",
    "daifugo_stop_4": "pimc+policy",
    "mnk_15": "search@1000",
    "mnk_15_freestyle": "search@1000",
    "war_20": "lookahead@16",
    "war_52": "lookahead@16",
}


def main(folder: Path) -> None:
    """Play both, and write the ends into the suite's file."""
    folder.mkdir(parents=True, exist_ok=True)
    random = scores.score("random", progress=True, workers=2, keep=folder / "random.matches.jsonl")
    best = scores.score(REFERENCES, progress=True, workers=2, keep=folder / "references.matches.jsonl")
    text = FILE.read_text(encoding="utf-8")
    for zero, hundred in zip(random.tasks, best.tasks, strict=True):
        ends = [sum(one.scores[0].score for one in task.matches) / len(task.matches) for task in (zero, hundred)]
        lines = f'zero = {ends[0]:.6f}\nhundred = {ends[1]:.6f}\nreference = "{REFERENCES[zero.task]}"\n'
        text = re.sub(r"(?m)^(zero|hundred|reference) = .*\n", "", text) if zero is random.tasks[0] else text
        text = text.replace(f'name = "{zero.task}"\n', f'name = "{zero.task}"\n{lines}')
        print(zero.task, lines.replace("\n", "  "))
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
