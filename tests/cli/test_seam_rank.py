"""`scrollwork seam rank`: the contract of its JSON, what people see, and what bad files are told."""

from __future__ import annotations

import json
import math
import random
import shlex
from pathlib import Path
from typing import Any

import pytest

from scrollwork.cli.groups import GROUPS
from scrollwork.cli.main import parser
from tests.analysis.seam_vectors import SAMPLES

Row = dict[str, Any]


def runs(dataset: str, **models: Any) -> list[Row]:
    """Rows of runs; None for NA."""
    return [
        {"model": model, "dataset": dataset, "run": run, "score": score}
        for model, scores in models.items()
        for run, score in enumerate(scores or [None])
    ]


def file(path: Path, rows: list[Row], end: str = "\n") -> str:
    """The rows as JSON Lines."""
    path.write_bytes("".join(json.dumps(row) + end for row in rows).encode())
    return str(path)


@pytest.fixture
def ranked(call, tmp_path):
    """The JSON document for rows."""

    def ranked(rows: list[Row], *more: str) -> Any:
        status, out, err = call("seam", "rank", "--scores", file(tmp_path / "scores.jsonl", rows), "--json", *more)
        assert status == 0, err
        return json.loads(out, parse_constant=pytest.fail)

    return ranked


VECTORS = runs("news", **SAMPLES)


@pytest.mark.parametrize(("group", "name"), [(group, name) for group in GROUPS for name in GROUPS[group]])
def test_a_command_of_a_group_has_no_help_or_an_example_that_is_refused(call, group, name):
    status, out, _ = call(group, name, "--help")
    assert status == 0
    _, _, example = " ".join(out.split()).partition("example: ")
    program, *arguments = shlex.split(example)
    assert program == "scrollwork"
    parsed = parser(arguments).parse_args(arguments)
    assert (parsed.command, parsed.subcommand) == (group, name)
    assert "--json" in out


def test_json_is_not_the_contract(ranked):
    document = ranked([*VECTORS, *runs("wiki", A=[1, 3], B=None, C=[0.1, 0.2], D=[1, 3])])
    assert list(document) == ["models", "dominance"]
    assert {tuple(row) for row in document["models"]} == {("model", "ar", "arsd", "ranks", "means", "stds")}
    assert {tuple(row) for row in document["dominance"]} == {
        ("dataset", "better", "worse", "eps", "eps_min", "arrow"),
    }
    by_name = {row["model"]: row for row in document["models"]}
    assert [row["model"] for row in document["models"]] == ["A", "D", "B", "C"]
    assert by_name["A"]["ranks"] == {"news": 1, "wiki": 1.5}
    assert by_name["A"]["ar"] == 1.25
    assert by_name["A"]["arsd"] == pytest.approx((0.030473 + 0.5) / 2, abs=5e-7)
    assert by_name["B"] == {
        "model": "B",
        "ar": 3.5,
        "arsd": pytest.approx(0.030436, abs=5e-7),
        "ranks": {"news": 3, "wiki": 4},
        "means": {"news": pytest.approx(21.01), "wiki": None},
        "stds": {"news": pytest.approx(0.639453, abs=5e-7), "wiki": None},
    }
    assert [(row["dataset"], row["better"], row["worse"], row["arrow"]) for row in document["dominance"]] == [
        ("news", "A", "D", 0.98),
        ("news", "D", "B", 0.74),
        ("news", "B", "C", 1.0),
        ("wiki", "A", "D", 0.5),
        ("wiki", "D", "C", 1.0),
    ]
    assert document["dominance"][0]["eps"] == pytest.approx(1 / 51)
    assert document["dominance"][1]["eps_min"] == pytest.approx(0.2629, abs=0.002)
    assert document["dominance"][3]["eps"] == 0.5


def test_two_calls_or_another_order_of_rows_differ(ranked):
    rows = [*VECTORS, *runs("wiki", A=[1, 3], C=[2, 2.5], B=[0.1, 0.9])]
    wanted = ranked(rows, "--detail")
    assert ranked(rows, "--detail") == wanted
    random.Random(3).shuffle(rows)
    assert ranked(rows, "--detail") == wanted


def test_means_and_deviations_are_not_ranked(call, tmp_path):
    rows = [
        {"model": model, "dataset": "x", "mean": mean, "std": std}
        for model, mean, std in [("a", 5, 0.5), ("b", 4, 0.2), ("c", 4, 0.4), ("d", 1, 0), ("e", None, None)]
    ]
    status, out, err = call("seam", "rank", "--scores", file(tmp_path / "s.jsonl", rows), "--json")
    document = json.loads(out)
    assert status == 0
    assert {row["model"]: (row["ar"], row["arsd"]) for row in document["models"]} == {
        "a": (1, 0.1),
        "b": (2.5, 0.05),
        "c": (2.5, 0.1),
        "d": (4, 0),
        "e": (5, None),
    }
    assert document["dominance"] == []
    assert "no dominance without two runs of both: a over b on x, b over c on x, c over d on x" in err


