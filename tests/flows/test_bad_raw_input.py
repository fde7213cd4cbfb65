"""Bad raw input, end to end: the error names file, record and field; everything else finishes; exit status 1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Scrollwork

BOM = b"\xef\xbb\xbf"
FILES = {
    "qmsum": "qmsum/data/ALL/jsonl/test.jsonl",
    "musique": "musique/data/musique_full_v1.0_dev.jsonl",
    "squality": "squality/v1-2/txt/test.jsonl",
    "quality": "quality/QuALITY.v1.0.1.htmlstripped.test",
    "space_digest": "space/space_train.json",
    "qasper": "qasper/qasper-test-v0.3.json",
    "narrative_qa": "narrativeqa/qaps.csv",
    "summ_screen_fd": "summ_screen_fd/SummScreen/ForeverDreaming/fd_test.json",
    "gov_report": "gov_report/gov-report/gao/GAO-24-106004.json",
}


def line(number, change):
    """Rewrite the record on one line of a JSON Lines file."""

    def damage(path):
        lines = path.read_text(encoding="utf-8").split("\n")
        record = json.loads(lines[number - 1])
        changed = change(record)
        lines[number - 1] = changed if isinstance(changed, str) else json.dumps(record, ensure_ascii=False)
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))

    return damage


def whole(change):
    """Rewrite a file's bytes."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


def value(change):
    """Rewrite a file that is one JSON value."""

    def damage(path):
        data = json.loads(path.read_text(encoding="utf-8"))
        change(data)
        path.write_text(json.dumps(data), encoding="utf-8")

    return damage


def put(field, content):
    """Put something else into a field."""
    return lambda record: record.__setitem__(field, content)


def remove(path):
    path.unlink()


def folder(path):
    path.unlink()
    path.mkdir()


def question(content):
    return lambda record: record["questions"][1].__setitem__(*content)


def rating(items):
    items[0]["reviews"][2]["rating"] = 9


def twice(path):
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join([lines[0], *lines]), encoding="utf-8")


def answer_of(paper):
    first = next(iter(paper.values()))
    first["qas"][0]["answers"][0]["answer"]["unanswerable"] = "no"


