"""Games, and the environments that can be made of each.

Importing this module registers the games with PettingZoo and Gymnasium and loads neither games nor the compiler.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from kozyr.envs.registry import game, games, register

if TYPE_CHECKING:
    from kozyr.envs.environments.aec import Env
    from kozyr.envs.environments.device import DeviceTables, DeviceVectorEnv
    from kozyr.envs.environments.parallel import Parallel
    from kozyr.envs.environments.seat import SeatEnv
    from kozyr.envs.environments.tables import Tables
    from kozyr.envs.environments.vector import LearnerVectorEnv, SeatVectorEnv
    from kozyr.envs.viewer.html import Show

__all__ = [
    "game",
    "games",
    "make",
    "make_parallel",
    "make_seat",
    "make_seats",
    "make_tables",
    "make_vec",
    "mask_of",
    "register",
    "show",
]


def make(
    name: str,
    render_mode: str | None = None,
    render_seat: int | None = None,
    observation: str = "dict",
    **variant: Any,
) -> "Env":
    """Return a game as a PettingZoo AEC environment, as `durak_v0.env(**variant)` does.

    Args:
        name: a name from `games()`.
        render_mode: None, "human" (a window), "ansi", "svg" or "rgb_array".
        render_seat: the seat whose knowledge `render` shows, or None to show all cards.
        observation: "dict", "float32", "flat" or "view"; see `kozyr.envs.environments.observations.Form`.
        **variant: fields of the game's variant.

    Example:
        >>> env = make("durak", players=3)
        >>> env.reset(seed=42)
        >>> env.agents
        ['player_0', 'player_1', 'player_2']
    """
    from kozyr.envs.environments.aec import Env

    return Env(game(name), render_mode, render_seat, observation, **variant)


def make_parallel(
    name: str,
    render_mode: str | None = None,
    render_seat: int | None = None,
    observation: str = "dict",
    **variant: Any,
) -> "Parallel":
    """Return a game as a PettingZoo parallel environment, as `durak_v0.parallel_env(**variant)` does.

    All seats act at each step; those that are not to move have one legal action, the last, which is to wait. Arguments
    as for `make`.

    Example:
        >>> env = make_parallel("durak", players=3)
        >>> observations, infos = env.reset(seed=42)
        >>> [int(seen["action_mask"][env.wait]) for seen in observations.values()]
        [0, 1, 1]
    """
    from kozyr.envs.environments.parallel import Parallel

    return Parallel(game(name), render_mode, render_seat, observation, **variant)


@overload
def make_tables(
    name: str, num_tables: int, seed: int = 0, threads: int = 1, device: Literal["cpu"] = "cpu", **variant: Any
) -> "Tables": ...
@overload
def make_tables(  # pyright: ignore[reportOverlappingOverload] - the next is for options in a dictionary of numbers
    name: str, num_tables: int, seed: int = 0, threads: int = 1, *, device: Literal["cuda"], **variant: Any
) -> "DeviceTables": ...
@overload
def make_tables(name: str, num_tables: int, seed: int = 0, threads: int = 1, **variant: Any) -> "Tables": ...
def make_tables(
    name: str, num_tables: int, seed: int = 0, threads: int = 1, device: str = "cpu", **variant: Any
) -> "Tables | DeviceTables":
    """Return N tables whose seats are all played from outside; see `kozyr.envs.environments.tables.Tables`.

    Args:
        name: a name from `games()`.
        num_tables: N.
        seed: table i depends on the seed and on i only.
        threads: threads that share the tables on the CPU.
        device: "cuda" puts the tables on a GPU; see `kozyr.envs.environments.device.DeviceTables`.
        **variant: fields of the game's variant.

    Example:
        >>> tables = make_tables("mnk", 4, m=3, n=3, k=3)
        >>> ended = tables.step(tables.masks.argmax(1))
        >>> tables.masks.sum(1).tolist()
        [8, 8, 8, 8]
    """
    if _on_gpu(device):
        from kozyr.envs.environments.device import DeviceTables

        return DeviceTables(game(name), num_tables, seed, **variant)
    from kozyr.envs.environments.tables import Tables

    return Tables(game(name), num_tables, seed, threads, **variant)


@overload
def make_vec(
    name: str,
    num_envs: int,
    opponents: Any = "random",
    seat: int | None = None,
    seed: int = 0,
    threads: int = 1,
    copy: bool = True,
    move_limit: float | None = None,
    device: Literal["cpu"] = "cpu",
    observation: str = "dict",
    **variant: Any,
) -> "LearnerVectorEnv": ...
@overload
def make_vec(
    name: str, num_envs: int, opponents: Any = "random", *, device: Literal["cuda"], **chosen: Any
) -> "DeviceVectorEnv": ...
def make_vec(
    name: str,
    num_envs: int,
    opponents: Any = "random",
    seat: int | None = None,
    seed: int = 0,
    threads: int = 1,
    copy: bool = True,
    move_limit: float | None = None,
    device: str = "cpu",
    observation: str = "dict",
    **variant: Any,
) -> "LearnerVectorEnv | DeviceVectorEnv":
    """Return a `gymnasium.vector.VectorEnv` with one learner a table and the other seats played inside.

    Args:
        name: a name from `games()`.
        num_envs: number of tables.
        opponents: an agent or its name for all other seats, a {agent: weight} mixture drawn for each episode and
            seat, or a list of either, clockwise from the learner.
        seat: the learner's seat, or None to draw it for each episode.
        seed: until `reset(seed=…)` gives another.
        threads: threads that share the tables.
        copy: return copies of the observations; False returns read-only arrays that the next step overwrites.
        move_limit: seconds that an opponent outside the compiled loop has for each decision. It then plays in a
            process of its own; if it takes longer it loses the episode, and a warning says so.
        device: "cuda" puts the tables on a GPU, where scripted opponents play and all is told in tensors; see
            `kozyr.envs.environments.device.DeviceVectorEnv`.
        observation: "dict" gives {"observation", "action_mask"}, "float32" the same with views as float32 from 0 to
            1, "flat" one float32 vector from 0 to 1 with the mask at its end, "view" the view alone, with the mask in
            infos["action_mask"].
        **variant: fields of the game's variant.

    Example:
        >>> vec = make_vec("durak", num_envs=8, opponents={"low": 0.8, "random": 0.2}, deck=36)
        >>> observations, infos = vec.reset(seed=1)
        >>> observations["action_mask"].shape
        (8, 37)
    """
    it = game(name)
    if _on_gpu(device):
        from kozyr.envs.environments.device import DeviceVectorEnv

        playing = players(it, opponents, variant, move_limit)
        return DeviceVectorEnv(it, num_envs, playing, seat, seed, threads, copy, observation, **variant)
    from kozyr.envs.environments.vector import LearnerVectorEnv

    return LearnerVectorEnv(
        it, num_envs, players(it, opponents, variant, move_limit), seat, seed, threads, copy, observation, **variant
    )


def make_seats(
    name: str,
    num_envs: int,
    opponents: Any = "random",
    seat: int | None = None,
    seed: int = 0,
    threads: int = 1,
    copy: bool = True,
    move_limit: float | None = None,
    observation: str = "view",
    **variant: Any,
) -> "SeatVectorEnv":
    """Return the same with the spaces of `make_seat`: views, and the masks in infos["action_mask"].

    It is what `gymnasium.make_vec` returns for "kozyr/Durak-v0" and the others; arguments as for `make_vec`. Other
    forms of observations have the mask, too, which is in the infos all the same.
    """
    from kozyr.envs.environments.vector import SeatVectorEnv

    it = game(name)
    return SeatVectorEnv(
        it, num_envs, players(it, opponents, variant, move_limit), seat, seed, threads, copy, observation, **variant
    )


def make_seat(
    name: str,
    opponents: Any = "random",
    seat: int | None = None,
    render_mode: str | None = None,
    move_limit: float | None = None,
    observation: str = "view",
    **variant: Any,
) -> "SeatEnv":
    """Return one seat of a game as a `gymnasium.Env`; arguments as for `make_vec`.

    The infos tell the mask whatever `observation` is: "view" shows the view alone, "dict", "float32" and "flat" have
    the mask in the observation, where libraries look that do not read infos.

    Example:
        >>> seat = make_seat("war", opponents="random", seat=0)
        >>> view, info = seat.reset(seed=1)
        >>> info["seat"]
        0
    """
    from kozyr.envs.environments.seat import SeatEnv

    it = game(name)
    return SeatEnv(it, players(it, opponents, variant, move_limit), seat, render_mode, observation, **variant)


def mask_of(observation: Any, actions: int) -> Any:
    """Return the mask [..., actions] in an observation of the form "flat", "dict" or "float32".

    Args:
        observation: of one seat or of many, arrays or tensors.
        actions: how many there are: the number of the action space.

    Example:
        >>> seat = make_seat("mnk", observation="flat", m=3, n=3, k=3)
        >>> seen, _ = seat.reset(seed=1)
        >>> seen.shape, mask_of(seen, 9).tolist()[:3]
        ((31,), [1.0, 1.0, 1.0])
    """
    return cast(Any, observation["action_mask"] if isinstance(observation, Mapping) else observation[..., -actions:])


def show(games: Any, seat: int | None = None, high: int = 720) -> "Show":
    """Return the viewer of recorded games for a notebook's cell.

    Args:
        games: a record, a `kozyr.envs.table.table.Table`, or the path of a file of records.
        seat: whose knowledge to show; None shows everything, and each seat's to choose from.
        high: how high the cell is, in pixels.

    Example:
        >>> from kozyr.envs.table.table import Table
        >>> table = Table(game("mnk"), game("mnk").make_variant(m=3, n=3, k=3), seed=1)
        >>> show(table)._repr_html_()[:7]
        '<iframe'
    """
    from kozyr.envs.viewer.html import show

    return show(games, seat, high)


def _on_gpu(device: str) -> bool:
    """Return True if tables are to be on a GPU.

    Raises:
        ValueError: for an unknown place, or saying what is missing for the GPU.
    """
    from kozyr.envs.environments import argument_checks

    return argument_checks.device(device) == "cuda"


def players(it: Any, opponents: Any, variant: Mapping[str, Any], limit: float | None = None) -> Any:
    """Return opponents with names turned into agents; agents are looked up in `kozyr.agents` when it is needed.

    Args:
        it: the game; variant: its options.
        opponents: as `make_vec` takes them.
        limit: seconds for each decision of those outside the compiled loop, or None.
    """
    if isinstance(opponents, Mapping):
        weights = cast(Mapping[Any, float], opponents)
        return {players(it, one, variant, limit): weight for one, weight in weights.items()}
    if isinstance(opponents, (list, tuple)):
        return [players(it, one, variant, limit) for one in cast(list[Any], opponents)]
    if limit is not None:
        return import_module("kozyr.agents.arena.sandbox.sandboxed_agent").limited(opponents, it, dict(variant), limit)
    if isinstance(opponents, str):
        return import_module("kozyr.agents").load(opponents, game=it.name, **variant)
    return opponents
