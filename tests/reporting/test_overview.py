"""The page of statistics and its pictures: numbers beside the paper's, text from outside as text, nothing loaded."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_page import EVIL, LOADING, Reader

from scrollwork.records.statistics import Bin, Distribution
from scrollwork.reporting.charts.figure import COLOURS, axis, short
from scrollwork.reporting.charts.histograms import Panel, panel_body, shared_axis
from scrollwork.reporting.page.files import styles
from scrollwork.reporting.page.overview import Overview, overview
from scrollwork.reporting.page.text import percent

MEASURES = ("words_in", "words_document", "words_out", "references", "spread")


def distribution(task: str, split: str, measure: str, count: int, mean: float) -> Distribution:
    if not count:
        return Distribution("s", task, split, measure, 0)
    return Distribution("s", task, split, measure, count, mean, 1.0, 2.0, mean / 2, mean, mean * 2, mean * 3, mean * 4)


def made(
    tasks: list[tuple[str, str, int, float]],
    sizes: dict[str, Any] | None = None,
    means: dict[str, float] | None = None,
    **more: Any,
) -> Overview:
    """tasks: name, split, inputs, mean words."""
    rows, bins, facts = [], [], {}
    for name, split, count, mean in tasks:
        rows += [distribution(name, split, measure, count, mean) for measure in MEASURES]
        for measure in ("words_in", "words_out", "spread"):
            bins += [Bin("s", name, split, measure, 100, 126, count - 1)] if count > 1 else []
            bins += [Bin("s", name, split, measure, 1000, 1259, 1)] if count else []
        facts[name, split] = {"examples": count, "documents": count, "references": count, "pairs": count + 3}
    listed = [{"name": name, "split": split, "paper": sizes or {}, "means": means or {}} for name, split, _, _ in tasks]
    params = {
        "title": "ZeroSCROLLS",
        "tasks": listed,
        "splits": {name: ["test", "train"] for name, _, _, _ in tasks},
        "paper": {"title": "Paper", "short": "P. et al.", "url": "https://arxiv.org/abs/2305.14196"},
        "run": {},
        **more,
    }
    return overview(params, rows, bins, facts)


def cells(page: str) -> str:
    """The page's text with a space wherever a tag stood."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


PLAIN = made([("qmsum", "test", 281, 10838.6), ("squality", "test", 260, 4971.2)], {"examples": 281, "words_in": 10839})


def hostile(text: str) -> Overview:
    paper = {"title": text, "short": text, "url": f"javascript:{text}"}
    return made([(text, text, 2, 100.0), ("x", "test", 0, 0.0)], {}, title=text, run={text: text}, paper=paper)


@pytest.mark.parametrize("page", [PLAIN.page, hostile(EVIL).page], ids=["plain", "hostile"])
def test_page_loads_nothing_and_runs_nothing(page: str) -> None:
    reader = Reader(page)
    assert not {"script", "img", "iframe", "link", "object", "embed", "base", "form", "use", "image"} & set(
        reader.elements
    )
    assert not [one for one in reader.attributes if one[1].startswith("on") or one[1] in LOADING]
    links = {value for tag, name, value in reader.attributes if name == "href" and not value.startswith("#")}
    assert links <= {"https://arxiv.org/abs/2305.14196"}
    assert "url(" not in page
    assert "@import" not in page


def test_hostile_names_break_out_of_page_or_picture() -> None:
    found = hostile(EVIL)
    assert Reader(found.page).wrong == []
    assert "<script>alert(1)</script>" in Reader(found.page).shown
    assert set(found.pictures) == {"lengths-in.svg", "lengths-out.svg", "spread.svg"}
    for svg in found.pictures.values():
        root = ElementTree.fromstring(svg)
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "style", "rect", "text", "tspan", "line", "g", "circle"}
        assert "<script>alert(1)</script>" in "".join(root.itertext())
        assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@settings(max_examples=12)
def test_some_text_makes_a_picture_that_is_no_xml(text: str) -> None:
    found = hostile(text)
    for svg in found.pictures.values():
        ElementTree.fromstring(svg)
    assert Reader(found.page).wrong == []


