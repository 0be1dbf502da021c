"""Kernels for the GPU over the rows of many tables: what `tables` and `episodes` do in loops. No rules are known here.

A kernel cannot raise. So `find_illegal` notes the first table with an illegal action in `bad`, which otherwise holds a
number above all tables, and as long as it stands there the kernels that move do nothing.

Where scripted players answer, each level has a kernel of its own: the strongest player of a game may need a hundred
times the stack and all registers, which a thread that plays at random must not wait for.
"""

from functools import cache
from typing import Any

from kozyr.envs.compile.cuda import cuda
from kozyr.envs.compile.cuda_kernel import Kernel, kernel
from kozyr.envs.compile.shared_memory import bring, send
from kozyr.envs.core.dispatch import observe
from kozyr.envs.loops.episodes import Episodes, OpponentMix, learn_row, open_row, with_only_level, with_rows
from kozyr.envs.loops.single_table import allowed, choose, deal_row, show, step_row

_cuda: Any = cuda


def _of_tables(v: Any, states: Any, views: Any, masks: Any, *rest: Any) -> tuple[Any, ...]:
    """Return the arrays that a kernel over tables keeps on the chip."""
    return states, views, masks


def _of_episodes(v: Any, c: Episodes, *rest: Any) -> tuple[Any, ...]:
    """Return the arrays that a kernel over episodes keeps on the chip."""
    return c.states, c.views, c.masks


@kernel(staged=_of_tables)
def deal(v: Any, states: Any, views: Any, masks: Any, rngs: Any, turns: Any) -> None:
    """Start every table with a seed drawn from its own generator."""
    i = _cuda.grid(1)
    here, view, marks = bring(states, views, masks)
    if i < len(states):
        deal_row(v, here[i], rngs[i])
        show(v, here[i], view[i], marks[i])
        turns[i] = here[i].turn
    send(states, views, masks, here, view, marks)


@kernel()
def find_illegal(masks: Any, actions: Any, bad: Any) -> None:
    """Lower `bad` to the first table whose action is not legal."""
    i = _cuda.grid(1)
    if i < len(actions) and not allowed(masks[i], actions[i]):
        _cuda.atomic.min(bad, 0, i)


@kernel(staged=_of_tables)
def step(
    v: Any,
    states: Any,
    views: Any,
    masks: Any,
    actions: Any,
    rngs: Any,
    turns: Any,
    payoffs: Any,
    ends: Any,
    bad: Any,
) -> None:
    """Play one action at every table and deal finished tables anew."""
    if bad[0] < len(states):
        return
    i = _cuda.grid(1)
    here, view, marks = bring(states, views, masks)
    if i < len(states):
        ends[i] = step_row(v, here[i], actions[i], rngs[i], view[i], marks[i], payoffs[i])
        turns[i] = here[i].turn
    send(states, views, masks, here, view, marks)


@kernel()
def look(v: Any, states: Any, seats: Any, views: Any) -> None:
    """Write what a seat of each table knows, to move or not."""
    i = _cuda.grid(1)
    if i < len(states):
        observe(v, states[i], seats[i], views[i])


@cache
def decide_rows(level: int) -> Kernel:
    """Return the kernel that writes the action of the scripted player `level` for every row.

    Its arguments are v, views, masks, rngs, a generator for each row, and actions.
    """

    @kernel()
    def decide_rows(v: Any, views: Any, masks: Any, rngs: Any, actions: Any) -> None:
        i = _cuda.grid(1)
        if i < len(actions):
            actions[i] = choose(v, level, views[i], masks[i], rngs[i])

    return decide_rows


@cache
def open_rows(only: int) -> Kernel:
    """Return the kernel that begins a new episode at every table, whose opponents are of the level `only`, or ANY.

    Its arguments are v, c, mix, seed and starter; −1 draws a seed or a starter.
    """

    @kernel(staged=_of_episodes)
    def open_rows(v: Any, c: Episodes, mix: OpponentMix, seed: int, starter: int) -> None:
        i = _cuda.grid(1)
        here, view, marks = bring(c.states, c.views, c.masks)
        if i < len(c.states):
            open_row(v, with_rows(c, here, view, marks), with_only_level(mix, only), i, seed, starter)
        send(c.states, c.views, c.masks, here, view, marks)

    return open_rows


@cache
def learn(only: int) -> Kernel:
    """Return the kernel that plays the learner's action at every table and goes on to its next decision.

    Its arguments are v, c, mix, actions and bad; the opponents are of the level `only`, or ANY.
    """

    @kernel(staged=_of_episodes)
    def learn(v: Any, c: Episodes, mix: OpponentMix, actions: Any, bad: Any) -> None:
        if bad[0] < len(c.states):
            return
        i = _cuda.grid(1)
        here, view, marks = bring(c.states, c.views, c.masks)
        if i < len(c.states):
            learn_row(v, with_rows(c, here, view, marks), with_only_level(mix, only), i, actions[i])
        send(c.states, c.views, c.masks, here, view, marks)

    return learn
