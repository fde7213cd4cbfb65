"""What a run lacks is told in one message, before Prefect starts; tests/flows/test_extras.py does it with libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.pipeline.errors import UsageError


@pytest.mark.parametrize("engine", ["inline", "prefect"])
def test_keys_are_told_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    models = ["gpt-6-luna", "bm25", "claude-haiku"]
    with pytest.raises(UsageError) as caught:
        sw.run("zeroscrolls", models=models, sample=True, tasks="squality", home=home, engine=engine)
    assert str(caught.value) == (
        "2 things are missing: model 'gpt-6-luna': no key; set OPENAI_API_KEY in the environment; "
        "model 'claude-haiku': no key; set ANTHROPIC_API_KEY in the environment"
    )
    assert not (home / "prefect").exists()
    with pytest.raises(UsageError, match=r"^model 'claude-haiku': no key; set ANTHROPIC_API_KEY in the environment$"):
        sw.run("zeroscrolls", models=models[1:], sample=True, tasks="squality", home=home, engine=engine)