def test_numbers_and_differences_are_not_those_of_the_rows() -> None:
    shown = cells(PLAIN.page)
    assert "qmsum test 281 281 281 281 10,838.6 10,839 0.0 %" in shown
    assert "squality test 260 281 260 260 4,971.2 10,839 −54.1 %" in shown
    assert "281 of 284 outputs" in shown


def test_mean_over_all_splits_is_the_mean_of_means() -> None:
    tasks = [("qmsum", "train", 3, 100.0), ("qmsum", "test", 1, 200.0), ("other", "test", 2, 50.0)]
    shown = cells(made(tasks, means={"words_in": 100}).page)
    assert "qmsum all splits 4 125.0 100 +25.0 %" in shown
    assert "qmsum train 3 – 3 3 100.0 – – 100.0 – –" in shown, "a split is not held against all of them"
    assert "other all splits – – 100 –" in shown
    assert "all splits" not in Reader(made(tasks[1:]).page).shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0, "0.0 %"),
        (-0.04, "0.0 %"),
        (0.04, "0.0 %"),
        (-0.06, "−0.1 %"),
        (12.34, "+12.3 %"),
        (-10.0, "−10.0 %"),
    ],
)
def test_a_difference_of_nothing_has_a_sign(value: float | None, text: str) -> None:
    assert percent(value) == text


def test_bars_are_of_other_heights_than_counts_or_lines_elsewhere() -> None:
    bins = [Bin("s", "t", "test", "words_in", 100, 126, 4), Bin("s", "t", "test", "words_in", 1000, 1259, 1)]
    panel = Panel("t", distribution("t", "test", "words_in", 5, 500.0), bins, 1259.0, "inputs")
    root = ElementTree.fromstring(f"<g>{''.join(panel_body(panel, shared_axis([panel])))}</g>")
    bars = list(root.iter("rect"))
    assert [float(bar.attrib["height"]) for bar in bars] == [90, 22.5]
    lines = {line.attrib["class"]: float(line.attrib["x1"]) for line in root.iter("line")}
    assert (float(bars[0].attrib["x"]), lines["published"]) == (10.0, 290.0), "the axis ends at lowest and highest"
    assert float(bars[0].attrib["x"]) < lines["here"] < float(bars[1].attrib["x"])


def test_axis_labels_are_too_few_or_run_together() -> None:
    assert axis(900, 20_000, 0, 100).ticks() == [1000, 2000, 5000, 10_000, 20_000]
    assert axis(0, 500, 0, 100).ticks() == [1, 10, 100]
    assert [short(tick) for tick in (1, 500, 1000, 20_000, 10**6)] == ["1", "500", "1k", "20k", "1M"]
    flat = axis(7, 7, 0, 100)
    assert 0 <= flat.at(0) <= flat.at(7) <= flat.at(10**9) <= 100


def test_a_task_without_inputs_is_a_crash_or_an_empty_panel() -> None:
    found = made([("qasper", "test", 0, 0.0)], {"examples": 500, "words_in": 3531})
    assert "qasper test 0 500 0 0 – 3,531 –" in cells(found.page)
    assert found.pictures == {}
    assert "Nothing was built." in Reader(made([]).page).shown


def test_pictures_have_no_title_or_no_words_for_what_they_show() -> None:
    for svg in PLAIN.pictures.values():
        root = ElementTree.fromstring(svg)
        kinds = {element.tag.rpartition("}")[2]: element.text or "" for element in root}
        assert kinds["title"]
        assert "qmsum: 281" in kinds["desc"]
        assert "prefers-color-scheme: dark" in kinds["style"]
    assert "median 10,839, mean 10,838.6; mean in the paper 10,839" in PLAIN.pictures["lengths-in.svg"]


def test_pictures_alone_have_other_colours_than_the_page() -> None:
    for colours in COLOURS.split(";"):
        name, _, value = colours.rpartition("--")[2].partition(":")
        if value.strip().startswith("#"):
            assert f"--{name}: {value.strip()};" in styles("pages.css")


def test_equal_rows_give_other_bytes() -> None:
    again = made(
        [("qmsum", "test", 281, 10838.6), ("squality", "test", 260, 4971.2)], {"examples": 281, "words_in": 10839}
    )
    assert again == PLAIN
