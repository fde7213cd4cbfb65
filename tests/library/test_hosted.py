"""sw.run with hosted models, against a vendor on the loopback, from a cell whose event loop is running."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import scrollwork as sw
from tests.models.hosted_kit import OPENAI_KEY
from tests.servers.vendor import running


@pytest.mark.slow
def test_a_hosted_model_cannot_be_asked_beside_a_function_or_in_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    seen: list[str] = []

    async def answer(prompt: str) -> str:
        seen.append(prompt)
        return "yes"

    mine = sw.model(answer, name="mine", revision="1")
    with running() as vendor:
        tables = tmp_path / "own.toml"
        tables.write_text(
            f'[gpt]\nprovider = "openai"\nid = "g"\nbase_url = "{vendor.url}/v1"\ncontext = 1500\ntokenizer = "words"\n'
        )

        async def cell() -> sw.RunResult:
            return sw.run(
                "zeroscrolls",
                models=["gpt", mine, "compatible:org/tiny"],
                models_file=tables,
                base_url=f"{vendor.url}/v1",
                sample=True,
                tasks=["squality"],
                home=tmp_path / "home",
            )

        first = asyncio.run(cell())
        asked = len(vendor.log.requests())
        second = asyncio.run(cell())
        assert len(vendor.log.requests()) == asked
    assert first.complete
    assert first.board["answered"].to_list() == [10, 10, 10]
    assert first.spent["calls"] == 20
    assert second.board.equals(first.board)
    assert len(seen) == 10
    calls = sw.open(tmp_path / "home").calls().collect()
    assert len(calls) == 20
    assert OPENAI_KEY not in f"{first!r}{first._repr_html_()}{first.spent}{calls}"
    assert capfd.readouterr().out == ""
