#!/usr/bin/env bash
# TRL's GRPOTrainer rewards a tool call whose answer it has dropped.
#
# With `environment_factory`, a tool's answer that does not fit into max_completion_length is rolled back: it is in no
# completion. The environment's method has run by then, though, and `get_reward` is asked afterwards. So an episode
# whose last answer the model was never shown gets the full reward of its end. An environment cannot know, for
# `get_reward` has no argument; a reward function can, for it gets `completions` and `environments`.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet trl==1.16.0 transformers==5.24.0 torch==2.13.0

cat > "$folder/program.py" <<'PROGRAM'
import sys
import tempfile
from importlib.metadata import version

from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, PrinterCallback, Qwen3Config, Qwen3ForCausalLM, logging
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_instruct_2507_chat_template

CALL = '<tool_call>\n{"name": "finish", "arguments": {}}\n</tool_call>'


def tokenizer():
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE({letter: i for i, letter in enumerate(letters)}, []))
    core.pre_tokenizer, core.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    words = PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|pad|>")
    words.chat_template = qwen3_instruct_2507_chat_template
    return words


class Task:
    """One call of the tool ends the task."""

    def reset(self, **row):
        self.done = False

    def finish(self) -> str:
        """End the task.

        Returns:
            A confirmation.
        """
        self.done = True
        return "Done. " * 20

    def get_reward(self) -> float:
        return 1.0 if self.done else 0.0


class Scripted(GRPOTrainer):
    """All of it is TRL's own, but for the sampled texts: a call, then a full stop."""

    def _generate_single_turn(self, prompt_ids, *rest, **more):
        said = [self.processing_class.decode(ids) for ids in prompt_ids]
        texts = ["OK." if "Done." in text else CALL for text in said]
        return [self.processing_class(text + "<|im_end|>", add_special_tokens=False)["input_ids"] for text in texts], None


def trained(length):
    """Return the rewards, and how many answers of the tool the completions show."""
    words, shown = tokenizer(), []

    def look(completions, **columns):
        shown.extend(sum(message["role"] == "tool" for message in one) for one in completions)
        return [0.0] * len(completions)

    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = Qwen3Config(vocab_size=len(words), num_key_value_heads=1, head_dim=16, **sizes)
    with tempfile.TemporaryDirectory() as folder:
        trainer = Scripted(
            model=Qwen3ForCausalLM(config),
            processing_class=words,
            train_dataset=Dataset.from_dict({"prompt": [[{"role": "user", "content": "Finish."}]]}),
            environment_factory=Task,
            reward_funcs=look,
            args=GRPOConfig(
                folder,
                max_completion_length=length,
                per_device_train_batch_size=2,
                num_generations=2,
                max_steps=1,
                use_cpu=True,
                report_to=[],
                logging_steps=1,
                save_strategy="no",
                disable_tqdm=True,
            ),
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    return next(line["rewards/Task/mean"] for line in trainer.state.log_history if "rewards/Task/mean" in line), shown


logging.set_verbosity_error()
print(f"trl {version('trl')}: a tool whose answer does not fit into max_completion_length")
print("expected: a completion without the tool's answer is no finished task, or get_reward can tell")
long, short = trained(1000), trained(100)
for name, (reward, shown) in (("1,000", long), ("100", short)):
    print(f"max_completion_length={name}: answers shown {shown}, reward of get_reward {reward}")
sys.exit(0 if long == (1.0, [1, 1]) and short == (1.0, [0, 0]) else 1)
PROGRAM
HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 "$folder/venv/bin/python" -W ignore "$folder/program.py"
