"""Official releases end to end: imported as built suites, scored, compared with, and refused when broken."""

from __future__ import annotations

import json
import os
import zipfile

import pytest

from scrollwork.exchange.hf_rows import records
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import build
from scrollwork.readings.results import Results
from scrollwork.records.example import Example
from scrollwork.suites.parts import parts
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import load_suite

ZERO = tuple(load_suite("zeroscrolls").tasks)
SCROLLS = tuple(task for task in load_suite("scrolls").tasks if task != "contract_nli")  # the sample has none
INLINE = ("--engine", "inline", "--quiet")


def released(request):
    """The official rows of what is built, by task."""
    chain = Chain(request)
    results = Results(chain)
    found = {}
    for part in parts(request):
        curated, sampled = results.artifact(chain.curate(part)), results.artifact(chain.sample(part))
        found[part.task.name] = list(records(part.task, sampled.rows("examples", Example), curated.texts()))
    return found


def write(path, task, rows, split="test", line_end="\n", mark=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{task}/{split}.jsonl", mark + "".join(json.dumps(row) + line_end for row in rows))
    return path


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """(home, rows by suite and task) of the bundled sample."""
    home = tmp_path_factory.mktemp("own") / "home"
    rows = {}
    for suite, tasks in (("zeroscrolls", ZERO), ("scrolls", SCROLLS)):
        request = Request.of(suite, home=str(home), sample=True, tasks=tasks)
        assert build(Chain(request)).failed == []
        rows[suite] = released(request)
    return home, rows


@pytest.fixture
def rows(own):
    return own[1]


@pytest.mark.parametrize(
    ("suite", "tasks", "below"),
    [("zeroscrolls", ZERO, "zero_scrolls"), ("scrolls", SCROLLS, "scrolls"), ("zeroscrolls", ("qmsum", "musique"), "")],
)
def test_imported_release_is_written_again_otherwise(call, tmp_path, rows, suite, tasks, below):
    folder = tmp_path / "raw"
    for task in tasks:
        write(folder / below / f"{task}.zip", task, rows[suite][task], line_end="\r\n", mark="\ufeff")
    ask = [word for task in tasks for word in ("--task", task)]
    status, out, err = call("build", suite, "--raw", str(folder), *INLINE, "--json", *ask)
    assert (status, "Traceback" in err) == (0, False)
    built = {row["task"]: row for row in json.loads(out)}
    request = Request.of(suite, home=str(call.home), raw=str(folder), tasks=tasks)
    assert released(request) == {task: rows[suite][task] for task in tasks}
    for task in tasks:
        assert built[task]["release"]["file"] == "/".join(filter(None, [below, f"{task}.zip"]))
        assert (built[task]["release"]["own_literals"], built[task]["release"]["private"]) == (0, 0)
        assert built[task]["examples"] == len({row["id"] for row in rows[suite][task]})
    assert f"{tasks[0]}, test: imported from the official release" in err
    assert "the paper counts" in err

    states = {row["state"] for row in json.loads(call("plan", suite, "--raw", str(folder), "--json", *ask)[1])}
    assert states == {"reused"}
    status, out, _ = call("verify", "--json")
    assert (status, json.loads(out)["ok"]) == (0, True)


def test_release_is_sampled_or_put_into_another_order(call, tmp_path, rows):
    (row, *_) = rows["zeroscrolls"]["qmsum"]
    many = [{**row, "id": f"{number:03}", "pid": f"{number:03}"} for number in range(502, 0, -1)]
    write(tmp_path / "raw" / "qmsum.zip", "qmsum", many)
    ask = ("build", "zeroscrolls", "--raw", str(tmp_path / "raw"), *INLINE, "--json", "--task", "qmsum")
    (built,) = json.loads(call(*ask)[1])
    assert (built["examples"], built["documents"]) == (502, 1)
    request = Request.of("zeroscrolls", home=str(call.home), raw=str(tmp_path / "raw"), tasks=("qmsum",))
    assert [one["id"] for one in released(request)["qmsum"]] == [one["id"] for one in many]
    (built,) = json.loads(call(*ask, "--limit", "7")[1])
    assert built["examples"] == 7


def test_upstream_files_give_way_to_a_release(call, raw, rows):
    write(raw / "zero_scrolls" / "qmsum.zip", "qmsum", rows["zeroscrolls"]["qmsum"][:1])
    ask = ("build", "zeroscrolls", "--raw", str(raw), *INLINE, "--json", "--task", "qmsum")
    (built,) = json.loads(call(*ask)[1])
    assert ("release" in built, built["examples"]) == (False, len(rows["zeroscrolls"]["qmsum"]))


def test_option_of_the_construction_is_ignored_for_a_release(call, tmp_path, rows):
    write(tmp_path / "raw" / "squality.zip", "squality", rows["zeroscrolls"]["squality"])
    ask = ("build", "zeroscrolls", "--raw", str(tmp_path / "raw"), *INLINE, "--task", "squality")
    assert call(*ask)[0] == 0
    status, _, err = call(*ask, "--set", "squality.release=v1-3")
    assert status == 1
    assert "looked for squality/v1-3/txt/test.jsonl" in err


# ---- scored


def run(call, folder, *tasks, suite="zeroscrolls"):
    ask = [word for task in tasks for word in ("--task", task)]
    status, out, err = call("run", suite, "--model", "naive:seed=0", "--raw", str(folder), *INLINE, "--json", *ask)
    return status, json.loads(out), err


@pytest.mark.slow
def test_imported_release_is_scored_otherwise_than_what_it_was_made_of(call, tmp_path, own, rows):
    tasks = ("quality", "squality", "book_sum_sort")
    for task in tasks:
        write(tmp_path / "raw" / f"{task}.zip", task, rows["zeroscrolls"][task])
    status, found, _ = run(call, tmp_path / "raw", *tasks)
    ask = [word for task in tasks for word in ("--task", task)]
    again = json.loads(call("run", "zeroscrolls", "--model", "naive:seed=0", "--sample", *INLINE, "--json", *ask)[1])
    assert status == 0
    assert [(row["task"], row["value"]) for row in found["tasks"]] == [
        (row["task"], row["value"]) for row in again["tasks"]
    ]


def test_private_references_end_the_run_or_score_zero(call, tmp_path, rows):
    private = [{**row, "output": None} for row in rows["zeroscrolls"]["qmsum"]]
    write(tmp_path / "raw" / "qmsum.zip", "qmsum", private)
    status, found, err = run(call, tmp_path / "raw", "qmsum")
    (row,) = found["tasks"]
    assert status == 0
    assert (row["value"], row["coverage"]["expected"]) == (None, 0)
    assert found["averages"] == {"naive:seed=0": None}
    assert f"not scored: qmsum, test: {len(private)} inputs: the references are private" in err
    assert "export the submission" in err
    states = json.loads(call("plan", "zeroscrolls", "--model", "naive:seed=0", "--raw", str(tmp_path / "raw"), "--json",
                             "--task", "qmsum")[1])  # fmt: skip
    assert {row["state"] for row in states} == {"reused"}


def test_gold_none_ends_the_run_or_counts_as_wrong(call, tmp_path, rows):
    quality = [dict(row) for row in rows["zeroscrolls"]["quality"]]
    for number in (1, 3):
        quality[number]["output"] = "None"
    write(tmp_path / "raw" / "quality.zip", "quality", quality)
    status, found, err = run(call, tmp_path / "raw", "quality")
    (row,) = found["tasks"]
    expected = len(quality) - 2
    assert status == 0
    assert (row["coverage"]["expected"], row["coverage"]["answered"]) == (expected, expected)
    assert "not scored: quality, test: 2 inputs: reference 'None' names no answer letter" in err

    kept = [one for number, one in enumerate(quality) if number not in (1, 3)]
    write(tmp_path / "other" / "quality.zip", "quality", kept)
    assert run(call, tmp_path / "other", "quality")[1]["tasks"][0]["value"] == row["value"]


def test_quality_test_file_without_gold_labels_fails(call, raw):
    path = raw / "quality" / "QuALITY.v1.0.1.htmlstripped.test"
    articles = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    for question in (question for article in articles for question in article["questions"]):
        del question["gold_label"]
    path.write_text("".join(json.dumps(article) + "\n" for article in articles), encoding="utf-8")
    for suite in ("zeroscrolls", "scrolls"):
        status, out, _ = call("build", suite, "--raw", str(raw), *INLINE, "--json", "--task", "quality")
        (row,) = json.loads(out)
        assert (status, row["examples"], row["references"], row["errors"]) == (0, 11, 0, 0)
    dev = raw / "quality" / "QuALITY.v1.0.1.htmlstripped.dev"
    article = json.loads(dev.read_text(encoding="utf-8").split("\n")[0])
    del article["questions"][0]["gold_label"]
    dev.write_text(json.dumps(article) + "\n", encoding="utf-8")
    ask = ("build", "zeroscrolls", "--raw", str(raw), *INLINE, "--task", "quality", "--split", "validation")
    status, _, err = call(*ask)
    assert (status, 'field "gold_label" is missing' in err) == (1, True)


# ---- other zips


def test_contract_nli_in_its_zip_is_not_what_it_is_outside(call, tmp_path):
    release = {
        "documents": [
            {
                "id": 7,
                "file_name": "c.pdf",
                "text": "The parties agree. Nothing else.",
                "spans": [[0, 18], [19, 32]],
                "annotation_sets": [{"annotations": {"nda-1": {"choice": "NotMentioned", "spans": []}}}],
            }
        ],
        "labels": {"nda-1": {"hypothesis": "Somebody pays.", "short_description": "pay"}},
    }
    folder = tmp_path / "raw" / "contract_nli"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "contract-nli.zip", "w") as archive:
        archive.writestr("contract-nli/test.json", json.dumps(release))
        archive.writestr("contract-nli/dev.json", json.dumps({**release, "documents": []}))
        archive.writestr("contract-nli/README.md", "# ContractNLI")
    ask = ("build", "scrolls", "--raw", str(tmp_path / "raw"), *INLINE, "--json", "--task", "contract_nli")
    status, out, _ = call(*ask)
    (row,) = json.loads(out)
    assert (status, row["examples"], "release" in row) == (0, 1, False)
    request = Request.of("scrolls", home=str(call.home), raw=str(tmp_path / "raw"), tasks=("contract_nli",))
    assert released(request)["contract_nli"] == [
        {
            "id": "7_nda-1",
            "pid": "7_nda-1",
            "input": "Somebody pays.\n\nThe parties agree. Nothing else.",
            "output": "Not mentioned",
        }
    ]


