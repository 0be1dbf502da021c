"""The sample course of the documentation: its bots play a cup, and its page links to games."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs import pages


def generated() -> Any:
    """Return the module that writes pages."""
    spec: Any = importlib.util.spec_from_file_location("generated", pages.ROOT / "docs" / "generated.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.docs
def test_the_students_of_the_page_play_a_cup(tmp_path: Path) -> None:
    result = generated().course(tmp_path)
    assert result.ranking == ["chen", "anna", "boris"]
    assert [row.errors for stage in result.stages for row in stage.rows] == [0, 0, 0]
    links = re.findall(r'href="([^"]+)"', (tmp_path / "cup.html").read_text(encoding="utf-8"))
    assert links
    assert all((tmp_path / link).is_file() for link in links)
    assert generated().course(tmp_path) == result
