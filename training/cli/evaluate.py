"""Commands that measure players: match, evaluate, compare, exploit."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output
from kozyr.training.cli import learn
from kozyr.training.cli.learn import Minutes, Resume, RunSeed, SettingsFile, Threads
from kozyr.training.cli.terminal import (
    Clock,
    Confine,
    Deals,
    Game,
    Json,
    MoveLimit,
    Opening,
    Openings,
    Opponents,
    Record,
    Seed,
    Settings,
    TrainedPolicy,
    Workers,
    agent_completions,
    options,
    show,
    show_json,
    show_match,
)

LEARNER, SEARCH, EXACT = "learner", "search", "exact"
_OPTIONS = {  # of `exploit`, by the choice of --by
    LEARNER: ("decisions", "preset", "teacher", "copy", "out", "minutes", "threads", "resume", "settings"),
    SEARCH: ("simulations", "deals", "stochastic"),
    EXACT: ("first", "asks", "stochastic", "average", "out"),
}
_PLAYERS = "Names from `kozyr agents`, files.onnx, package.module:Class, cfr@500, mccfr@100000."
_ASKS = "How often to ask a player that cannot name its probabilities."
_AVERAGE = "Measure also a player that draws one of these for each game."
_DECISIONS, _PRESET, _DEALS = 2_000_000, "demo", 500


def match(
    game: Game,
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            help="Two names or more: low, pimc@400, pimc+policy, file.onnx, bots:Mine, llm:MODEL. The last one fills "
            "the seats left.",
            show_default=False,
            autocompletion=agent_completions,
        ),
    ] = None,
    deals: Deals = 1000,
    seed: Seed = 0,
    workers: Workers = 1,
    settings: Settings = None,
    record: Record = None,
    opening: Annotated[
        int | None,
        typer.Option(help="Random moves at the start of every game. Default: the game's own number."),
    ] = None,
    openings: Openings = None,
    move_limit: MoveLimit = None,
    clock: Clock = "auto",
    confine: Confine = None,
    by_turn: Annotated[
        bool, typer.Option("--by-turn", help="Also show the scores as first to move, second, and so on.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play agents against each other on duplicate deals."""
    from kozyr.agents.arena import match as play_match

    variant = options(settings)
    _require_two(game, agents or [], variant)
    bar = sys.stderr.isatty()
    how = (deals, seed, workers, bar, record, opening, move_limit, openings, clock)
    result = play_match(game, agents or [], *how, **variant)
    if as_json:
        show_json(result.to_json())
        return
    show_match(result)
    if by_turn:
        show(result.turns_table())


def _require_two(game: str, names: list[str], variant: dict[str, Any]) -> None:
    """Raise ValueError, with an example, if a match lacks an agent; wrong names come first."""
    from kozyr import agents as players
    from kozyr import envs

    envs.game(game)
    for name in names:
        players.load(name, game=game, **variant)
    if len(names) < 2:
        known = [name for name in reversed(players.names(game)) if name not in names]
        more = [*names, *known][: max(2, len(names))]
        what = "one agent more" if names else "two agents"
        raise ValueError(f"a match needs {what}. Type for instance: kozyr match {game} {' '.join(more)}")


def evaluate(
    policy: TrainedPolicy,
    against: Opponents = None,
    deals: Deals = 1000,
    seed: Seed = 0,
    workers: Workers = 1,
    confine: Confine = None,
    as_json: Json = False,
) -> None:
    """Play a trained policy against other agents.

    The policy file knows the game and the options it was trained for.
    """
    from kozyr import agents
    from kozyr.agents.arena import match

    trained = agents.trained(policy)
    game, variant = trained.game, trained.game.options(trained.variant)
    others = against or agents.names(game.name)
    for other in others:
        agents.load(other, game=game.name, **variant)  # bad names are told before anything is played
    results: list[Any] = []
    for other in others:
        result = match(game.name, [trained, other], deals, seed, workers, sys.stderr.isatty(), **variant)
        results.append(result.to_json())
        if not as_json:
            show_match(result)
    if as_json:
        show_json({"policy": policy, "matches": results})