def test_broken_release_takes_the_other_tasks_along(call, tmp_path, rows):
    folder = tmp_path / "raw"
    path = write(folder / "qmsum.zip", "qmsum", rows["zeroscrolls"]["qmsum"])
    path.write_bytes(path.read_bytes()[:-300])
    write(folder / "musique.zip", "musique", rows["zeroscrolls"]["musique"], split="validation")
    write(folder / "space_digest.zip", "space_digest", rows["zeroscrolls"]["space_digest"])
    ask = [word for task in ("qmsum", "musique", "space_digest") for word in ("--task", task)]
    status, out, err = call("build", "zeroscrolls", "--raw", str(folder), *INLINE, "--json", *ask)
    assert (status, [row["task"] for row in json.loads(out)]) == (1, ["space_digest"])
    assert "curate qmsum failed: qmsum.zip: is no whole zip archive" in err
    assert (
        "curate musique failed: musique.zip: has no member **/musique/test.jsonl (there is: musique/validation" in err
    )
    assert "Traceback" not in err


# ---- --against


def against(call, own, *arguments, status=0, suite="zeroscrolls"):
    found, out, err = call.at(own[0])("build", suite, "--sample", *INLINE, "--json", *arguments)
    assert found == status, err
    assert "Traceback" not in err
    return {row["task"]: row.get("against") for row in json.loads(out)}, err