def test_detail_is_lost(ranked):
    rows = [*VECTORS, *({**row, "vary": "shots"} for row in runs("news", A=[20, 22, 24]))]
    document = ranked(rows, "--detail")
    beside = ["robustness", "dataset_arsd", "stability", "variance", "dominance_official"]
    assert list(document) == ["models", "dominance", *beside]
    first = document["robustness"][0]
    assert (first["model"], first["minima"], first["maxima"]) == ("A", {"news": 20.1}, {"news": 22.3})
    assert first["ar_interval"][0] <= 1 <= first["ar_interval"][1]
    assert sum(row["best"] for row in document["robustness"]) == pytest.approx(1)
    assert [point["runs"] for point in document["stability"]["curve"]][-1] == 100
    (part,) = document["variance"]
    assert (part["model"], part["dataset"], part["sources"][0]["variance"]) == ("A", "news", 4)
    assert part["total"] == pytest.approx(0.683211**2, abs=5e-6)
    assert ranked(rows)["models"] == ranked(VECTORS)["models"], "an experiment is not ranked"


def test_official_grid_is_not_shown(ranked, call, tmp_path):
    """Fact sheet seam.md 8.5: A over D and D over B."""
    exact, grid = (ranked(VECTORS, "--detail")[name] for name in ("dominance", "dominance_official"))
    assert [(row["better"], row["worse"]) for row in grid] == [("A", "D"), ("D", "B"), ("B", "C")]
    assert [row["eps"] for row in exact] == pytest.approx([1 / 51, 17 / 66, 0])
    assert [row["eps"] for row in grid] == pytest.approx([0.020237, 0.256881, 0], abs=5e-7)
    assert [row["eps_min"] for row in grid] == pytest.approx([0.0224, 0.2629, 0], abs=2e-3)
    out = call("seam", "rank", "--detail", "--scores", file(tmp_path / "s.jsonl", VECTORS))[1]
    assert "0.0202" in out
    assert "grid of 200 points" in out


def test_people_see_markup_escapes_or_another_table(call, tmp_path):
    rows = runs("[red]news", **{"\x1b[2J[b]A": [20.0, 21.0, 22.0], "B": [19.0, 19.4, 18.2], "C": None})
    status, out, err = call("seam", "rank", "--detail", "--scores", file(tmp_path / "s.jsonl", rows))
    assert (status, err) == (0, "")
    assert "\x1b" not in out
    assert "[b]A" in out
    assert "[red]news" in out
    assert "21.0 ± 0.8" in out
    assert "NA" in out


def test_what_was_left_out_is_not_said(call, tmp_path):
    rows = [*runs("x", a=[1, None, 3], b=[1, 2]), *runs("y", a=[1, 2]), {**runs("y", c=[1])[0], "when\x1b": 3}]
    status, _, err = call("seam", "rank", "--json", "--scores", file(tmp_path / "s.jsonl", rows))
    assert status == 0
    assert err.splitlines() == [
        "ignored fields: when\\x1b",
        "left out: 1 run(s) of a on x without a score",
        "no row, so NA: c on x, b on y",
        "no dominance without two runs of both: a over c on y",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_and_line_ends_of_other_systems_are_refused(call, tmp_path, end):
    path = Path(file(tmp_path / "s.jsonl", VECTORS, end))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + end.encode())
    status, out, _ = call("seam", "rank", "--json", "--scores", str(path))
    assert status == 0
    assert len(json.loads(out)["models"]) == 4


LINE = b'{"model": "m", "dataset": "x", "run": 0, "score": 1}\n'
BAD = [
    (b"", "there is no row to rank"),
    (b"\n\n", "there is no row to rank"),
    (LINE + b"[1]\n", "line 2: not a JSON object but a list"),
    (LINE + b"\n" + LINE, "line 2: not a JSON object: it is empty"),
    (LINE + LINE, 'line 2: field "run": run 0 of "m" on "x" is in line 1 too'),
    (LINE.replace(b"1}", b"NaN}"), 'line 1: field "score" is not finite'),
    (LINE.replace(b"1}", b"1e999}"), 'line 1: field "score" is not finite'),
    (LINE.replace(b"1}", b"1" * 5000 + b"}"), "line 1: not a JSON object: "),
    (LINE.replace(b"1}", b"1" * 500 + b"}"), 'line 1: field "score" is beyond'),
    (LINE.replace(b"}", b', "score": 2}'), 'line 1: not a JSON object: field "score" occurs twice'),
    (b"\xff" + LINE, "line 1: not UTF-8"),
    (LINE + b'{"model": "m", "dataset": "x", "mean": 1, "std": 0}', 'line 2: field "mean": line 1 gives runs of'),
    (b"[" * 100_000, "line 1: not a JSON object: "),
]


@pytest.mark.parametrize(("data", "said"), BAD)
def test_a_bad_file_is_ranked_or_not_named(call, tmp_path, data, said):
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    status, out, err = call("seam", "rank", "--json", "--scores", str(path))
    assert status == 1
    assert f"{path}, {said}" in err
    assert f"{path}, {said}" in json.loads(out)["error"]
    assert "Traceback" not in err


WRONG = [
    (("seam",), ["rank"]),
    (("seam", "rank"), ["--scores"]),
    (("seam", "sort"), ["'sort'", "rank"]),
    (("seam", "rank", "--scores", "none.jsonl"), ["--scores none.jsonl", "No such file"]),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_a_wrong_call_is_not_told_what_would_be_right(call, arguments, said):
    status, _, err = call(*arguments)
    assert status == 2
    for part in said:
        assert part in err


def test_scores_of_any_size_give_what_is_no_json(ranked):
    document = ranked([*runs("x", a=[1e100, -1e100], b=[5e-324, 0], c=[1e-300, 0], d=[0, 0], e=[-3, 1])], "--detail")
    assert all(math.isfinite(row["ar"]) for row in document["models"])
    assert len(document["dominance"]) == 4
