"""Settings that name a language model are refused, unless the user names it as well."""

from pathlib import Path

import pytest

from kozyr import envs
from tests.test_cli import run

from .stub import first, serving


def test_settings_ask_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from kozyr.training.settings import run_settings

    file = tmp_path / "settings.toml"
    usual = Path(envs.__file__).parents[1] / "training" / "configs" / "war.toml"
    file.write_text(usual.read_text(encoding="utf-8") + '[mine]\n[mine.opponents]\n"llm:m" = 1.0\n', encoding="utf-8")
    with pytest.raises(ValueError, match="what a file names is not run"):
        run_settings.load(envs.game("war"), "mine", file)
    assert run_settings.load(envs.game("war"), "mine", file, ["llm:m"])["opponents"]["llm:m"] == 1.0
    with serving(first) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        assert "is not run" in run("train", "war", "--settings", str(file), "--preset", "mine", code=2).stderr
        assert not stub.requests