@pytest.mark.parametrize(("suite", "tasks"), [("zeroscrolls", ZERO), ("scrolls", SCROLLS)])
def test_equal_release_is_told_to_differ(call, tmp_path, own, rows, suite, tasks):
    for task in tasks:
        write(tmp_path / f"{task}.zip", task, rows[suite][task])
    ask = [word for task in tasks for word in ("--task", task)]
    found, _ = against(call, own, "--against", str(tmp_path), *ask, suite=suite)
    assert list(found) == list(tasks)
    for one in found.values():
        assert one["equal_ids"] == 1.0
        assert {kind["share"] for kind in one["equal"].values()} == {1.0}
        assert (one["first_differences"], one["unreadable_rows"]) == ({}, 0)


def test_planted_difference_is_not_told_to_people_and_programs(call, tmp_path, own, rows):
    theirs = [dict(row) for row in rows["zeroscrolls"]["qmsum"]]
    at = theirs[4]["input"].index("Query:")
    theirs[4]["input"] = theirs[4]["input"][: at - 9] + "[bold]é" + theirs[4]["input"][at - 2 :]
    theirs[6]["query_end_index"] += 1
    zipped = write(tmp_path / "qmsum.zip", "qmsum", theirs)
    found, _ = against(call, own, "--task", "qmsum", "--against", str(zipped))
    one = found["qmsum"]
    share = (len(theirs) - 1) / len(theirs)
    assert {kind: part["share"] for kind, part in one["equal"].items() if part["share"] < 1} == {
        "input": share,
        "query_end_index": share,
    }
    assert one["first_differences"]["input"]["at"] == at - 9
    assert one["first_differences"]["input"]["id"] == theirs[4]["id"]
    assert one["first_differences"]["query_end_index"]["release"] == theirs[6]["query_end_index"]
    status, out, _ = call.at(own[0])("build", "zeroscrolls", "--sample", *INLINE, "--task", "qmsum",
                          "--against", str(zipped))  # fmt: skip
    told = " ".join(out.split())
    assert status == 0
    assert f"character {at - 9:,}: ours “" in told
    assert "[bold]é" in told
    assert f"{100 * share:.1f} %" in told


