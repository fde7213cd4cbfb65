"""Two revisions of a function in one home, and one revision of two codes: numbers are never those of the other."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import scrollwork as sw
from scrollwork.pipeline.errors import UsageError
from tests.library.conftest import with_read_only

ONE: dict[str, Any] = {"sample": True, "tasks": "squality", "limit": 4}


def made(revision: str, text: str = "", name: str = "mine") -> Any:
    """A function that answers with the end of the prompt behind a text of its revision."""
    return sw.model(lambda prompt: text or f"{revision} {prompt[-300 * int(revision) :]}", name=name, revision=revision)


@pytest.fixture
def two(tmp_path: Path) -> tuple[sw.RunResult, sw.RunResult]:
    """Results of two revisions in one home, beside the same baseline."""
    first, second = (
        sw.run("zeroscrolls", models=["bm25", made(revision)], home=tmp_path, **ONE) for revision in ("1", "2")
    )
    assert value(first) != value(second)
    return first, second


def value(result: sw.RunResult) -> float:
    """The value of the function on the board of a result."""
    return float(result.board.filter(pl.col("model") == "mine")["value"][0])


def means(found: sw.Comparison) -> dict[str, float]:
    """The mean of each model of a comparison."""
    rows = found.table.select("a", "mean_a", "b", "mean_b").rows()
    return {name: mean for row in rows for name, mean in (row[:2], row[2:])}


def test_a_result_is_compared_by_the_scores_of_a_later_run(two: Any, tmp_path: Path) -> None:
    stored = (
        sw.open(tmp_path).scores(models=["mine@1", "mine@2"]).group_by("model").agg(pl.col("value").mean()).collect()
    )
    own = {name: pytest.approx(mean) for name, mean in stored.rows()}
    assert own["mine@1"] != own["mine@2"].expected
    for number, result in enumerate(two, 1):
        found = means(sw.compare(result))
        assert found["mine"] == own[f"mine@{number}"]
        assert set(found) == {"bm25", "mine"}
    both = means(sw.compare(*two))
    assert both == {"bm25": pytest.approx(found["bm25"]), "mine@1": own["mine@1"], "mine@2": own["mine@2"]}
    (row,) = sw.compare(*two, models=["mine@1", "mine@2"]).table.to_dicts()
    assert (row["a"], row["b"], row["n"]) == ("mine@1", "mine@2", 4)
    assert row["difference"] == pytest.approx(row["mean_a"] - row["mean_b"])


ON_READ_ONLY = """
import sys, scrollwork as sw
result = sw.run("zeroscrolls", models=["bm25", "lead"], sample=True, tasks="squality", limit=4, home=sys.argv[1])
print(sw.compare(result).table.select("a", "b", "n", "difference").rows())
"""


@pytest.mark.slow
def test_a_result_in_a_home_that_cannot_be_written_is_of_no_run(tmp_path: Path) -> None:
    """No row of the run is kept there."""
    home, here = tmp_path / "home", tmp_path / "here"
    here.mkdir()
    result = sw.run("zeroscrolls", models=["bm25", "lead"], home=home, **ONE)
    sw.run("zeroscrolls", models=["bm25", "lead", "naive"], home=home, sample=True, tasks="squality", limit=2)
    wanted = sw.compare(result).table.select("a", "b", "n", "difference").rows()
    assert [row[:3] for row in wanted] == [("bm25", "lead", 4)]
    assert with_read_only(home, ON_READ_ONLY, here).strip() == repr(wanted)


@pytest.mark.slow
def test_results_of_other_inputs_or_of_mended_failures_are_one_model(tmp_path: Path) -> None:
    broken = True

    def reply(prompt: str) -> str:
        if broken and len(prompt) % 2:
            raise ValueError("not yet")
        return prompt[-300:]

    mine = sw.model(reply, name="mine", revision="1")
    first = sw.run("zeroscrolls", models=["bm25", mine], home=tmp_path, **ONE)
    broken = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        second = sw.run("zeroscrolls", models=["bm25", mine], home=tmp_path, **ONE)
    assert 0 < len(first.failures) < 4
    table = sw.compare(first, second).table
    assert table.select("a", "b").rows() == [
        ("bm25", "mine (result 1)"),
        ("bm25", "mine (result 2)"),
        ("mine (result 1)", "mine (result 2)"),
    ]
    assert table["n"].to_list() == [4 - len(first.failures), 4, 4 - len(first.failures)]
    again = sw.run("zeroscrolls", models=["bm25", mine], home=tmp_path, **ONE)
    assert sw.compare(second, again).table.select("a", "b").rows() == [("bm25", "mine")]


def test_a_result_whose_scores_are_gone_is_compared_by_others(two: Any, tmp_path: Path) -> None:
    for folder in (tmp_path / "artifacts" / "aggregate").iterdir():
        for one in folder.iterdir():
            (one / "manifest.json").unlink(missing_ok=True)
    with pytest.raises(UsageError, match="nothing that the result shows is scored in its home any more"):
        sw.compare(two[0])


def test_what_is_shown_is_not_the_last_run_or_the_rest_is_not_told(two: Any, tmp_path: Path) -> None:
    home = sw.open(tmp_path)
    assert home.aggregates(models="mine").collect()["value"].to_list() == [value(two[1])]
    (told,) = home.left_out()
    assert "of another revision than the one that is shown" in told
    assert told.endswith(": mine@1, squality")
    sw.run("zeroscrolls", models=[made("1")], home=tmp_path, **ONE)
    assert home.aggregates(models="mine").collect()["value"].to_list() == [value(two[0])]
    (told,) = home.left_out()
    assert told.endswith(": mine@2, squality")


def test_a_row_mixes_tasks_of_two_revisions(two: Any, tmp_path: Path) -> None:
    sw.run("zeroscrolls", models=[made("3")], home=tmp_path, **{**ONE, "tasks": "qmsum"})
    home = sw.open(tmp_path)
    assert set(home.aggregates(models="mine").collect()["task"]) == {"qmsum"}
    (told,) = home.left_out()
    assert told.endswith(": mine@1, squality; mine@2, squality")


@pytest.mark.parametrize("prefix", ["", "function:"])
def test_an_earlier_revision_cannot_be_read(two: Any, tmp_path: Path, prefix: str) -> None:
    home = sw.open(tmp_path)
    for number, result in enumerate(two, 1):
        found = home.aggregates("zeroscrolls", models=f"{prefix}mine@{number}").collect()
        assert found.select("model", "value").rows() == [(f"mine@{number}", value(result))]
        texts = home.answers(models=f"{prefix}mine@{number}").collect()
        assert {text[0] for text in texts["text"]} == {str(number)}
        assert set(texts["model"]) == {f"mine@{number}"}
    both = home.comparisons(models=[f"{prefix}mine@1", f"{prefix}mine@2"]).collect()
    assert both.select("model", "other").rows() == [("mine@1", "mine@2")]
    assert both["difference"][0] == pytest.approx(value(two[0]) - value(two[1]))
    assert home.prompts(models=f"{prefix}mine@1", text=True).collect().height == 4
    assert set(home.aggregates(models=["mine", "mine@1"]).collect()["model"]) == {"mine", "mine@1"}
    with pytest.raises(
        UsageError, match=f"model '{prefix}mine@3' is no revision in this home, .* mine in: 1, 2; scores"
    ):
        home.aggregates(models=f"{prefix}mine@3")


def failing(prompt: str) -> str:
    if len(prompt) % 2:
        raise ValueError("not yet")
    return "old"


def mended() -> Any:
    def failing(prompt: str) -> str:
        return "new"

    return failing


@pytest.mark.slow
def test_a_mended_function_is_said_to_be_read_only_and_no_mark_stays(tmp_path: Path) -> None:
    one = {**ONE, "home": tmp_path}
    first = sw.run("zeroscrolls", models=sw.model(failing, name="mine", revision="1"), **one)
    failed = len(first.failures)
    assert 0 < failed < 4
    assert sw.open(tmp_path).left_out() == []
    with pytest.warns(UserWarning, match="by other code") as caught:
        second = sw.run("zeroscrolls", models=sw.model(mended(), name="mine", revision="1"), **one)
    (told,) = [str(each.message) for each in caught]
    assert (
        f"not asked again; {failed} failed input(s) are asked with the code of now, and the revision is mixed" in told
    )
    assert told in second.notes
    assert sorted(sw.open(tmp_path).answers().collect()["text"]) == ["new"] * failed + ["old"] * (4 - failed)
    (mark,) = sw.open(tmp_path).left_out()
    assert mark.startswith("mixed, mine@1: 2 codes of the function were asked")
    sw.run("zeroscrolls", models=sw.model(mended(), name="mine", revision="2"), **one)
    assert not any("mixed" in line for line in sw.open(tmp_path).left_out())
