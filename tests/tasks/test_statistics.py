"""The stages statistics and overview: what they leave in the home, what `build` tells of it, when they run again."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from scrollwork.records.example import Example
from scrollwork.records.statistics import Bin, Distribution, Spread
from scrollwork.storage.home import Home
from tests.conftest import edit, files_of

SMALL = ("--task", "musique", "--task", "quality")
ASK = ("build", "zeroscrolls", "--sample", "--engine", "inline", "--quiet", "--json")


def artifact_of(home, stage, part=""):
    (found,) = [
        one
        for one in Home.at(str(home)).artifacts.everything()
        if one.manifest.ingredients.stage == stage and part in one.manifest.ingredients.slot
    ]
    return found


@pytest.fixture
def built(call):
    """Rows of `build --json` by task, in a home that holds them."""
    status, out, _ = call(*ASK, *SMALL)
    assert status == 0
    return {row["task"]: row for row in json.loads(out)}


def test_rows_of_the_artifact_and_of_build_differ(call, built):
    for task, row in built.items():
        statistics = artifact_of(call.home, "statistics", task)
        examples = list(artifact_of(call.home, "sample", task).rows("examples", Example))
        counted = {one.measure: one for one in statistics.rows("distributions", Distribution)}
        spreads = list(statistics.rows("spreads", Spread))
        assert [(s.example_id, s.reference) for s in spreads] == [
            (e.example_id, place) for e in examples for place in range(len(e.references))
        ]
        assert counted["words_in"].count == row["examples"] == len(examples)
        assert counted["words_in"].mean == pytest.approx(row["mean_words"])
        assert counted["words_out"].count == row["references"]
        assert counted["spread"].count == sum(s.spread is not None for s in spreads) > 0
        assert row["statistics"]["spread"]["median"] == counted["spread"].median == row["spread_median"]
        sums = Counter()
        for one in statistics.rows("histograms", Bin):
            sums[one.measure] += one.count
        assert sums == {name: counted[name].count for name in ("words_in", "words_out", "spread")}


def test_answers_that_are_letters_have_no_spread(built):
    assert built["quality"]["words_out"] == 1
    assert built["quality"]["statistics"]["spread"]["count"] > 0


def test_differences_are_of_the_suites_numbers(built):
    row = built["musique"]
    assert row["published"] == {"examples": 500, "words_in": 1749}
    assert row["difference"]["words_in"] == pytest.approx(100 * (row["mean_words"] - 1749) / 1749)
    assert row["difference"]["words_out"] is None


def test_one_split_is_held_against_means_over_all(call):
    """SCROLLS, table 1: its means are over training, validation and test."""
    ask = ("build", "scrolls", "--sample", "--task", "qmsum", "--engine", "inline", "--quiet")
    splits = ("--split", "train", "--split", "validation", "--split", "test")
    rows = json.loads(call(*ask, *splits, "--json")[1])
    assert [row["difference"] for row in rows] == [{"words_in": None, "words_out": None}] * 3
    inputs = sum(row["examples"] for row in rows)
    mean = sum(row["examples"] * row["mean_words"] for row in rows) / inputs
    for row in rows:
        found = row["all_splits"]
        assert (sorted(found["splits"]), found["whole"]) == (["test", "train", "validation"], True)
        assert found["words_in"] == pytest.approx(mean)
        assert found["published"] == {"words_in": 9497, "words_out": 69.7}
        assert found["difference"]["words_in"] == pytest.approx(100 * (mean - 9497) / 9497)
    shown = [line for line in call(*ask, *splits)[1].splitlines() if "9,497" in line]
    assert ["all splits" in line for line in shown] == [True]
    assert f"{mean:,.1f}" in shown[0]

    (row,) = json.loads(call(*ask, "--split", "test", "--json")[1])
    assert (row["all_splits"]["whole"], row["all_splits"]["difference"]["words_in"]) == (False, None)
    (line,) = [line for line in call(*ask, "--split", "test")[1].splitlines() if "9,497" in line]
    assert [cell.strip() for cell in line.split("│")][2:9] == ["all splits", "–", "–", "–", "9,497", "–", "–"]


def test_shards_are_left_out_of_the_lengths(call):
    status, out, _ = call(*ASK, "--task", "narrative_qa")
    (row,) = json.loads(out)
    assert status == 0
    assert row["statistics"]["words_in"]["count"] == row["examples"] > 20
    assert row["statistics"]["words_in"]["mean"] == pytest.approx(row["mean_words"])


def test_page_and_pictures_are_not_where_people_look(call, built):
    overview = artifact_of(call.home, "overview")
    names = sorted(path.name for path in (call.home / "reports").iterdir())
    assert names == [
        f"zeroscrolls-{name}" for name in ("lengths-in.svg", "lengths-out.svg", "spread.svg", "statistics.html")
    ]
    for name in names:
        assert (call.home / "reports" / name).read_bytes() == overview.bytes_of(name.removeprefix("zeroscrolls-"))
    page = (call.home / "reports" / "zeroscrolls-statistics.html").read_text(encoding="utf-8")
    assert "musique" in page
    assert "quality" in page


def test_a_second_build_counts_again(call, built):
    before = files_of(call.home)
    page = call.home / "reports" / "zeroscrolls-statistics.html"
    page.unlink()
    status, out, _ = call(*ASK, *SMALL)
    assert (status, {row["task"]: row for row in json.loads(out)}) == (0, built)
    assert files_of(call.home) == before
    assert page.is_file(), "a page that was deleted is put back"
    plan = json.loads(call("plan", "zeroscrolls", "--sample", "--json", *SMALL)[1])
    assert {row["state"] for row in plan} == {"reused"}
    assert [row["stage"] for row in plan].count("statistics") == 2


def test_a_task_that_failed_takes_the_page_with_it(call, raw):
    (raw / "qmsum" / "data" / "ALL" / "jsonl" / "test.jsonl").write_bytes(b"")
    ask = ("build", "zeroscrolls", "--raw", str(raw), "--engine", "inline", "--json", "--quiet")
    status, out, err = call(*ask, "--task", "qmsum", *SMALL)
    assert (status, [row["task"] for row in json.loads(out)]) == (1, ["quality", "musique"])
    assert err.count("error: ") == 1
    overview = artifact_of(call.home, "overview")
    assert {one.task for one in overview.rows("distributions", Distribution)} == {"musique", "quality"}
    assert call("--json", "verify")[0] == 0


def test_nothing_built_is_a_crash(call, raw):
    (raw / "qmsum" / "data" / "ALL" / "jsonl" / "test.jsonl").unlink()
    status, _, err = call("build", "zeroscrolls", "--raw", str(raw), "--engine", "inline", "--task", "qmsum")
    assert (status, "Traceback" in err, "no raw file" in err) == (1, False, True)
    assert "Nothing was built." in (call.home / "reports" / "zeroscrolls-statistics.html").read_text(encoding="utf-8")


def test_a_damaged_page_or_row_is_published(call, built, caplog):
    overview = artifact_of(call.home, "overview")
    (part,) = [part for part in overview.manifest.files if part.table == "statistics.html"]
    path = overview.folder.local / part.name
    path.write_bytes(path.read_bytes().replace(b"musique", b"Musique"))
    status, _, _ = call(*ASK, *SMALL)
    assert (status, "it is built again" in caplog.text) == (0, True)
    assert b"Musique" not in (call.home / "reports" / "zeroscrolls-statistics.html").read_bytes()


def test_a_changed_statistic_asks_models_again_or_leaves_the_page(finished, tree):
    work = finished.with_(root=tree)
    ask = ("build", "zeroscrolls", "--sample", "--engine", "inline", "--quiet", "--task", "qmsum")
    work(*ask)
    edit(tree / "analysis" / "statistics" / "spread.py", lambda text: text.replace("FEWEST = 2", "FEWEST = 3"))
    plan = {row["stage"]: row for row in work("plan", "zeroscrolls", "--sample", "--task", "qmsum", "--json").document}
    assert {stage: row["state"] for stage, row in plan.items()} == {
        "curate": "reused",
        "sample": "reused",
        "prompt": "reused",
        "statistics": "stale",
        "overview": "stale",
    }
    assert plan["statistics"]["why"] == "source scrollwork.analysis.statistics.spread changed"
    chain = work.states("--task", "qmsum")
    of_all_tasks = ("compare", "report")
    assert {state for name, state in chain.items() if name not in of_all_tasks} == {"reused"}