def test_task_without_a_release_is_not_named(call, tmp_path, own, rows):
    zipped = write(tmp_path / "any name.zip", "musique", rows["zeroscrolls"]["musique"])
    found, err = against(call, own, "--task", "musique", "--task", "qmsum", "--against", str(zipped))
    assert found["qmsum"] is None
    assert found["musique"]["equal_ids"] == 1.0
    assert "not compared: qmsum, test" in err


def test_unreadable_release_is_taken_for_a_difference(call, tmp_path, own, rows):
    ask = ("build", "zeroscrolls", "--sample", *INLINE, "--task", "qmsum", "--against")
    zipped = write(tmp_path / "qmsum.zip", "qmsum", rows["zeroscrolls"]["qmsum"])
    data = zipped.read_bytes()
    (tmp_path / "cut.zip").write_bytes(data[: len(data) // 2])
    other = write(tmp_path / "other.zip", "musique", rows["zeroscrolls"]["musique"])
    wrong_split = write(tmp_path / "split.zip", "qmsum", rows["zeroscrolls"]["qmsum"], split="validation")
    os.mkfifo(tmp_path / "pipe")
    for path, code, told in [
        (tmp_path / "cut.zip", 1, "cut.zip: is no whole zip archive"),
        (other, 1, "other.zip: holds none of the tasks asked for (qmsum/test.jsonl)"),
        (wrong_split, 1, "split.zip: holds none of the tasks asked for (qmsum/test.jsonl)"),
        (tmp_path / "none.zip", 2, "none.zip: there is no such file or folder"),
        (tmp_path / "pipe", 2, "pipe: is a FIFO (a named pipe), no file or folder"),
    ]:
        status, _, err = call.at(own[0])(*ask, str(path))
        assert (status, told in err, "Traceback" in err) == (code, True, False), err
    at = data.index(b"qmsum/test.jsonl") + 200
    (tmp_path / "flipped.zip").write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
    found, err = against(call, own, "--task", "qmsum", "--against", str(tmp_path / "flipped.zip"), status=1)
    assert "flipped.zip!qmsum/test.jsonl" in found["qmsum"]["error"]
    assert "error: qmsum, test: cannot be compared" in err


# ---- real texts


@pytest.mark.slow
def test_real_stories_are_written_again_otherwise(call, tmp_path, shared):
    ask = ("build", "zeroscrolls", *INLINE, "--json", "--task", "squality", "--raw")
    (built,) = json.loads(call(*ask, str(shared / "raw"))[1])
    ours = released(Request.of("zeroscrolls", home=str(call.home), raw=str(shared / "raw"), tasks=("squality",)))
    write(tmp_path / "raw" / "squality.zip", "squality", ours["squality"])
    (again,) = json.loads(call(*ask, str(tmp_path / "raw"))[1])
    assert (again["examples"], again["references"], again["mean_words"]) == (260, 1040, built["mean_words"])
    assert again["release"]["own_literals"] == 0
    raw = str(tmp_path / "raw")
    assert released(Request.of("zeroscrolls", home=str(call.home), raw=raw, tasks=("squality",))) == ours


@pytest.mark.slow
def test_real_contracts_in_a_zip_are_others(call, tmp_path, shared):
    (tmp_path / "raw" / "contract_nli").mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "raw" / "contract_nli" / "c.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("dev.json", "test.json"):
            archive.write(shared / "raw" / "contract_nli" / name, f"contract-nli/{name}")
    rows = []
    for raw in (shared / "raw", tmp_path / "raw"):
        ask = ("build", "scrolls", *INLINE, "--json", "--task", "contract_nli", "--raw", str(raw))
        (row,) = json.loads(call(*ask)[1])
        rows.append([row[name] for name in ("examples", "documents", "mean_words")])
    assert rows[0] == rows[1]
    assert rows[0][0] == 2091
