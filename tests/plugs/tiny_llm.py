"""A tiny random language model, and a trainer whose texts are written by a script while all else is TRL's own."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOTrainer
from trl.chat_template_utils import qwen3_instruct_2507_chat_template

from kozyr.agents.text.dialogue import dialogue

CALL = '<tool_call>\n{{"name": "play", "arguments": {{"action": {}}}}}\n</tool_call>'
LONGEST = 32_768
WORDS = 900  # of the tokenizer


def texts() -> Iterator[str]:
    """Give texts of games and of calls to learn words from."""
    yield qwen3_instruct_2507_chat_template
    games: list[tuple[str, dict[str, Any]]] = [("mnk", {"m": 3, "n": 3, "k": 3}), ("durak", {"players": 3, "deck": 20})]
    for name, options in games:
        game, rng = dialogue(name, 1, text="short", **options), np.random.default_rng(1)
        yield game.rules(0)
        while not game.over:
            legal = game.legal()
            yield game.ask(game.news(game.turn))
            yield f"Let me see. {CALL.format(json.dumps(legal[0]))}"
            game.answer(legal[rng.integers(len(legal))])


def tokenizer(actions: Sequence[str] = ()) -> PreTrainedTokenizerFast:
    """Return a tokenizer that knows the words of games, in which a call with one of some actions is one token."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer, core.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core.train_from_iterator(
        texts(), trainers.BpeTrainer(vocab_size=WORDS, initial_alphabet=letters, show_progress=False)
    )
    made = PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|pad|>")
    made.chat_template = qwen3_instruct_2507_chat_template
    made.add_tokens([CALL.format(json.dumps(action)) for action in actions])
    return made


def model(words: PreTrainedTokenizerFast, calls: int = 0) -> Qwen3ForCausalLM:
    """Return a random model; the last `calls` tokens end its turn."""
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = Qwen3Config(
        vocab_size=len(words), num_key_value_heads=2, head_dim=16, max_position_embeddings=LONGEST, **sizes
    )
    net = Qwen3ForCausalLM(config)
    net.generation_config.eos_token_id = [words.eos_token_id, *range(len(words) - calls, len(words))]
    return net


class Scripted(GRPOTrainer):  # pyright: ignore[reportUntypedBaseClass]
    """TRL's trainer, but for the texts that it samples.

    Attributes:
        script: returns a text for the conversation so far.
    """

    script: Any = None

    def _generate_single_turn(
        self, prompt_ids: list[list[int]], *rest: Any, **more: Any
    ) -> tuple[list[list[int]], None]:
        words: Any = self.processing_class
        texts = [self.script(words.decode(ids)) for ids in prompt_ids]
        return [words(text + words.eos_token, add_special_tokens=False)["input_ids"] for text in texts], None


class Player:
    """A script that draws among the legal actions in the last question, and stops at the end of the game."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def __call__(self, conversation: str) -> str:
        last = conversation.rpartition("legal: ")
        if "game is over" in last[2]:
            return "Good game."
        legal = last[2].partition("\n")[0].partition("<")[0]
        words = actions(last[0].rpartition("\nyou ")[2], legal)
        return f"Let me see. {CALL.format(json.dumps(words[self._rng.integers(len(words))]))}"


def actions(view: str, legal: str) -> list[str]:
    """Return the legal actions of a short question on a board or of Durak."""
    if legal == "any .":
        rows = [line.split()[0] for line in view.splitlines()[2:] if line]
        return [f"{chr(97 + j)}{i + 1}" for i, row in enumerate(rows) for j, mark in enumerate(row) if mark == "."]
    if legal == "any card":
        return view.partition(";")[0].replace("*", "").split()
    return re.split(r",? ", legal)