def compare(
    game: Game,
    first: Annotated[str, typer.Argument(help="An agent by name.")],
    other: Annotated[str, typer.Argument(help="The agent in all other seats.")],
    elo0: Annotated[float, typer.Option(help="First hypothesis: better by at most this much Elo.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Second hypothesis: better by at least this much Elo.")] = 10.0,
    alpha: Annotated[float, typer.Option(help="Chance of a wrong `better`.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance of a wrong `not better`.")] = 0.05,
    deals: Annotated[int, typer.Option(help="Most deals to play.")] = 20_000,
    seed: Seed = 0,
    workers: Workers = 1,
    opening: Opening = None,
    openings: Openings = None,
    move_limit: MoveLimit = None,
    confine: Confine = None,
    settings: Settings = None,
    store: Annotated[Path | None, typer.Option(help="File for results; what it holds is not played again.")] = None,
    as_json: Json = False,
) -> None:
    """Find out which of two agents is better (SPRT).

    It stops as soon as the deals played so far decide the question.
    """
    from rich.console import Console

    from kozyr.agents.arena.tournaments import compare as test
    from kozyr.agents.arena.tournaments.league import League

    pair = League(game, [first, other], deals, seed, store, opening, options(settings), move_limit, openings=openings)
    result: Any = None
    with pair.store.exclusive(), Console(stderr=True).status("playing") as status:
        for result in test.compare(pair, elo0, elo1, alpha, beta, workers):
            status.update(f"{result.deals:,} deals, {result.estimate.percent()}, LLR {result.llr:+.2f}")
    if as_json:
        show_json({"game": game, "first": first, "other": other, **result.to_json()})
    else:
        show(f"{result.deals:,} deals: {first} scores {result.estimate.percent()}, {test.elo_text(result)}")
        show(f"log likelihood ratio {result.llr:+.2f}, bounds {result.low:.2f} and {result.high:.2f}")
        show(test.words(result, [first, other], elo0, elo1))