DROPPED, FAILS, FINE = "the record is dropped", "the task fails", "nothing is lost"
# what, task, damage, outcome, what the error names beside the file
KINDS = [
    ("broken JSON line", "qmsum", line(2, lambda _: '{"topic_list": ['), DROPPED, ["line 2", "is not JSON"]),
    ("no object", "qmsum", line(2, lambda _: "[1, 2]"), DROPPED, ["line 2", "must be a JSON object, is a list"]),
    ("missing field", "musique", line(3, lambda r: r.pop("question") and None), DROPPED,
     ["line 3", 'field "question" is missing']),
    ("wrong type", "musique", line(3, put("answerable", "yes")), DROPPED,
     ["line 3", 'field "answerable" must be true or false, is text']),
    ("null where text belongs", "musique", line(3, put("question", None)), DROPPED,
     ["line 3", 'field "question" must be text, is null']),
    ("list where text belongs", "quality", line(1, question(("question", ["Why?"]))), DROPPED,
     ["line 1", "questions[1]", 'field "question" must be text, is a list']),
    ("text where a list belongs", "qmsum", line(1, put("meeting_transcripts", "A: b")), DROPPED,
     ["line 1", 'field "meeting_transcripts" must be a list, is text']),
    ("empty text", "squality", line(1, put("document", "  ")), DROPPED, ["line 1", 'field "document" is empty']),
    ("lone surrogate", "musique", line(3, lambda r: json.dumps({**r, "question": "\ud800?"})), DROPPED,
     ["line 3", 'field "question"', "lone surrogate"]),
    ("not a number", "musique", line(3, lambda r: json.dumps({**r, "more": float("nan")})), DROPPED,
     ["line 3", "NaN is not JSON"]),
    ("nested without end", "musique", line(3, lambda r: "[" * 200_000), DROPPED, ["line 3", "is not JSON"]),
    ("invalid UTF-8 in a line", "squality", whole(lambda data: data.replace(b"story", b"st\xffry", 1)), DROPPED,
     ["line 1", "is not UTF-8 at byte"]),
    ("duplicate id", "musique", twice, DROPPED, ["example", 'field "id" came before']),
    ("answer that is no option", "quality", line(1, question(("gold_label", 7))), DROPPED,
     ["line 1", "questions[1]", 'field "gold_label" 7 names no option']),
    ("rating out of range", "space_digest", value(rating), DROPPED,
     ["item 0", "reviews[2]", 'field "rating" 9 is outside 1 to 5']),
    ("wrong type deep in an object", "qasper", value(answer_of), DROPPED,
     ["paper", "qas[0]", "answers[0]", 'field "unanswerable" must be true or false, is text']),
    ("broken file that is a record", "gov_report", whole(lambda data: data[: len(data) // 2]), DROPPED, ["is not JSON"]),
    ("missing file that is a record", "gov_report", remove, DROPPED, []),
    ("invalid UTF-8 in a whole file", "qasper", whole(lambda data: data.replace(b" the ", b" th\xe9 ", 1)), FAILS,
     ["is not UTF-8 at byte"]),
    ("cut file", "space_digest", whole(lambda data: data[: len(data) // 2]), FAILS, ["is not JSON"]),
    ("broken CSV", "narrative_qa", whole(lambda data: data + b'"never closed,'), FAILS, ["line", "CSV"]),
    ("empty file", "qmsum", whole(lambda data: b""), FAILS, ["is empty"]),
    ("blank file", "summ_screen_fd", whole(lambda data: b" \n\n"), FAILS, ["is empty"]),
    ("missing file", "qmsum", remove, FAILS, ["no raw file for 'records'", "qmsum/data/ALL/jsonl/test.jsonl"]),
    ("folder in place of a file", "qmsum", folder, FAILS, ["test.jsonl: is a folder, not a file"]),
    ("every record broken", "qmsum", whole(lambda data: b"\n".join(b"{" for _ in data.split(b"\n"))), FAILS,
     ["no usable record", "line 1"]),
    ("byte-order mark", "qmsum", whole(lambda data: BOM + data), FINE, []),
    ("byte-order mark of a list", "space_digest", whole(lambda data: BOM + data), FINE, []),
    ("CRLF", "musique", whole(lambda data: data.replace(b"\n", b"\r\n")), FINE, []),
    ("CRLF and mark of an object", "qasper", whole(lambda data: BOM + data.replace(b"\n", b"\r\n")), FINE, []),
    ("CRLF and mark of CSV", "narrative_qa", whole(lambda data: BOM + data.replace(b"\n", b"\r\n")), FINE, []),
]  # fmt: skip
OTHER = "book_sum_sort"


def values(out):
    return {row["task"]: (row["value"], row["coverage"]["expected"]) for row in json.loads(out)["tasks"]}


@pytest.fixture(scope="module")
def undamaged(house, tmp_path_factory):
    """(value, inputs) by task of the bundled sample."""
    work = Scrollwork(house, tmp_path_factory.mktemp("undamaged") / "home")
    return values(work.run("--json").out)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "damage", "outcome", "named"),
    [pytest.param(*kind, id=name.replace(" ", "_")) for name, *kind in KINDS],
)
def test_bad_raw_input_is_not_named_or_takes_the_rest_along(call, raw, undamaged, task, damage, outcome, named):
    before = {name: undamaged[name] for name in (task, OTHER)}
    ask = (
        "run",
        "zeroscrolls",
        "--model",
        "naive:seed=0",
        "--engine",
        "inline",
        "--quiet",
        "--json",
        "--raw",
        str(raw),
    )
    ask = (*ask, "--task", task, "--task", OTHER)
    damage(raw / FILES[task])
    status, out, err = call(*ask)
    after = values(out)
    assert after[OTHER] == before[OTHER]
    assert "Traceback" not in err
    if outcome == FINE:
        assert (status, after) == (0, before)
        return
    assert status == 1
    told = [told for told in err.splitlines() if told.startswith(("dropped: ", "error: "))]
    assert len(told) == 1
    assert told[0].startswith("dropped: " if outcome == DROPPED else f"error: curate {task} failed: ")
    file = Path(FILES[task]).stem if damage is remove else FILES[task]  # who misses a file knows a pattern or an id
    assert [text for text in (file, *named) if text not in told[0]] == []
    if outcome == DROPPED:
        assert 0 < after[task][1] < before[task][1] + (damage is twice)
    else:
        assert task not in after

    again, out, err = call(*ask)  # everything that can stand is reused, and yet it is told
    assert (again, values(out)) == (1, after)
    assert told[0] in err.splitlines()
    assert [row["state"] for row in json.loads(call("plan", *ask[1:])[1]) if row["task"] == OTHER] == ["reused"] * 8


def test_a_bad_record_is_not_counted_by_reason(call, raw):
    line(3, put("answerable", "yes"))(raw / FILES["musique"])
    line(1, question(("gold_label", 0)))(raw / FILES["quality"])
    ask = ("build", "zeroscrolls", "--raw", str(raw), "--engine", "inline", "--json", "--quiet")
    status, out, err = call(*ask, "--task", "musique", "--task", "quality")
    rows = {row["task"]: row for row in json.loads(out)}
    assert status == 1
    assert rows["musique"]["dropped"] == {"wrong type": 1}
    assert rows["quality"]["dropped"] == {"answer is no option": 1}
    assert [rows[task]["errors"] for task in rows] == [1, 1]
    assert "2 malformed record(s) were dropped" in err


def test_a_record_that_a_filter_removes_is_an_error(call, raw):
    """A hotel with too few reviews is counted, and no error."""

    def few(items):
        items[0]["reviews"] = items[0]["reviews"][:10]

    value(few)(raw / FILES["space_digest"])
    ask = ("build", "zeroscrolls", "--raw", str(raw), "--engine", "inline", "--json", "--quiet")
    status, out, _ = call(*ask, "--task", "space_digest")
    (row,) = json.loads(out)
    assert (status, row["errors"]) == (0, 0)
    assert row["dropped"]["too few reviews"] >= 1


def test_a_mended_file_leaves_its_failure_standing(call, raw):
    path = raw / FILES["qmsum"]
    data = path.read_bytes()
    ask = ("run", "zeroscrolls", "--model", "naive:seed=0", "--engine", "inline", "--json", "--raw", str(raw), "--task")
    path.write_bytes(b"{\n")
    status, out, _ = call(*ask, "qmsum", "--task", OTHER)
    assert (status, set(values(out))) == (1, {OTHER})
    path.write_bytes(data)
    status, out, err = call(*ask, "qmsum", "--task", OTHER)
    assert (status, set(values(out))) == (0, {"qmsum", OTHER})
    assert f"curate {OTHER}" not in err, "only what failed is built"


def test_twenty_one_bad_records_fill_the_screen(call, raw):
    path = raw / FILES["musique"]
    path.write_bytes(path.read_bytes() + b"\n".join([b"{"] * 30) + b"\n")
    status, _, err = call("build", "zeroscrolls", "--raw", str(raw), "--engine", "inline", "--task", "musique")
    assert status == 1
    assert (err.count("dropped: "), "... and 10 more" in err) == (20, True)
