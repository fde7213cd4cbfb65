"""Submission files of other systems: what is read, what is refused, and how it is named."""

import gzip
import io
import json
import time

import pytest

from scrollwork.scoring.files.submissions import SubmissionError, predictions

HEADER = "Task,ID,Prediction\r\n"


def read(data, task=""):
    """(task, id, text) of a file's bytes or text."""
    raw = data if isinstance(data, bytes) else data.encode()
    return [(row.task, row.id, row.text) for row in predictions(io.BytesIO(raw), task)]


def test_csv_cell_loses_what_a_prediction_may_hold():
    text = HEADER + 'quality,a,NA\r\nquality,b,""\r\nqasper,a,"one\ntwo, ""three""\r\nfour\u2028"\r\n'
    found = [("quality", "a", "NA"), ("quality", "b", ""), ("qasper", "a", 'one\ntwo, "three"\r\nfour\u2028')]
    assert read(text) == found
    assert read("\ufeff" + text) == found
    assert read("Task,ID,Prediction\nquality,a,NA\n") == found[:1]


def test_columns_in_another_order_are_mixed_up():
    assert read("ID,Prediction,Task\nx,y,z\n") == [("z", "x", "y")]


def test_long_answer_is_cut_at_the_limit_of_csv():
    answer = "long " * 100_000
    assert read(f"{HEADER}squality,a,{answer}\n") == [("squality", "a", answer)]


@pytest.mark.parametrize(
    ("data", "task", "message"),
    [
        (b"", "", "line 1: the columns are none; a submission is"),
        (b"Task,ID\nx,y\n", "", 'line 1: the columns are "Task", "ID"; a submission is'),
        (b"Task,ID,Prediction,Score\n", "", "line 1: the columns are"),
        (HEADER.encode() + b"quality,a\n", "", "line 2: has 2 cells, not 3"),
        (HEADER.encode() + b"quality,a,b,c\n", "", "line 2: has 4 cells, not 3"),
        (HEADER.encode() + b'quality,a,"b\nquality,b,c\n', "", "line 3: is not CSV: unexpected end of data"),
        (HEADER.encode() + b"quality,a,b\nquality,b,\xff\n", "", "line 3: is not UTF-8: .* at byte 11"),
        (HEADER.encode() + b"quality,a,b\n\nquality,a,b\n", "", 'line 4: quality, id "a" has .* already, at line 2'),
        (b'{"a": "b"', "", "line 1: is not one JSON object"),
        (
            b'{"a": "b"}\n{"a": "b"}',
            "quality",
            "line 2: is not one JSON object: holds more than one JSON value.*score leval",
        ),
        (b'[{"a": "b"}]', "", "must be an object, is a list"),
        (b'{"a": "b"}', "", "its name does not say which: name it with --task"),
        (b'{"a": "b", "c": 7}', "quality", 'quality, id "c": the prediction must be a string, not a number'),
        (b'{"quality": {"c": null}}', "", 'quality, id "c": the prediction must be a string, not null'),
        (b'{"quality": {"c": {}}, "x": {}}', "", 'quality, id "c": the prediction must be a string, not an object'),
        (b'{"a": "b", "c": {}}', "quality", 'quality, id "c": the prediction must be a string, not an object'),
        (b'{"a": "b", "a": "b"}', "quality", '^quality, id "a" has a prediction already$'),
        (b'{"quality": {"a": "b"}, "quality": {"a": "c"}}', "", 'quality, id "a" has a prediction already'),
        (b'{"a": "\xff"}', "quality", "is not UTF-8: .* at byte 7"),
        (b'{"a": ' + b"[" * 100_000, "quality", "is not JSON: "),
        (gzip.compress(HEADER.encode(), mtime=0), "", "is packed with gzip: unpack it"),
        (HEADER.encode("utf-16"), "", "is UTF-16: save it as UTF-8"),
        (b"\n\nTask,ID\n", "", "line 3: the columns are"),
    ],
)
def test_what_is_no_submission_is_not_named(data, task, message):
    with pytest.raises(SubmissionError, match=message):
        read(data, task)


def test_empty_lines_before_the_columns_are_the_columns():
    assert read(f"\n\r\n{HEADER}quality,a,b\n") == [("quality", "a", "b")]


def test_json_of_one_task_and_of_several_are_taken_for_each_other():
    answers = {"a": "NA", "b": ""}
    one = [("quality", "a", "NA"), ("quality", "b", "")]
    assert read(json.dumps(answers), "quality") == one
    assert read("\ufeff" + json.dumps(answers, indent=1).replace("\n", "\r\n"), "quality") == one
    assert read(json.dumps({"quality": answers, "qasper": {"a": "x"}})) == [*one, ("qasper", "a", "x")]
    assert read("{}", "quality") == []


def test_lone_surrogate_reaches_parquet():
    assert read('{"a": "x\\ud800y"}', "quality") == [("quality", "a", "x?y")]


def test_ten_thousand_rows_take_seconds():
    began = time.process_time()
    assert len(read(HEADER + "".join(f"quality,{k},{'word ' * 100}\n" for k in range(10_000)))) == 10_000
    assert time.process_time() - began < 5
