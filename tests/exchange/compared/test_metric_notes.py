"""With some metrics chosen, what is said of the values of others is left out."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from scrollwork.cli.main import main
from tests.exchange.logs.log_kit import archived, sample


def _logs(folder: Path) -> list[str]:
    places = []
    for model in ("alpha", "beta"):
        rows = [
            sample(
                f"q{number}", scores={"exact": {"value": number % 2}, "f1": {"value": math.nan}, "why": {"value": "?"}}
            )
            for number in range(8)
        ]
        rows[0]["scores"]["f1"]["value"] = 0.5
        places.append(str(archived(folder / f"{model}.eval", *rows, model=model)))
        table = folder / f"{model}.jsonl"
        cells = [{"id": f"q{number}", "exact": number % 2, "f1": 0.5 if number > 2 else None} for number in range(8)]
        table.write_text("".join(json.dumps(row) + "\n" for row in cells))
        places.append(str(table))
    return places


@pytest.mark.parametrize("tool", [0, 1])
def test_notes_on_other_metrics_hide_those_that_matter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tool: int
) -> None:
    sources = _logs(tmp_path)[tool::2]
    for metric, expected in (("exact", False), ("f1", True)):
        assert main(["compare", *sources, "--metric", metric, "--json"]) == 0
        warnings = json.loads(capsys.readouterr().out)["warnings"]
        assert any("no score" in each and "f1" in each for each in warnings) is expected, warnings
        assert not any("why" in each for each in warnings)
        assert any("rows of" in each and "without a score" in each for each in warnings) is (expected and tool == 1)
    assert main(["compare", *sources, "--json"]) == 0
    assert any("no score" in each for each in json.loads(capsys.readouterr().out)["warnings"])
