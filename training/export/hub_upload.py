"""Upload of a published policy to the Hugging Face Hub, with its card."""

import json
from pathlib import Path
from typing import Any

import kozyr
from kozyr import envs
from kozyr.agents.agent_names import require_repository
from kozyr.agents.nets.policy_files import FILES, library
from kozyr.envs.table import files
from kozyr.training.export import publish

CARD, FACTS = "README.md", "policy.json"
_LONGEST = 300  # characters of what the library says
_LARGEST_CARD = 64 << 20


def require_login(repository: str) -> None:
    """Raise unless the Hub answers and knows the user, before a policy is measured for minutes.

    Raises:
        ImportError: naming the extra to install.
        ValueError: for a name that is none, and saying what the Hub says.
    """
    require_repository(repository)
    hub = library()
    try:
        hub.HfApi().whoami()
    except Exception as error:  # of the Hub, or of a client that is not the same in all releases
        raise ValueError(f"the Hub does not let you in: {_words(error)} Log in with `hf auth login`") from None


def upload(folder: Path, name: str, repository: str, private: bool = False, licence: str = "mit") -> str:
    """Upload a policy that `kozyr.training.export.publish.publish` has written, in one commit, and return its address.

    Args:
        folder: where it lies; name: of the policy.
        repository: OWNER/NAME on the Hub, made if it is not there.
        private: whether a repository that is made is private.
        licence: what the card names, as the Hub writes it.

    Raises:
        ImportError: naming the extra to install.
        ValueError: for a name that is none, and saying what the Hub says.
    """
    require_repository(repository)
    hub, page = library(), folder / f"{name}.md"
    content = {file: folder / f"{name}{Path(file).suffix}" for file in FILES}
    existing = {file: path for file, path in content.items() if path.is_file()}
    if not existing:
        raise ValueError(f"{folder} holds no policy {name}")
    facts = publish.facts(page)
    text = files.text(page, _LARGEST_CARD)
    parts = {CARD: card(text, name, facts, repository, licence).encode(), FACTS: json.dumps(facts, indent=1).encode()}
    add = [hub.CommitOperationAdd(file, part) for file, part in {**existing, **parts}.items()]
    api = hub.HfApi(library_name="kozyr", library_version=kozyr.__version__)
    try:
        api.create_repo(repository, private=private, exist_ok=True)
        done = api.create_commit(repository, add, commit_message=f"{name}, published by kozyr {kozyr.__version__}")
    except Exception as error:  # of the Hub, or of a client that is not the same in all releases
        raise ValueError(f"{repository} cannot be uploaded: {_words(error)}") from None
    return str(done.repo_url)


def card(text: str, name: str, facts: dict[str, Any], repository: str, licence: str) -> str:
    """Return a policy's card as the Hub shows it: the results for its tables, how to load it, and the card itself."""
    hub, options = library(), ", ".join(f"{key}={value}" for key, value in facts["options"].items())
    game = facts["game"].partition("_v")[0]
    results = [
        hub.EvalResult(
            task_type="reinforcement-learning",
            dataset_type=facts["game"],
            dataset_name=f"{facts['game']} ({options})",
            metric_type="score",
            metric_name=f"Score against {row['against']}, 95 % interval {row['low']:.4f} to {row['high']:.4f}",
            metric_value=round(row["score"], 4),
        )
        for row in facts["results"]
    ]
    head = hub.ModelCardData(
        library_name="kozyr",
        license=licence,
        pipeline_tag="reinforcement-learning",
        tags=["kozyr", "reinforcement-learning", "card-games", game, "onnx"],
        model_name=name,
        eval_results=results or None,
    )
    title, _, rest = text.partition("\n")
    return f"---\n{head.to_yaml()}\n---\n\n{title}\n{_loading(facts, repository)}{rest}"


def _loading(facts: dict[str, Any], repository: str) -> str:
    """Return instructions for loading the policy."""
    game = envs.game(facts["game"])
    usual = game.options(game.make_variant())
    changed = [f" --set {key}={value}" for key, value in facts["options"].items() if usual.get(key) != value]
    return "\n".join([
        "",
        f"Trained and measured with kozyr. Install `kozyr[hub]`, then play it as `hf:{repository}`:",
        "",
        "```sh",
        f"kozyr match {game.name} hf:{repository} random{''.join(changed)}",
        "```",
        "",
        "```python",
        "from kozyr import agents",
        "",
        f'policy = agents.load("hf:{repository}")',
        "```",
        "",
    ])  # fmt: skip


def _words(error: Exception) -> str:
    """Return the Hub's message in one line, ended as a sentence."""
    text = files.cut(" ".join(str(error).split()) or type(error).__name__, _LONGEST)
    return text if text.endswith((".", "…")) else f"{text}."
