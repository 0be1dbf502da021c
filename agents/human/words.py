"""What is said at a table by all that show one: how it begins and what came of it."""

from collections.abc import Sequence

from kozyr.envs.api.table import TableInfo


def opening(info: TableInfo) -> str:
    """Return what is played and who sits where, in one sentence or two."""
    you = "" if info.seat is None else f" You are player_{info.seat};"
    return f"{info.game.title} ({info.game.id}).{you} {_others(info)}."


def _others(info: TableInfo) -> str:
    """Return who the others are, in short where they have one name."""
    seats = [seat for seat in range(info.seats) if seat != info.seat]
    if info.names is None:
        return ", ".join(f"player_{seat}" for seat in seats)
    names = {info.names[seat] for seat in seats}
    if len(names) == 1 and len(seats) > 1:
        return f"the others are {names.pop()}"
    return ", ".join(f"player_{seat} is {info.names[seat]}" for seat in seats)


def outcome(payoffs: Sequence[float], seat: int) -> str:
    """Return what the game brought a seat, in a sentence."""
    mine = payoffs[seat]
    if all(payoff == payoffs[0] for payoff in payoffs):
        verdict = "It is a draw"
    elif mine == max(payoffs):
        verdict = "You win"
    elif mine == min(payoffs):
        verdict = "You lose"
    else:
        verdict = f"You are number {1 + sum(payoff > mine for payoff in payoffs)} of {len(payoffs)}"
    return f"{verdict}: {mine:+g}."