def exploit(
    policy: Annotated[
        str,
        typer.Argument(
            help="A policy.onnx, an .npz, hf:OWNER/NAME, or as durak:policy. With --by search also durak:low; with "
            "--by exact the game."
        ),
    ],
    players: Annotated[
        list[str] | None, typer.Argument(help=f"With --by exact: {_PLAYERS}", show_default=False)
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            help="Who tries: a learner, a search that knows the policy, lbr in draw poker, or exact: a best response."
        ),
    ] = LEARNER,
    decisions: Annotated[
        int | None, typer.Option(help=f"Of the learner against the policy. Default: {_DECISIONS:,}.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help=f"Preset of the learner. Default: {_PRESET}.")] = None,
    teacher: Annotated[
        str | None, typer.Option(help="Agent that the learner imitates first, for instance the policy itself.")
    ] = None,
    copy: Annotated[
        bool | None,
        typer.Option("--copy", help="Begin as the policy itself; --preset must name its own."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the learner's run, runs/exploit-NAME by default; with exact a file for the table."
        ),
    ] = None,
    seed: RunSeed = None,
    minutes: Minutes = None,
    threads: Threads = None,
    resume: Resume = False,
    simulations: Annotated[int | None, typer.Option(help="With a search: worlds that each decision imagines.")] = None,
    deals: Annotated[int | None, typer.Option(help=f"With a search: deals to play. Default: {_DEALS}.")] = None,
    stochastic: Annotated[
        bool | None,
        typer.Option(
            "--stochastic",
            help="Not with a learner: a policy.onnx draws its actions instead of taking the likeliest one.",
        ),
    ] = None,
    first: Annotated[int | None, typer.Option(help="With exact: seat that begins; -1, the default, draws it.")] = None,
    asks: Annotated[int | None, typer.Option(help=f"With exact: {_ASKS} Default: 100.")] = None,
    average: Annotated[bool | None, typer.Option("--average", help=f"With exact: {_AVERAGE}")] = None,
    settings_file: SettingsFile = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Measure what can be won from a policy, which stays as it is.

    What a learner, or a search that knows the policy, wins is a lower bound of how exploitable the policy is.
    In small variants --by exact searches the whole game tree (OpenSpiel).
    """
    choices: dict[str, Any] = {"decisions": decisions, "preset": preset, "teacher": teacher, "copy": copy, "out": out}
    choices |= {"minutes": minutes, "threads": threads, "resume": resume or None, "settings": settings_file}
    choices |= {"simulations": simulations, "deals": deals, "stochastic": stochastic}
    choices |= {"first": first, "asks": asks, "average": average}
    values = {name: value for name, value in choices.items() if value is not None}
    _require_own(by, list(values), players or [])
    if by == LEARNER:
        _learn(policy, seed, values, options(settings), as_json)
    elif by == EXACT:
        exploitability(policy, players, seed=seed or 0, settings=settings, as_json=as_json, **values)
    else:
        _respond(policy, by, seed or 0, options(settings), as_json, **values)


def _require_own(by: str, names: list[str], players: list[str]) -> None:
    """Raise ValueError for options, and players, that another choice of --by takes."""
    own = _OPTIONS.get(by, _OPTIONS[SEARCH])
    if wrong := [f"--{name}" for name in names if name not in own]:
        them = "it" if len(wrong) == 1 else "them"
        raise ValueError(f"{' and '.join(wrong)} cannot go with --by {by}: leave {them} out, or choose another --by")
    if players and by != EXACT:
        raise ValueError(f"one policy is measured at a time: leave {' and '.join(players)} out, or add --by exact")


def _learn(policy: str, seed: int | None, values: dict[str, Any], changes: dict[str, Any], as_json: bool) -> None:
    """Let a learner try, in the policy's variant with some options changed."""
    from kozyr import agents
    from kozyr.training.run.plan import RunPlan

    train = learn.installed_trainer()
    frozen, teacher, copy = agents.trained(policy), values.get("teacher"), values.get("copy")
    if teacher is not None and copy:
        raise ValueError("a copy needs no lessons from a teacher: leave --teacher or --copy out")
    variant = frozen.game.altered(frozen.variant, **changes)
    if not copy:
        frozen.require(frozen.game, variant)
    fields = frozen.game.options(variant)
    folder = values.get("out", Path("runs") / f"exploit-{frozen.name.replace('/', '-')}")
    plan = RunPlan(
        frozen.game.name,
        values.get("preset", _PRESET),
        folder,
        seed,
        values.get("decisions", _DECISIONS),
        settings=values.get("settings"),
        options=fields,
        imitation=None if teacher is None else {"teacher": teacher},
        start=frozen.path if copy and not values.get("resume") else None,
        against=_opponent_name(policy, frozen, fields, folder),
        minutes=values.get("minutes"),
        threads=values.get("threads"),
        resume=values.get("resume", False),
    )
    _show_learner(policy, train(plan), as_json)


def _show_learner(policy: str, record: dict[str, Any], as_json: bool) -> None:
    """Print a learner's result."""
    from kozyr.agents.arena.results.escape import short

    if as_json:
        show_json(record)
        return
    (result,) = record["results"]
    score = f"{100 * result['score']:.1f} % ({100 * result['low']:.1f} … {100 * result['high']:.1f} %)"
    show(f"A learner of {record['timesteps']:,} decisions scores {score} against {short([policy])[0]}: at least")
    show("so much can be won from it; with 50 % or less this learner found nothing, and may be too weak to tell.")


def _opponent_name(policy: str, frozen: Any, options: dict[str, Any], folder: Path) -> str:
    """Return the name by which the learner's run finds the policy, with these options of the game."""
    from kozyr.agents.agent_names import PolicyFile, parse
    from kozyr.training.export.load_weights import place

    path = place(frozen, frozen.game.make_variant(**options), folder)
    return policy if path == frozen.path and not isinstance(parse(policy), PolicyFile) else str(path.resolve())


def _respond(
    policy: str,
    by: str,
    seed: int,
    changes: dict[str, Any],
    as_json: bool,
    simulations: int | None = None,
    deals: int = _DEALS,
    stochastic: bool = False,
) -> None:
    """Let a responder that knows the policy try."""
    from kozyr import agents
    from kozyr.agents import search
    from kozyr.agents.arena.tournaments.best_response import respond
    from kozyr.envs.environments import argument_checks

    player, variant = _responded(policy, changes, stochastic)
    game, level = player.game, len(agents.names(player.game.name)) - 1
    makers = search.responders(game)
    argument_checks.choice("by", by, (LEARNER, *makers, EXACT))
    budget = {} if simulations is None else {"simulations": simulations}
    responder = makers[by](game, variant, player, level, **budget)
    bar = sys.stderr.isatty() and not as_json
    result = respond(game, variant, player, responder, deals, argument_checks.seed(seed), by, bar)
    if as_json:
        show_json(result.to_json())
    else:
        show(*_response_lines(result, responder.simulations))


def _responded(policy: str, settings: dict[str, Any], stochastic: bool) -> tuple[Any, Any]:
    """Return the player that is answered, which may draw its actions, and the variant that is played.

    Raises:
        ValueError: for options with which a policy cannot play, for players without a game, and for a player that is
            to draw and cannot.
    """
    from kozyr import agents
    from kozyr.agents.agent_names import AgentName, parse
    from kozyr.agents.nets.policy import OnnxPolicy
    from kozyr.agents.nets.trained import Trained

    player: Any
    if isinstance(name := parse(policy), AgentName):
        if not name.game:
            raise ValueError(f"{quote(policy)} does not say its game: write game:player, as durak:{policy}")
        player = agents.load(policy, **settings)
    else:
        player = agents.trained(policy)
    variant = player.game.altered(player.variant, **settings)
    if isinstance(player, Trained):
        player.require(player.game, variant)
    if stochastic and not isinstance(player, OnnxPolicy):
        raise ValueError(f"--stochastic goes with a policy in an ONNX file, not with {policy}: leave it out")
    if isinstance(player, OnnxPolicy):
        player.greedy = not stochastic
    return player, variant


def _response_lines(result: Any, simulations: int) -> list[str]:
    """Return a responder's result in lines."""
    from kozyr.agents.statistics.estimate import Estimate

    score = Estimate(result.score, result.low, result.high).percent()
    turns = ", ".join(one.percent() for one in result.by_turn)
    draws = ", which draws its actions" if result.stochastic else ""
    games = f"against {result.against}{draws}, {result.games:,} games"
    lines = [f"`{result.by}` with {simulations} worlds scores {score} {games}."]
    if result.won is not None:
        per = Estimate(result.won.per_100, *result.won.interval_per_100).text(signed=True)
        lines.append(f"It wins {per} {result.won.unit} in 100 {result.won.game}s.")
    lines.append(f"As the first to move, the second …: {turns}.")
    lines.append("At least so much can be won; with 50 % or less it found nothing, and may be too weak to tell.")
    return lines


def exploitability(
    game: Game,
    agents: Annotated[
        list[str] | None,
        typer.Argument(help=_PLAYERS),
    ] = None,
    first: Annotated[int, typer.Option(help="Seat that begins; -1 draws it.")] = -1,
    asks: Annotated[int, typer.Option(help=_ASKS)] = 100,
    stochastic: Annotated[
        bool,
        typer.Option("--stochastic", help="Let policies draw their actions, not take the likeliest."),
    ] = False,
    average: Annotated[
        bool,
        typer.Option("--average", help=_AVERAGE),
    ] = False,
    seed: Seed = 0,
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="Write the table to this file, as Markdown.")] = None,
    as_json: Json = False,
) -> None:
    """Measure exactly what a best response wins (OpenSpiel).

    This works for small variants, whose whole game tree is searched.
    """
    from rich.table import Table

    from kozyr.training.exploitability import measure

    def tell(what: str) -> None:
        typer.echo(what, err=True)

    how = {"stochastic": stochastic, "average": average}
    report = measure(game, agents or (), first, asks, seed, tell=tell, **how, **options(settings))
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        file_output.write(out, report.markdown())
    if as_json:
        show_json(report.to_json())
        return
    heads, *rows = report.cells()
    table = Table(title=report.title())
    for i, head in enumerate(heads):
        table.add_column(head, justify="left" if i in (0, len(heads) - 1) else "right")
    for row in rows:
        table.add_row(*row)
    show(table)
