"""The pages read easily, README is short, and what a user would search for is found."""

import re
from pathlib import Path

import pytest

from tests.docs import pages

EASE = 50  # Flesch: 60 to 70 is plain English, below 50 is hard
LEAST = 60  # words; of fewer a mean says nothing
DOCS = pages.ROOT / "docs"
HARD = {  # pages below EASE, and why
}
PAGES = [pages.ROOT / "README.md", *[page for page in pages.written() if page.is_relative_to(DOCS)]]
SOUGHT = {  # what people type, and where it leads
    "mask": "howto/masks",
    "self-play": "howto/self_play",
    "opponent": "howto/opponents",
    "seed": "howto/seeds",
    "gpu": "howto/gpu_tables",
    "human": "howto/play",
    "search": "howto/search",
    "interval": "howto/evaluation",
    "bot": "howto/own_bot",
    "install": "start/install",
    "docker": "start/install",
    "windows": "start/install",
    "train": "start/quick_start",
    "checkpoint": "howto/self_play",
    "resume": "howto/self_play",
    "save": "howto/self_play",
    "load": "howto/own_bot",
    "policy": "about/policies",
    "observation": "howto/masks",
    "reward": "howto/masks",
    "render": "howto/pictures",
    "rules": "games",
    "play": "howto/play",
    "hint": "howto/play",
    "multiplayer": "howto/play",
    "watch": "howto/replay",
    "evaluate": "howto/evaluation",
    "elo": "howto/evaluation",
    "tournament": "howto/tournaments",
    "league": "howto/tournaments",
    "wandb": "howto/tracking",
    "llm": "howto/language_models",
    "cuda": "howto/gpu_tables",
    "vector": "libraries/gymnasium",
    "ppo": "libraries/cleanrl",
    "benchmark": "about/speed",
    "learning curve": "about/learning_curves",
    "wall time": "about/learning_curves",
}
FIRST = 3  # results that a reader looks at


def spoken(text: str) -> str:
    """Return a page's prose as it is read aloud; names in code count as the words that they are made of."""
    plain = [re.sub(r"[`_/@=.:{}\[\]\"'+]+", " ", one[:-1]) + one[-1] for one in pages.sentences(text)]
    return " ".join(one if one.endswith((".", "!", "?")) else f"{one.rstrip(':; ')}." for one in plain)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(pages.ROOT).as_posix())
def test_a_page_reads_easily(page: Path) -> None:
    textstat = pytest.importorskip("textstat", reason="comes with the extra [test]")
    text, name = spoken(page.read_text(encoding="utf-8")), page.relative_to(pages.ROOT).as_posix()
    if len(text.split()) < LEAST:
        return
    ease = textstat.flesch_reading_ease(text)
    if name in HARD:
        assert ease < EASE, f"{name} reads easily by now: strike it from HARD"
        return
    assert ease >= EASE


def test_the_measure_tells_plain_from_stilted() -> None:
    textstat = pytest.importorskip("textstat", reason="comes with the extra [test]")
    assert textstat.flesch_reading_ease("The cat sat on the mat. It was a good day.") > 90
    assert textstat.flesch_reading_ease("Multidimensional parametrisations necessitate disambiguation.") < 0


def test_sentences_are_found() -> None:
    text = "# No\n\nOne [two](x.md), `three`. Four!\n\n| no | no |\n\n- five\n- six: seven\n\n```\nno\n```\n"
    assert pages.sentences(text) == ["One two, `three`.", "Four!", "five", "six: seven"]


def entries(page: Path) -> set[str]:
    """Return a page's main index entries. Sphinx's search rates one that is the word above titles, names and text."""
    lines = re.findall(r"^```\{index\} (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    found = {entry.strip().lower() for line in lines for entry in line.split(",")}
    return {entry.removeprefix("! ") for entry in found if entry.startswith("! ")}


@pytest.mark.parametrize("word", SOUGHT)
def test_a_word_leads_to_its_page_among_the_first(word: str) -> None:
    known = [page for page in PAGES if word in entries(page)]
    assert DOCS / f"{SOUGHT[word]}.md" in known
    assert len(known) <= FIRST
