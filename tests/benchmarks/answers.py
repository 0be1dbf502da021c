"""Write the pages of docs/benchmark that are made from measured data: baselines, ranks, and researchers' questions.

    python -m tests.benchmarks.answers

Nothing is measured. The data are the rows of `docs/benchmark/*.jsonl`, the reports beside them, and `docs/results`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

from docs.results import store
from kozyr.agents.arena.scores import load, report
from kozyr.agents.arena.scores.suite import Task
from kozyr.agents.statistics.estimate import Estimate
from kozyr.envs.table import file_output
from tests.benchmarks import baselines, cycles, ranks, regularisation, runs
from tests.benchmarks.markdown import markdown
from tests.reports import FOLDER

PAGES = FOLDER.parent
TEXTS = Path(__file__).with_name("answer_texts")
POLICIES = Path(__file__).parents[2] / "training" / "policies"
CARDS = {  # of the bundled policy of each task
    "durak_36": "durak_36",
    "durak_52": "durak_52",
    "draw_poker_4": "draw_poker_4",
    "daifugo_4": "daifugo_4",
    "daifugo_5": "daifugo_5",
    "daifugo_stop_4": "daifugo_4_stop",
    "mnk_15": "mnk_15",
    "mnk_15_freestyle": "mnk_15_freestyle",
    "war_52": "war_52",
}
EARLIER = {"daifugo_4": {"low"}}  # met in a first run, whose settings are not those of the card
SEARCHED = {  # rows of docs/results against one opponent: of a policy, a search, and a search with the policy
    "Durak, 36 cards, against `solver`": (
        "policies/durak_36/solver",
        "ladders/durak_36/pimc/solver",
        "search/durak_36/pimc+policy/solver",
    ),
    "Durak, 52 cards, against `solver`": (
        "policies/durak_52/solver",
        "ladders/durak/pimc/solver",
        "search/durak_52/pimc+policy/solver",
    ),
    "Daifugo for 4, against `heuristic`": (
        "policies/daifugo_4/heuristic",
        "search/daifugo_4/pimc/heuristic",
        "search/daifugo_4/pimc+policy/heuristic",
    ),
    "Daifugo for 5, against `heuristic`": (
        "policies/daifugo_5/heuristic",
        "search/daifugo_5/pimc/heuristic",
        "search/daifugo_5/pimc+policy/heuristic",
    ),
    "Five in a row, against `hard`": (
        "policies/mnk_15/hard",
        "search/mnk_search/search@2000/hard",
        "search/mnk_15/threat+policy/hard",
    ),
    "War, 52 cards, against `high_first`": (
        "policies/war_52/high_first",
        "search/war_52/lookahead@16/high_first",
        None,
    ),
}


def reports() -> dict[str, dict[str, report.TaskScore]]:
    """Return the bundled reports by the names of their files, and in each the tasks by name."""
    return {path.stem: {one.task: one for one in report.read(path).tasks} for path in sorted(FOLDER.glob("*.json"))}


def text(name: str, **parts: str) -> str:
    """Return a page: its words, with tables in place of their names in braces."""
    page = (TEXTS / f"{name}.md").read_text(encoding="utf-8")
    for part, content in parts.items():
        page = page.replace(f"{{{part}}}", content)
    return page


def ranks_page() -> str:
    """Return the page of ranks."""
    every = list(ranks.pairs())
    counts = {words: sum(one.verdict == words for one in every) for words in ("agree", "not apart", "disagree")}
    head = markdown([["They", "Pairs"], *([words, str(count)] for words, count in counts.items())])
    return text("ranks", counts=head, table=ranks.table())


def search_page() -> str:
    """Return the page about the worth of search."""
    by_file = reports()
    rows = [["Task", "Scripted", "Policy", "Search", "Search"]]
    for task in load().tasks:
        cells = [by_file[name].get(task.name) for name in ("heuristics", "policies", "references")]
        points = ["" if one is None else one.points.estimate.text() for one in cells]
        rows.append([task.name, *points, f"`{task.reference}`"])
    known = store.read()
    matches = [["Game", "Policy alone", "Search alone", "Search with the policy"]]
    matches += [[game, *(_stored(known, name) for name in names)] for game, names in SEARCHED.items()]
    return text("search", points=markdown(rows), matches=markdown(matches))


def _stored(known: Mapping[str, store.Row], name: str | None) -> str:
    """Return a stored number with its interval, nothing where there is none."""
    if name is None:
        return ""
    row = known[name]
    return Estimate(row.value, row.low or row.value, row.high or row.value).text()


def trained_against(task: str) -> set[str]:
    """Return the scripted players that a bundled policy was trained against, by its card, without their budgets."""
    card = (POLICIES / f"{CARDS[task]}.md").read_text(encoding="utf-8")
    facts = json.loads(card.partition("```json\n")[2].partition("\n```")[0])
    opponents: dict[str, float] = facts["settings"]["opponents"]
    return {name.partition("@")[0] for name, share in opponents.items() if share} | EARLIER.get(task, set())


class Transfer:
    """Points of a policy against one opponent of a task: 0 is random play's score, 100 the reference's.

    Args:
        task: the task; opponent: of it; known: whether the policy trained against it; scores: of policy, random play
            and reference.
    """

    def __init__(self, task: Task, opponent: str, known: bool, scores: Sequence[Estimate]) -> None:
        self.task, self.opponent, self.known = task.name, opponent, known
        mine, zero, hundred = scores
        self.score, self.reference = mine, hundred
        self.points = Estimate(*(100 * (one - zero.value) / (hundred.value - zero.value) for one in mine))


def transfers() -> Iterator[Transfer]:
    """Yield the points of every bundled policy against every opponent."""
    by_file = reports()
    for task in load().tasks:
        if task.name in by_file["policies"]:
            against = trained_against(task.name)
            matches = [by_file[name][task.name].matches for name in ("policies", "random", "references")]
            for three in zip(*matches, strict=True):
                opponent = three[0].scores[-1].agent
                yield Transfer(task, opponent, opponent in against, [one.scores[0].estimate for one in three])


def transfer_page() -> str:
    """Return the page about opponents that a policy has not met."""
    every = list(transfers())
    rows = [["Task", "Against", "Met in training", "Score, %", "The reference's, %", "Points"]]
    for one in every:
        met = "yes" if one.known else "no"
        scores = [each.times(100).text() for each in (one.score, one.reference)]
        rows.append([one.task, f"`{one.opponent}`", met, *scores, one.points.text()])
    means = [["Task", "Met: points", "Not met: points", "Difference"]]
    for task in dict.fromkeys(one.task for one in every):
        both = [
            [one.points.value for one in every if (one.task, one.known) == (task, known)] for known in (True, False)
        ]
        if all(both):
            met, other = map(mean, both)
            means.append([task, f"{met:.1f}", f"{other:.1f}", f"{other - met:+.1f}".replace("-", "−")])
    return text("transfer", means=markdown(means), table=markdown(rows))


def cycles_page() -> str:
    """Return the page about circles in self-play."""
    rows = [["Task", "Algorithm", "Seed", "Triples", "Circle, %", "By luck alone, % (95 %)", "For sure"]]
    beyond, sure = 0, 0
    for one in baselines.read(cycles.RESULTS):
        its = cycles.triples(one["pairs"])
        beyond, sure = beyond + (its.share > its.chance.high), sure + its.sure
        luck = f"{100 * its.chance.value:.1f} ({100 * its.chance.low:.1f} … {100 * its.chance.high:.1f})"
        name = baselines.ALGORITHMS[one["algorithm"]]
        rows.append(
            [one["task"], name, str(one["seed"]), str(its.total), f"{100 * its.share:.1f}", luck, str(its.sure)]
        )
    answer = (
        f"In {beyond} of {len(rows) - 1} runs more triples circle than luck explains, which luck itself brings in one "
        f"run of forty. {sure} triples circle for sure."
    )
    return text("cycles", table=markdown(rows), answer=answer)


def regularisation_page() -> str:
    """Return the page about regularisation."""
    known = baselines.read(regularisation.RESULTS)
    rows = [["Mini variant", "Seeds", "Decisions", *regularisation.PRESETS.values()]]
    for game in dict.fromkeys(one["game"] for one in known):
        its = [one for one in known if one["game"] == game]
        of = {name: [one["nash_conv"] for one in its if one["preset"] == name] for name in regularisation.PRESETS}
        cells, seeds = [runs.cell(some, 3) for some in of.values()], str(len({one["seed"] for one in its}))
        rows.append([f"`{game}_mini`", seeds, f"{its[0]['decisions']:,}", *cells])
    return text("regularisation", table=markdown(rows))


def pages() -> dict[str, str]:
    """Return the pages by the names of their files."""
    from tests.benchmarks import baseline_page

    return {
        "baselines.md": baseline_page.page(),
        "cycles.md": cycles_page(),
        "ranks.md": ranks_page(),
        "regularisation.md": regularisation_page(),
        "search.md": search_page(),
        "transfer.md": transfer_page(),
    }


def main() -> None:
    """Write all pages, and the pictures of curves."""
    from tests.benchmarks import baseline_page

    baseline_page.draw()
    for name, page in pages().items():
        file_output.write(PAGES / name, page)
        print(PAGES / name)


if __name__ == "__main__":
    main()
