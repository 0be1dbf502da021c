"""Players as RLlib's RLModules: the network that learns, masked, and any of our agents."""

from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModule
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.rllib.utils.numpy import convert_to_numpy

from kozyr import agents, envs
from kozyr.envs.core.quote import quote
from kozyr.training.learners.network import policy_of

_NEVER = -1e9  # the logit of an illegal action
Batch = dict[str, Any]


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """The network of our own settings as an RLModule; an illegal action has no probability.

    Observations are {"observation": [n, view], "action_mask": [n, actions]}. The weights are those of the policy that
    the other engine trains, so that a checkpoint and an ONNX file are the same for both.

    Its `model_config` is {"game": a name, "options": fields of the variant, "net": the settings' table}.
    """

    def setup(self) -> None:
        """Build the network."""
        config: Any = self.model_config
        game, space = envs.game(config["game"]), self.observation_space
        kind, arguments = policy_of(game, game.make_variant(**config["options"]), config["net"])
        self.net = kind(space["observation"], self.action_space, lambda _: 0.0, **arguments)  # pyright: ignore

    def _forward(self, batch: Batch, **kwargs: Any) -> Batch:
        """Return the masked logits: [n, actions]."""
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch)}

    def _forward_train(self, batch: Batch, **kwargs: Any) -> Batch:
        """Return the masked logits, and the critic's features, so that they are computed once."""
        logits, own = self._logits(batch), self._own
        read = own if self.net.share_features_extractor else None
        return {Columns.ACTION_DIST_INPUTS: logits, **({} if read is None else {Columns.EMBEDDINGS: read})}

    def _logits(self, batch: Batch) -> torch.Tensor:
        net, observations = self.net, batch[Columns.OBS]
        self._own = net.pi_features_extractor(observations["observation"].float())
        logits = net.action_net(net.mlp_extractor.forward_actor(self._own))
        return logits.masked_fill(observations["action_mask"] == 0, _NEVER)

    def compute_values(self, batch: Batch, embeddings: Any = None) -> torch.Tensor:
        """Return the critic's values: [n]."""
        net = self.net
        if embeddings is None:
            embeddings = net.vf_features_extractor(batch[Columns.OBS]["observation"].float())
        return net.value_net(net.mlp_extractor.forward_critic(embeddings)).squeeze(-1)


class BotModule(RLModule):
    """Any of our agents as an RLModule that does not learn: leave it out of `policies_to_train`.

    Its `model_config` is {"game": a name, "options": fields of the variant, "agent": a name that `agents.load` knows},
    and optionally "seed".
    """

    def setup(self) -> None:
        """Load the agent."""
        config: Any = self.model_config
        self.agent = agents.load(config["agent"], game=config["game"], **config["options"])
        self.agent.reset(-1, config.get("seed", 0))

    def _forward(self, batch: Batch, **kwargs: Any) -> Batch:
        """Return the agent's actions: int64 [n]."""
        observations = convert_to_numpy(batch[Columns.OBS])
        views, masks = (
            np.ascontiguousarray(observations["observation"]),
            np.ascontiguousarray(observations["action_mask"]),
        )
        return {Columns.ACTIONS: self.agent.act_batch(views, masks)}

    def _forward_train(self, batch: Batch, **kwargs: Any) -> Batch:
        """Refuse."""
        raise RuntimeError(f"the player {quote(self.agent)} does not learn: leave it out of policies_to_train")

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: there is nothing to compile."""
