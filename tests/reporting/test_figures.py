import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from hashlib import sha256
from pathlib import Path

import pytest
from boards import TASKS, params, row

from scrollwork.reporting.boards.board import Board, board
from scrollwork.reporting.charts import drawing
from scrollwork.reporting.charts.drawing import chart_file
from scrollwork.reporting.charts.figures import drawings, figures
from scrollwork.reporting.page.content import Findings
from scrollwork.reporting.page.usage import Usage

EVIL = "$\\frac{1}{2}$\x1b\u202e</svg><script>x</script>漢"


def quarter(task: str, model: str, part: int) -> dict[str, object]:
    where = {"split": "test", "task": task, "model": model, "arm": "full", "by": "document_words"}
    return {**where, "least": 100 * part, "most": 100 * part + 90, "value": 10.0 * part, "low": 9.0, "high": 45.0}


def whole(
    model: str = "m",
) -> tuple[Board, Findings, dict[tuple[str, int], Usage], dict[tuple[str, str, int], list[float]]]:
    rows = [row(task, one, 20.0) for task in TASKS for one in (model, "other")]
    beside = Findings(
        slices=[quarter(task, one, part) for task in TASKS for one in (model, "other") for part in (1, 2, 3)]
    )
    usage = {("test", 0): Usage(answers=5, cost_nano_usd=2 * 10**9, cost_of=5), ("test", 1): Usage(answers=5)}
    lengths = {(task, "test", line): [1.0, 5.0, 20.0] for task in TASKS for line in (-1, 0, 1)}
    return board(rows, params([model, "other"])), beside, usage, lengths


@pytest.mark.parametrize("kind", ["svg", pytest.param("png", marks=pytest.mark.slow)])
def test_equal_input_draws_other_bytes(kind: str) -> None:
    first, second = ([chart_file(one, kind) for one in drawings(*whole())] for _ in range(2))
    assert first == second


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_chart_is_laid_out_otherwise_than_savefig_does(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = drawings(*whole())[-1]
    own = chart_file(chart, kind)
    monkeypatch.setattr(drawing, "lay_out", lambda made, kind: None)
    assert chart_file(chart, kind) == own


@pytest.mark.slow
def test_another_process_draws_other_bytes() -> None:
    """Of equal data, in another order of sets. The tests remember charts (tests/forked.py), so that runs do not show it."""
    from tests.conftest import environment  # not where the program imports this module

    folder = Path(__file__).parent
    told = subprocess.run(
        [sys.executable, "-c", "from test_figures import digests; print(*digests())"],
        env=environment(PYTHONPATH=f"{folder.parents[1]}{os.pathsep}{folder}", PYTHONHASHSEED="1"),
        check=True,
        capture_output=True,
        text=True,
    )
    assert told.stdout.split() == digests()


def digests() -> list[str]:
    return [sha256(chart_file(one, "svg")).hexdigest() for one in drawings(*whole())]


def test_a_chart_is_missing_or_drawn_of_nothing() -> None:
    assert [one.name for one in drawings(*whole())] == ["scores", "by-length", "lengths", "cost"]
    content, _, _, _ = whole()
    assert [one.name for one in drawings(content, Findings(), {}, {})] == ["scores"]
    assert drawings(board([], params([])), Findings(), {}, {}) == []


@pytest.mark.filterwarnings("error")
def test_a_name_breaks_out_of_a_chart_or_is_read_as_a_formula() -> None:
    for figure in figures(drawings(*whole(EVIL))):
        tree = ET.fromstring(figure.svg)
        tags = {one.tag.rpartition("}")[2] for one in tree.iter()}
        assert not {"script", "style", "image", "foreignObject"} & tags
        assert "$\\frac{1}{2}$⟨U+001B⟩" in "".join(tree.itertext())


def test_inline_charts_carry_styles_that_the_policy_forbids_or_ids_twice() -> None:
    made = figures(drawings(*whole()))
    assert not [figure.name for figure in made if 'style="' in figure.svg or "<style" in figure.svg]
    names = [one.get("id") for figure in made for one in ET.fromstring(figure.svg).iter() if one.get("id")]
    assert len(names) == len(set(names))


def test_a_line_without_a_score_keeps_its_place_in_a_chart() -> None:
    rows = [row(task, "one", 20.0) for task in TASKS] + [row("qasper", name, 30.0) for name in ("two", "three", "four")]
    content = board(rows, params(["one", "two", "three", "four"]))
    (scores,) = [one for one in drawings(content, Findings(), {}, {}) if one.name == "scores"]
    alone = board([row(task, "one", 20.0) for task in TASKS], params(["one"]))
    (single,) = [one for one in drawings(alone, Findings(), {}, {}) if one.name == "scores"]
    taller = scores.draw().get_figheight() - single.draw().get_figheight()
    assert 0 < taller < 1  # three lines more in one task, not in all
