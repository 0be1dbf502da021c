"""Games as models of mctx, DeepMind's tree search in JAX: a root and a `recurrent_fn` that plays by the compiled rules.

    from kozyr.envs.bridges.mctx_model import MctxModel

    model = MctxModel("mnk", playouts=8, m=3, n=3, k=3)
    root, invalid = model.root(views)
    output = mctx.gumbel_muzero_policy(None, key, root, model.recurrent_fn, 64, invalid)

The rules run on the processor, by `jax.pure_callback`, for all rows of the batch at once. Needs the extra `[mctx]`.
"""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false, reportMissingParameterType=false

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.envs.core import install_hint
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.forward_model import ForwardModel, Positions

try:
    import jax
    import jax.numpy as jnp
    import mctx
except ModuleNotFoundError as missing:
    raise ImportError(f"this needs mctx: {install_hint.command('mctx')}") from missing

Network = Callable[[Any, Any], tuple[Any, Any]]  # (parameters, views [N, view] from 0 to 1) → logits and values


class MctxModel:
    """A game as mctx searches it, from the view of a seat that is to move.

    What the seat does not know is drawn: each of `worlds` rows searches another deal that fits the view. Take the mean
    of their action weights. In all rows the searcher is seat 0.

    mctx knows two sides. At a table of three or more all others count as the other side, which plays against the
    searcher (paranoid search). There a network's value of the seat to move would not do: leave it out.

    Attributes:
        forward: the rules.

    Args:
        name: a name from `kozyr.envs.games()`.
        worlds: how many rows a view becomes; 1 is right where nothing is hidden.
        playouts: random games whose mean result is the value of a new position, where there is no network.
        network: a function of JAX (parameters, views [N, view] as float32 from 0 to 1) that returns logits
            [N, actions] and, for the seats to move, values [N]; the parameters are the `params` of mctx.
        **variant: fields of the game's variant.

    Raises:
        ValueError: for an unknown game, an impossible variant, or a network for three or more seats.
    """

    def __init__(
        self, name: str, worlds: int = 1, playouts: int = 1, network: Network | None = None, **variant: Any
    ) -> None:
        self.forward = ForwardModel(envs.game(name), **variant)
        self.worlds, self.playouts = (
            argument_checks.count("worlds", worlds),
            argument_checks.count("playouts", playouts),
        )
        if network and self.forward.seats > 2:
            raise ValueError(f"{name}: a network can value positions of two seats only, not of {self.forward.seats}")
        self._network = network
        high = self.forward.game.high(self.forward.variant)
        self._high = np.maximum(high, 1).astype(np.float32)

    def root(self, views: NDArray[Any], params: Any = None, seed: int = 0) -> tuple[mctx.RootFnOutput, Any]:
        """Return the root of a search and the invalid actions bool [N × worlds, actions].

        Args:
            views: [N, view] of seats to move, or one of them [view]; rows of the same view follow each other.
            params: of the network; seed: of the worlds and random games.
        """
        seeds = np.random.SeedSequence(seed).generate_state(2 * len(np.atleast_2d(views)), np.uint64) >> np.uint64(1)
        deals = [
            self.forward.imagine(view, self.worlds, int(number))
            for view, number in zip(np.atleast_2d(views), seeds, strict=False)
        ]
        every = Positions(*(np.concatenate(part) for part in zip(*deals, strict=True)))
        masks = jnp.asarray(every.masks == 1)
        logits, values = self._judge(params, masks, *self._clues(every, int(seeds[-1])))
        return mctx.RootFnOutput(prior_logits=logits, value=values, embedding=jnp.asarray(every.states)), ~masks

    def recurrent_fn(self, params: Any, rng_key: Any, action: Any, embedding: Any) -> tuple[Any, Any]:
        """Return the next positions in mctx's form; the embedding has the states uint8 [N, bytes]."""
        rows, rules = len(action), self.forward
        kinds = (
            jax.ShapeDtypeStruct((rows, rules.bytes), jnp.uint8),
            jax.ShapeDtypeStruct((rows, rules.actions), jnp.bool_),
            jax.ShapeDtypeStruct((rows,), jnp.float32),
            jax.ShapeDtypeStruct((rows,), jnp.float32),
            jax.ShapeDtypeStruct((rows, len(self._high)), jnp.float32),
            jax.ShapeDtypeStruct((rows,), jnp.float32),
        )
        number = jax.random.bits(rng_key)
        states, masks, rewards, discounts, *clues = jax.pure_callback(self._step, kinds, embedding, action, number)
        logits, values = self._judge(params, masks, *clues)
        values = jnp.where(discounts == 0, 0.0, values)
        out = mctx.RecurrentFnOutput(reward=rewards, discount=discounts, prior_logits=logits, value=values)
        return out, states

    def _step(self, states: Any, actions: Any, number: Any) -> tuple[NDArray[Any], ...]:
        """Play an action at every position: states, masks, rewards and discounts for the mover, and `_clues`."""
        before: NDArray[np.uint8] = np.asarray(states)
        after = self.forward.step(before, np.asarray(actions))
        movers = self.forward.turns(before)
        side = _side(movers)
        rewards = np.where(movers < 0, 0, side * after.payoffs[:, 0])
        discounts = np.where(after.turns < 0, 0, side * _side(after.turns))
        numbers = rewards.astype(np.float32), discounts.astype(np.float32)
        return after.states, after.masks == 1, *numbers, *self._clues(after, int(number))

    def _clues(self, at: Positions, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the scaled views of the seats to move and, where there is no network, values of random games."""
        if self._network:
            views = np.divide(self.forward.views(at.states), self._high, dtype=np.float32)
            return views, np.zeros(len(views), np.float32)
        values = self.forward.random_values(at.states, self.playouts, seed)[:, 0]
        return np.zeros((len(values), len(self._high)), np.float32), _side(at.turns) * values

    def _judge(self, params: Any, masks: Any, views: Any, values: Any) -> tuple[Any, Any]:
        """Return logits, lowest where an action is illegal, and values of the seats to move."""
        logits = jnp.zeros(masks.shape, jnp.float32)
        if self._network:
            logits, values = self._network(params, views)
        return jnp.where(masks, logits, jnp.finfo(jnp.float32).min), jnp.asarray(values)


def _side(turns: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return 1 for the searcher, who is seat 0, and −1 for the others."""
    return np.where(turns == 0, 1, -1).astype(np.float32)
