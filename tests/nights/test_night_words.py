"""What a night tells of its numbers, what is accepted with one, and what to do where it is not as it should be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.cli.nights.listing import as_json, show_model
from scrollwork.readings.nights.accepted import accepted_lines, too_few
from scrollwork.readings.nights.page import markdown
from scrollwork.readings.nights.register import Nights
from scrollwork.readings.nights.table import MEANS, cells, notes_of
from scrollwork.records.comparison import FEW_CLUSTERS, TOO_NARROW, few_clusters
from scrollwork.records.nights.decisions import Mute
from scrollwork.records.nights.night import CANARY, INCOMPLETE, NOT_COMPARED, REGRESSED, NightModel, NightRow, NightTask
from tests.conftest import Scrollwork
from tests.nights.hotels import HOTELS, night, ready, states
from tests.survival.hosted import Vendors, vendors

TASK = NightTask(
    "qasper", "f1", 4.02, 3.1, 5.2, 27, 27, REGRESSED, 4.05, 1.34, -4.1, -1.2, 0.004,
    clusters=3, documents=3, window=3, against=2,
)  # fmt: skip


def row(*tasks: NightTask) -> NightRow:
    model = NightModel("m", "", (), (), 0.0, 0, "2026-11-27-aaaaaa", "A sentence.", True, tasks)
    return NightRow(
        "2026-11-28-bbbbbb", "b" * 16, "zeroscrolls", "0" * 16, "full", 1, (), "", "0.2.0", "", "f" * 64,
        "0" * 32 + ".scores.json.gz", (model,),
    )  # fmt: skip


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


def test_means_over_nights_pass_for_the_score_of_tonight(capsys: pytest.CaptureFixture[str]) -> None:
    shown = cells(TASK)
    assert shown[6:9] == ("4.05 (2 nights)", "1.34 (last 3 nights)", "-2.71 (-4.10 to -1.20 ⚠)")
    assert cells(replace(TASK, window=1, against=1))[6:8] == ("4.05 (1 night)", "1.34 (tonight)")
    assert cells(replace(TASK, window=0, against=0))[6:8] == ("4.05", "1.34")  # rows of before
    found = row(TASK)
    show_model(found.models[0], found.kind)
    out = capsys.readouterr().out
    page = markdown(found)
    for text in (out, page.replace("\\", "")):
        assert "1.34 (last 3 nights)" in text
        assert MEANS in text
    assert MEANS not in list(notes_of([NightTask("new", "f1", 1.0, None, None, 3, 3)]))


@pytest.mark.parametrize(
    ("count", "marked"), [(2, True), (FEW_CLUSTERS - 1, True), (FEW_CLUSTERS, False), (None, False)]
)
def test_an_interval_of_a_night_from_few_documents_is_not_marked(
    count: int | None, marked: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    found = row(replace(TASK, clusters=count, documents=count))
    show_model(found.models[0], found.kind)
    out, page = capsys.readouterr().out, markdown(found).replace("\\", "")
    note = f"⚠ few clusters (documents) in qasper ({count}): {TOO_NARROW}"
    for text in (out, page):
        assert (note in text) is marked
        assert text.count("3.10 to 5.20 ⚠") == text.count("-4.10 to -1.20 ⚠") == int(marked)
    (told,) = as_json(found, [])["models"][0]["tasks"]
    assert told["interval_note"] == (few_clusters(count) or None)
    assert bool(told["difference_note"]) is marked
    # the gate exchanges nights, so what is said of two models does not hold for it
    assert "can be significant" not in (told["difference_note"] or "")


def test_a_night_is_accepted_without_a_word_on_what_it_lacks_or_on_its_drops() -> None:
    lacking = replace(TASK, task="quality", state=INCOMPLETE, answered=15)
    found = row(TASK, lacking)
    assert too_few(found)
    assert not too_few(row(TASK))
    assert list(accepted_lines(found)) == [
        "12 of 27 answers of quality are missing in it, and are compared on no later night",
        "qasper dropped by 2.7 points against 2026-11-27-aaaaaa, and later nights are held against the lower score",
    ]


@pytest.mark.slow
def test_answers_that_failed_for_good_are_a_dead_end(scrollwork: Scrollwork, served: Vendors) -> None:
    work = ready(scrollwork, served)
    first = night(work)
    served.set(plan={"script": ["400"] * 10})
    second = night(work, status=1)
    (lost,) = (task for task in second["models"][0]["tasks"] if task["answered"] < task["expected"])
    missing = f"{lost['expected'] - lost['answered']} of {lost['expected']} answers of {lost['task']} are missing in it"
    assert "--fresh never --retry-failed" in second["sentence"]
    assert f"scrollwork nights accept {second['name']} --incomplete" in second["sentence"]

    refused = work("nights", "accept", second["name"], status=2)
    assert missing in refused.err
    assert "--incomplete" in refused.err
    assert "--retry-failed" in refused.err
    assert Nights(str(work.home)).accepted() == []

    asked = len(served.requests())
    third = night(work, "--fresh", "never", "--retry-failed")
    assert len(served.requests()) == asked + lost["expected"] - lost["answered"]
    assert third["models"][0]["epoch"] == second["models"][0]["epoch"]
    assert third["models"][0]["reference"] == first["name"]
    assert "incomplete" not in states(third).values()

    told = work("nights", "accept", second["name"], "--incomplete").out
    assert missing in told
    assert work("nights", "accept", third["name"], "--json").document["missing"] == []


@pytest.mark.slow
def test_a_document_that_changed_upstream_ends_the_row_of_nights(scrollwork: Scrollwork, served: Vendors) -> None:
    work = ready(scrollwork, served)
    first = night(work)
    raw = work.home.parent / "raw" / "space" / "space_train.json"
    hotels: list[dict[str, Any]] = json.loads(raw.read_text())
    assert len(hotels) == HOTELS
    hotels[3]["reviews"][0]["sentences"][0] += " Corrected."
    raw.write_text(json.dumps(hotels))
    second = night(work, status=1)
    assert second["sentence"].startswith(f"Not compared with {first['name']}: night ")
    assert 'field "document"' in second["sentence"]
    command = f"scrollwork nights accept {second['name']}"
    assert f"compare later nights with this one: {command}." in second["sentence"]
    assert f"not compared with {first['name']}, so nobody looked for a drop" in work(*command.split()[1:]).out
    third = night(work)
    assert third["models"][0]["reference"] == second["name"]
    assert third["sentence"].startswith("No new drop against")


def test_mutes_that_stand_are_nowhere_or_a_night_of_baselines_is_silently_the_same(scrollwork: Scrollwork) -> None:
    words = ("nights", "run", "zeroscrolls", "--sample", "--task", "squality", "--model", "naive")
    first = scrollwork(*words, "--json").document
    again = scrollwork(*words).out
    assert "stands already, with these answers and scores. None of these models is asked anew" in again
    nights = Nights(str(scrollwork.home))
    nights.mute(Mute("squality", "2999-12-24", "ana\x1b[31m", 0))
    nights.mute(Mute("qmsum", "2999-12-24", "", 0))
    nights.mute(Mute("over", "2020-12-24", "ana", 0))
    listed = scrollwork("nights").out
    assert "muted: squality until 2999-12-24, by ana" in listed
    assert "muted: qmsum until 2999-12-24, by an unknown user" in listed
    assert "over" not in listed
    assert "\x1b" not in listed
    shown = scrollwork("nights", "show", first["name"]).out
    assert "muted: squality until 2999-12-24" in shown
    assert "qmsum" not in shown
    mutes = scrollwork("nights", "--json").document["mutes"]
    assert [(one["task"], one["until"]) for one in mutes] == [("qmsum", "2999-12-24"), ("squality", "2999-12-24")]
    assert [one["task"] for one in scrollwork("nights", "show", first["name"], "--json").document["mutes"]] == [
        "squality"
    ]


def test_a_canary_has_verdicts_by_task_which_nobody_gave(capsys: pytest.CaptureFixture[str]) -> None:
    found = replace(row(replace(TASK, state=NOT_COMPARED)), kind=CANARY)
    show_model(found.models[0], found.kind)
    out, page = capsys.readouterr().out, markdown(found)
    for text in (out, page):
        assert "27 of 27" in text
        assert "verdict" not in text
        assert "not compared" not in text
