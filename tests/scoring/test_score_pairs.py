"""Pairs files: what is read, what is refused, and how it is named."""

import io
import json

import pytest

from scrollwork.scoring.files.pairs import PairError, read_pairs, score_pairs
from scrollwork.scoring.reading.parsing import first_line
from scrollwork.scoring.registry import metric

ROW = {"id": "q1", "prediction": "Paris", "references": ["Paris", "Lyon"]}


def test_pairs_are_not_scored_as_by_hand():
    rows = [
        ROW,
        {"id": "q2", "prediction": "It is in Paris, France.", "references": ["Paris"], "options": ["x"]},
    ]
    assert score_pairs(metric("f1"), rows) == {
        "metric": "f1",
        "n": 2,
        "value": pytest.approx((100 + 100 / 3) / 2),
        "components": {"f1": pytest.approx((100 + 100 / 3) / 2)},
        "per_instance": [
            {"id": "q1", "value": 100.0, "components": {"f1": 100.0}},
            {"id": "q2", "value": pytest.approx(100 / 3), "components": {"f1": pytest.approx(100 / 3)}},
        ],
    }


def test_task_value_of_rouge_is_the_mean_of_instances():
    rows = [
        {
            "id": "R1",
            "prediction": "The cat sat on the mat.",
            "references": ["The cat was sitting on the mat."],
        },
        {"id": "R7", "prediction": "cat", "references": ["cat"]},
    ]
    result = score_pairs(metric("rouge_geo"), rows)
    assert result["value"] == pytest.approx(59.7603, abs=5e-5)
    assert result["components"]["per_instance_mean"] == pytest.approx(34.2974, abs=5e-5)
    assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": None}, 'row 1: field "id" must be a string, not null'),
        ({"id": 7}, 'row 1: field "id" must be a string, not a number'),
        ({"prediction": ["x"]}, 'row 1: field "prediction" must be a string, not a list'),
        ({"references": "Paris"}, 'row 1: field "references" must be a list of strings, not a string'),
        ({"references": []}, 'row 1: field "references" is empty'),
        ({"references": ["x", True]}, 'row 1: field "references" must hold strings only, not true or false'),
        ({"options": {}}, 'row 1: field "options" must be a list of strings, not an object'),
    ],
)
def test_row_with_a_bad_field_is_scored(change, message):
    with pytest.raises(PairError, match=message):
        score_pairs(metric("f1"), [{**ROW, **change}])


@pytest.mark.parametrize("field", ["id", "prediction", "references"])
def test_row_without_a_field_is_scored(field):
    rows = [ROW, {name: value for name, value in ROW.items() if name != field}]
    with pytest.raises(PairError, match=f'row 2: field "{field}" is missing'):
        score_pairs(metric("f1"), rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, 'row 2: field "options" is missing'),
        ({"options": []}, 'row 2: field "options" is empty'),
        ({"options": "x"}, 'row 2: field "options" must be a list of strings, not a string'),
    ],
)
def test_metric_that_needs_options_scores_without(change, message):
    whole = {"id": "q0", "prediction": "location", "references": ["location"], "options": ["location"]}
    with pytest.raises(PairError, match=message):
        score_pairs(metric("longbench_classification"), [whole, {**ROW, **change}])
    assert score_pairs(metric("longbench_classification"), [whole])["value"] == 100.0


def test_duplicate_id_is_counted_twice():
    with pytest.raises(PairError, match='row 2: field "id": "q1" is in an earlier row too'):
        score_pairs(metric("f1"), [ROW, ROW])


def test_gold_that_cannot_be_scored_does_not_name_its_row():
    with pytest.raises(PairError, match=r'row 1: field "references" of id "q1": .* holds no percentage'):
        score_pairs(metric("es"), [ROW])


def test_no_pair_scores_zero():
    with pytest.raises(PairError, match="there is no row"):
        score_pairs(metric("f1"), [])


def test_row_that_is_no_object_is_scored():
    with pytest.raises(PairError, match="row 1: not an object but a list"):
        score_pairs(metric("f1"), [[]])


@pytest.mark.parametrize(
    ("prediction", "kept"),
    [
        ("\n\nParis\nis a city", "Paris"),
        ("Paris\r\nis", "Paris\r"),
        ("\r\nParis\r\nis", "\r"),  # as LongBench's code: lstrip("\n").split("\n")[0]
        ("Paris", "Paris"),
        ("", ""),
        ("\n", ""),
        ("Par\u2028is\nx", "Par\u2028is"),
    ],
)
def test_first_line_is_cut_elsewhere(prediction, kept):
    assert first_line(prediction) == kept


def test_first_line_is_kept_without_being_asked_for():
    row = {**ROW, "prediction": "\nParis\nis a city"}
    assert score_pairs(metric("em"), [row])["value"] == 0.0
    assert score_pairs(metric("em"), [row], first_line=True)["value"] == 100.0


def test_options_of_null_refuse_a_pair_that_needs_none():
    row = {**ROW, "options": None}
    assert score_pairs(metric("em"), [row]) == score_pairs(metric("em"), [ROW])
    with pytest.raises(PairError, match='row 1: field "options" must be a list of strings, not null'):
        score_pairs(metric("longbench_classification"), [row])


def test_unicode_line_separator_breaks_a_row():
    row = {**ROW, "prediction": "a\u2028b\u2029c\u0085d"}
    line = json.dumps(row, ensure_ascii=False)
    assert list(read_pairs(f"{line}\n{line}\n".encode())) == [row, row]
    assert list(read_pairs(io.BytesIO(f"{line}\n{line}".encode()))) == [row, row]


@pytest.mark.parametrize("opened", [bytes, io.BytesIO])
def test_byte_order_mark_and_crlf_break_a_row(opened):
    text = "\ufeff" + json.dumps(ROW) + "\r\n" + json.dumps(ROW) + "\r\n\r\n\n"
    assert list(read_pairs(opened(text.encode()))) == [ROW, ROW]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not a JSON object: Expecting"),
        ("", "line 2: not a JSON object: it is empty"),
        ("[1]", "line 2: not a JSON object but a list"),
        ('{"id": ' + "9" * 5000 + "}", "line 2: not a JSON object: "),
        ("[" * 200_000, "line 2: not a JSON object: "),
        ('{"id": "q", "id": "r"}', 'line 2: not a JSON object: field "id" occurs twice'),
    ],
)
def test_line_that_cannot_be_read_is_not_named(line, message):
    good = json.dumps(ROW)
    with pytest.raises(PairError, match=message):
        list(read_pairs(f"{good}\n{line}\n{good}\n".encode()))


def test_line_that_is_not_utf8_is_not_named():
    with pytest.raises(PairError, match=r"line 2: not UTF-8: .* at byte 3"):
        list(read_pairs(b"{}\n{}\xff\n"))


def test_empty_file_is_a_row():
    assert list(read_pairs(b"")) == list(read_pairs(b"\n\n")) == list(read_pairs(io.BytesIO(b"\r\n"))) == []
