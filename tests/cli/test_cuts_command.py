"""Edits of summaries that a person cannot check: lost, unescaped, or told otherwise than they were made."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from scrollwork.reporting.page.cuts import Cut, page, tab_separated


def books(folder: Path, parts: list[tuple[str, str]], source: str = "shmoop", title: str = "The Salt Road") -> Path:
    place = folder / "booksum" / "finished_summaries" / source / title
    place.mkdir(parents=True)
    for number, (name, summary) in enumerate(parts):
        text = json.dumps({"name": name, "summary": summary})
        (place / f"section_{number}_part_0.txt").write_text(text, encoding="utf-8")
    return folder


PARTS = [
    ("Introduction", "A novel of the sea."),
    ("Chapter 1", "Chapter 1\n\nThe novel opens with <b>rain</b>."),
    ("Chapter 2", "As in Chapter 1, it rains."),
    ("Chapter 3", "The rain ends."),
]


def test_an_edit_is_missing_from_the_list(call, tmp_path):
    raw = books(tmp_path / "raw", PARTS)
    out = tmp_path / "cuts.tsv"
    status, printed, _ = call("--json", "cuts", "--raw", str(raw), "--out", str(out))
    assert status == 0
    assert {rule: one["edits"] for rule, one in json.loads(printed)["rules"].items()} == {
        "part left out": 1, "title_line": 1, "opening": 1, "number": 1,
    }  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [(row["rule"], row["removed"], row["replacement"]) for row in rows] == [
        ("part left out", "A novel of the sea.", ""),
        ("title_line", "Chapter 1", ""),
        ("opening", "The novel", "This part"),
        ("number", "Chapter 1", "another chapter"),
    ]
    assert rows[3]["before"] == "As in "
    assert rows[3]["after"] == ", it rains."


def test_a_source_that_is_not_used_is_listed_or_left_out_of_all(call, tmp_path):
    raw = books(tmp_path / "raw", PARTS)
    books(raw, PARTS, source="gradesaver", title="the salt road")
    for more, files in (((), 1), (("--every-source",), 2)):
        _, printed, _ = call("--json", "cuts", "--raw", str(raw), *more)
        assert json.loads(printed)["rules"]["number"]["files"] == files


def test_a_rule_that_is_off_is_listed(call, tmp_path):
    raw = books(tmp_path / "raw", PARTS)
    _, printed, _ = call("--json", "cuts", "--raw", str(raw), "--set", 'book_sum_sort.edits=["number"]')
    assert list(json.loads(printed)["rules"]) == ["number"]


def test_a_tag_in_a_summary_is_a_tag_of_the_page(call, tmp_path):
    raw = books(tmp_path / "raw", PARTS)
    out = tmp_path / "cuts.html"
    assert call("cuts", "--raw", str(raw), "--out", str(out))[0] == 0
    text = out.read_text(encoding="utf-8")
    assert "&lt;b&gt;rain" in text
    assert "<b>rain" not in text
    hostile = Cut("number", '"><script>', "<img src=x onerror=1>", "&", "<script>", "</del>", "\u202e")
    shown = page([hostile], "<title>")
    assert "<script>" not in shown
    assert "<img" not in shown
    assert "\u202e" not in shown


def test_a_tab_in_a_summary_adds_a_column():
    line = tab_separated([Cut("number", "f", "n", "a\tb", "c\nd\\", "", "e\r")]).splitlines()[1]
    assert line.split("\t") == ["number", "f", "n", "a\\tb", "c\\nd\\\\", "", "e\\r"]


def test_a_wrong_call_is_taken_for_work(call, tmp_path):
    raw = books(tmp_path / "raw", PARTS)
    assert call("cuts", "--raw", str(raw), "--out", str(tmp_path / "cuts.pdf"))[0] == 2
    assert call("cuts", "scrolls", "--raw", str(raw))[0] == 2
    status, _, err = call("cuts", "--raw", str(tmp_path / "raw" / "booksum" / "finished_summaries"))
    assert status == 1
    assert "no raw file" in err
