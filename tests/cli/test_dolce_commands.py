"""`scrollwork dolce fit | probability | compare | design`: the contract of their JSON, bad input, what people see."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from scrollwork.cli.dolce.tables import show_needs
from tests.analysis.dolce.dolce_vectors import LENGTHS, NOISE, QUALITY, observations

Row = dict[str, Any]


def file(path: Path, rows: list[Row]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def fitted(call, tmp_path):
    """The tasks of the JSON document for rows."""

    def fitted(rows: list[Row], *more: str) -> Any:
        status, out, err = call("dolce", "fit", "--observations", file(tmp_path / "o.jsonl", rows), "--json", *more)
        assert status == 0, err
        document = json.loads(out, parse_constant=pytest.fail)
        assert list(document) == ["tasks"]
        return document["tasks"]

    return fitted


def published() -> list[Row]:
    """The four problems of QuALITY."""
    return [
        {"task": "quality", "problem": name, "units": units, "length": length, "outcome": outcome, "count": count}
        for name, (units, rows) in QUALITY.items()
        for length, row in zip([*LENGTHS, units], rows, strict=True)
        for outcome, count in zip(("1", "0", "idk"), row, strict=True)
        if count
    ]


def test_json_is_not_the_contract(fitted):
    (task,) = fitted(observations())
    assert {"task", "scenario", "noise", "shares", "problems"} <= set(task)
    assert (task["task"], task["scenario"]) == ("t", "cow")
    assert task["noise"] == pytest.approx([0.803339, 0.190583, 0.006078], abs=5e-6)
    assert task["paper_shares"] == pytest.approx({"I": 1 / 3, "II": 1 / 3, "III": 0, "IV": 0, "V": 1 / 3})
    assert [(one["problem"], one["lambda"], one["k"], one["category"]) for one in task["problems"]] == [
        ("A", 2, 5, "II"),
        ("B", 0, 0, "I"),
        ("D", 10, 1, "V"),
    ]
    for one in task["problems"]:
        assert {"weight", "probabilities", "undecided"} <= set(one)
        assert list(one["probabilities"]) == ["I", "II", "III", "IV", "V"]
        assert sum(one["probabilities"].values()) == pytest.approx(1)
        assert one["undecided"] is (one["probabilities"][one["category"]] < 0.8)
    assert [one["weight"] for one in task["problems"]] == pytest.approx([0.867856, 0.740605, 0.950700], abs=5e-6)


def never_solved(solved: bool = False) -> list[Row]:
    """20 problems that no window solves: a tenth is wrong, the rest declined; with 20 more that the whole context
    alone solves, so that what is wrong is no noise of the task."""
    rows = [
        {"task": "t", "problem": f"{kind} {number}", "units": 100, "length": length, "outcome": outcome, "count": count}
        for number in range(20)
        for kind in ("never", "whole")[: 1 + solved]
        for length, many in ((0, 1), (1, 40), (2, 40), (5, 40), (10, 40), (20, 40), (50, 40), (100, 1))
        for outcome, count in (
            (("1" if length == 100 else "idk", many),)
            if kind == "whole"
            else (("0", many // 10), ("idk", many - many // 10))
        )
    ]
    return [row for row in rows if row["count"]]


def test_problems_that_no_window_solves_are_holistic_and_no_word_more(fitted, call, tmp_path):
    rows = never_solved(solved=True)
    (task,) = fitted(rows)
    found = {one["problem"]: one for one in task["problems"]}
    assert {(found[f"never {n}"]["category"], found[f"never {n}"]["undecided"]) for n in range(20)} == {("V", False)}
    assert {found[f"never {n}"]["solved"] for n in range(20)} == {False}
    assert {found[f"whole {n}"]["solved"] for n in range(20)} == {True}
    assert task["holistic"]["unsolved"] == 0.5
    assert sum(task["holistic"].values()) == pytest.approx(task["shares"]["V"])
    assert sum(task["shares"].values()) == pytest.approx(1)
    assert task["paper_shares"]["V"] >= 0.5, "as the paper counts"
    _, out, _ = call("dolce", "fit", "--observations", file(tmp_path / "o.jsonl", rows))
    assert "V unsolved" in out


@pytest.mark.parametrize("said", ["0", "idk"])
def test_task_without_a_right_answer_is_all_retrieval_or_needs_no_context(fitted, call, tmp_path, said):
    rows = [
        {**ONE, "problem": str(number), "units": 100, "length": length, "outcome": said, "count": 1 + length // 3}
        for number in range(20)
        for length in (0, 1, 2, 5, 10, 20, 50, 100)
    ]
    (task,) = fitted(rows)
    assert task["shares"] == {"I": 0, "II": 0, "III": 0, "IV": 0, "V": 0, "undecided": 1}
    assert max(task["paper_shares"].values()) == 1
    _, out, _ = call("dolce", "fit", "--observations", file(tmp_path / "o.jsonl", rows))
    (line,) = (line for line in out.splitlines() if " cow " in line)
    assert "100 (" not in line
    assert line.count(" 100 ") == 1


def test_published_problems_come_out_otherwise(fitted):
    (task,) = fitted(published(), "--fixed-noise", "0.01,0.05,0.94")
    assert {one["problem"]: (one["lambda"], one["k"]) for one in task["problems"]} == {
        "II": (1, 100),
        "III": (1, 1),
        "IV": (50, 1),
        "V": (408, 1),
    }
    assert [one["category"] for one in task["problems"]] == [one["problem"] for one in task["problems"]]
    assert [one["weight"] for one in task["problems"]] == pytest.approx([0.963, 0.589, 0.591, 0.628], abs=0.005)
    assert task["noise"] == pytest.approx(NOISE)


def test_tables_of_a_problem_differ_from_the_papers(fitted):
    (task,) = fitted(
        [row for row in published() if row["problem"] == "IV"], "--fixed-noise", "0.01,0.05,0.94", "--detail"
    )
    rows = {row["length"]: row for row in task["problems"][0]["lengths"]}
    assert list(rows) == [*LENGTHS, 381]
    assert (rows[20]["windows"], rows[100]["windows"]) == (362, 282)
    assert rows[100]["observed"] == pytest.approx([14 / 282, 0, 268 / 282])
    assert rows[100]["oracle"] == pytest.approx([0.153614, 0, 0.846386], abs=5e-7)
    assert rows[50]["oracle"][0] == pytest.approx(0.003012, abs=5e-7)
    assert rows[100]["posterior"][0] == pytest.approx(0.96, abs=0.03)
    assert rows[381]["oracle"] == [1, 0, 0]
    for row in rows.values():
        assert sum(row["fitted"]) == pytest.approx(1)


def graded(shift: float = 0.0) -> list[Row]:
    """One problem that the whole context helps, one that nothing helps, one that needs nothing."""
    values = {"some": (0.05, 0.3, 0.95), "none": (0.02, 0.02, 0.02), "all": (0.99, 0.99, 0.99)}
    return [
        {
            "task": "sums",
            "problem": name,
            "units": 20,
            "length": length,
            "score": round(min(1.0, score + shift), 3),
            "count": 5,
        }
        for name, scores in values.items()
        for length, score in zip((0, 5, 20), scores, strict=True)
    ]


def heaps(two: int, single: int) -> list[Row]:
    """Graded problems whose scores are of two heaps, then of one."""
    drawn = random.Random(5)
    return [
        {"task": "g", "problem": f"{number}", "units": 40, "length": length, "score": round(score, 4)}
        for number in range(two + single)
        for length in (0, 5, 10, 40)
        for _ in range(12)
        for score in [drawn.choice((0.02, 0.95)) + 0.05 * drawn.random() if number < two else drawn.betavariate(5, 5)]
    ]


@pytest.mark.slow
def test_scenario_is_chosen_by_a_dip_that_nothing_tells(fitted, call, tmp_path):
    few = heaps(3, 1)
    tasks = fitted(heaps(12, 13))
    assert [(task["scenario"], len(task["problems"])) for task in tasks] == [("cow", 12), ("pig", 13)]
    for task in tasks:
        for one in task["problems"]:
            assert set(one["dip"]) == {"dip", "p"}
            assert (one["dip"]["p"] < 0.5) == (task["scenario"] == "cow")
            assert 1 / 96 <= one["dip"]["dip"] <= 0.25
    (task,) = fitted(few)
    assert [one["dip"]["p"] < 0.5 for one in task["problems"]] == [True, True, True, False], "all go with the majority"
    assert {one["dip"] for one in fitted(few, "--scenario", "pig")[0]["problems"]} == {None}, "nothing was tested"
    assert {one["dip"] for one in fitted(observations())[0]["problems"]} == {None}, "COW by rule"
    for scenario, rows in (("cow", few), ("pig", heaps(1, 2))):
        _, out, _ = call("dolce", "fit", "--observations", file(tmp_path / "o.jsonl", rows))
        assert (out.count("p of dip"), f" {scenario} " in out) == (1, True)
    _, out, _ = call("dolce", "fit", "--observations", file(tmp_path / "o.jsonl", observations()))
    assert "p of dip" not in out


def test_infinite_lambda_is_no_text_or_pig_has_noise(fitted):
    (task,) = fitted(graded(), "--scenario", "pig")
    assert (task["scenario"], task["noise"]) == ("pig", None)
    by_name = {one["problem"]: one for one in task["problems"]}
    assert (by_name["none"]["lambda"], by_name["none"]["k"], by_name["none"]["category"]) == ("inf", 1, "V")
    assert (by_name["all"]["lambda"], by_name["all"]["category"]) == (0, "I")
    for options in (("--atoms",), ("--one-weight",), ("--equal-lengths",), ("--detail",)):
        fitted(graded(), "--scenario", "pig", *options)


def test_options_change_nothing(fitted):
    rows = published()
    plain = fitted(rows)
    for option in (
        ("--free-one",),
        ("--multiplicative",),
        ("--bootstrap", "5"),
        ("--equal-lengths",),
        ("--passes", "3"),
        ("--thresholds", "1,2"),
    ):
        assert fitted(rows, *option) != plain, option
    assert fitted(graded(), "--scenario", "cow", "--tau", "0.01") != fitted(graded(), "--scenario", "cow")


def test_a_multiplicative_mixture_is_tabled_as_a_sum(fitted, call, tmp_path):
    rows = published()
    (task,) = fitted(rows, "--fixed-noise", "0.01,0.05,0.94", "--multiplicative", "--detail")
    assert task["multiplicative"] is True
    assert {one["problem"]: one["category"] for one in task["problems"]}["II"] == "II"
    for one in task["problems"]:
        for row in one["lengths"]:
            both = [
                max(o, 1e-4) ** one["weight"] * max(b, 1e-4) ** (1 - one["weight"])
                for o, b in zip(row["oracle"], NOISE, strict=True)
            ]
            assert row["fitted"] == pytest.approx([x / sum(both) for x in both])
            assert row["posterior"] is None
    status, out, _ = call(
        "dolce", "fit", "--observations", file(tmp_path / "o.jsonl", rows), "--multiplicative", "--detail"
    )
    assert (status, "posterior" in out) == (0, True)
    (task,) = fitted(graded(), "--scenario", "pig", "--multiplicative")
    assert task["multiplicative"] is False


def test_two_calls_or_another_order_of_rows_differ(fitted):
    rows = published()
    wanted = fitted(rows, "--fixed-noise", "0.01,0.05,0.94")
    assert fitted(rows, "--fixed-noise", "0.01,0.05,0.94") == wanted
    random.Random(3).shuffle(rows)
    other = fitted(rows, "--fixed-noise", "0.01,0.05,0.94")
    for one, two in zip(
        *(sorted(tasks[0]["problems"], key=lambda p: p["problem"]) for tasks in (wanted, other)), strict=True
    ):
        assert two["weight"] == pytest.approx(one["weight"])
        assert (two["lambda"], two["k"], two["category"]) == (one["lambda"], one["k"], one["category"])


ONE = {"task": "t", "problem": "p", "units": 30, "length": 5, "outcome": "1"}
DEFINED = {
    "one window only": [ONE],
    "C = 1": [{**ONE, "units": 1, "length": length} for length in (0, 1)],
    "no l = 0": [ONE, {**ONE, "length": 30}],
    "all IDK": [{**ONE, "length": length, "outcome": "idk"} for length in (0, 5, 30)],
    "all right": [{**ONE, "length": length} for length in (0, 5, 30)],
    "all wrong": [{**ONE, "length": length, "outcome": "0"} for length in (0, 5, 30)],
    "constant scores": [{**ONE, "outcome": None, "score": 0.4, "length": length} for length in (0, 5, 30)],
    "windows that stand twice": [ONE, ONE, ONE],
    "other ways of writing": [
        {**ONE, "outcome": 1, "count": 2.0, "problem": 7},
        {**ONE, "outcome": "IDK", "problem": 7},
    ],
    "5,000 units": [{**ONE, "units": 5000, "length": length, "count": 3} for length in (0, 1, 200, 5000)],
    "a million windows": [{**ONE, "count": 10**6}, {**ONE, "length": 30, "outcome": "0", "count": 10**6}],
    "outcomes and scores": [ONE, {**ONE, "outcome": None, "score": 0.4}],
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scenario", ["auto", "cow", "pig"])
@pytest.mark.parametrize("name", DEFINED)
def test_a_degenerate_problem_has_no_result(fitted, name, scenario):
    (task,) = fitted(DEFINED[name], "--scenario", scenario, "--detail")
    (problem,) = task["problems"]
    assert sum(task["shares"].values()) == pytest.approx(1)
    assert sum(problem["probabilities"].values()) == pytest.approx(1)
    assert problem["lambda"] == "inf" or 0 <= problem["lambda"] * problem["k"] <= problem["units"]
    assert 0 <= problem["weight"] <= 1


def test_a_table_of_counts_with_its_zeros_is_refused_or_counts_them(fitted):
    rows = [{**ONE, "length": length, "count": 3} for length in (0, 30)]
    zeros = [
        {**ONE, "length": length, "outcome": outcome, "count": 0} for length in (0, 5, 30) for outcome in ("0", "idk")
    ]
    assert fitted([*zeros, *rows], "--detail") == fitted(rows, "--detail")


def test_windows_that_tell_nothing_are_decided(fitted):
    (task,) = fitted([{**ONE, "length": 30}])
    assert task["problems"][0]["undecided"] is True
    assert list(task["problems"][0]["probabilities"].values()) == pytest.approx([0.2] * 5)


BAD = [
    ([], "there is no row"),
    ([{**ONE, "length": 31}], 'line 1: field "length" is 31, more than the 30 units'),
    ([ONE, {**ONE, "units": 31}], 'line 2: field "units" is 31, but 30 in an earlier line'),
    ([{**ONE, "units": 0}], 'line 1: field "units" must be a whole number from 1'),
    ([{**ONE, "units": 2.5}], 'line 1: field "units"'),
    ([{**ONE, "units": True}], 'line 1: field "units"'),
    ([{**ONE, "units": 10**400}], 'line 1: field "units"'),
    ([{**ONE, "length": -1}], 'line 1: field "length"'),
    ([{**ONE, "length": float("nan")}], 'line 1: field "length"'),
    (
        [ONE, {**ONE, "problem": "q", "count": 0}],
        "field \"count\": problem 'q' of task 't' has no row of 1 or more",
    ),
    ([{**ONE, "count": -1}], 'line 1: field "count" must be a whole number from 0'),
    ([{**ONE, "count": 0, "outcome": "no"}], 'line 1: field "outcome"'),
    ([{**ONE, "units": 200_000, "outcome": None, "score": 0.5}], "field \"units\" of problem 'p' is 200000: PIG takes"),
    ([{**ONE, "count": "3"}], 'line 1: field "count"'),
    ([{**ONE, "outcome": "maybe"}], 'line 1: field "outcome" must be "1", "0" or "idk"'),
    ([{**ONE, "outcome": True}], 'line 1: field "outcome"'),
    ([{**ONE, "outcome": None}], 'line 1: one of the fields "outcome" and "score" must be given'),
    ([{**ONE, "score": 1}], 'line 1: one of the fields "outcome" and "score" must be given'),
    *(
        ([{**ONE, "outcome": None, "score": score}], 'line 1: field "score" must be a number from 0 to 1')
        for score in (math.nan, math.inf, -0.1, 1.1, "1", True, [1], 10**400)
    ),
    ([{**ONE, "task": ""}], 'line 1: field "task"'),
    ([{**ONE, "problem": None}], 'line 1: field "problem"'),
    ([{name: value for name, value in ONE.items() if name != "units"}], 'line 1: field "units"'),
]


@pytest.mark.parametrize(("rows", "said"), BAD)
def test_a_bad_row_is_fitted_or_not_named(call, tmp_path, rows, said):
    path = file(tmp_path / "o.jsonl", rows)
    status, out, err = call("dolce", "fit", "--observations", path, "--json")
    assert status == 1
    assert f"{path}, {said}" in err
    assert f"{path}, {said}" in json.loads(out)["error"]
    assert "Traceback" not in err


WRONG = [
    (("dolce",), "fit"),
    (("dolce", "fit"), "--observations"),
    (("dolce", "fit", "--observations", "none.jsonl"), "--observations none.jsonl: No such file"),
    (("dolce", "fit", "--observations", "none.jsonl", "--fixed-noise", "1,2"), "--fixed-noise 1,2: write 3 numbers"),
    (
        ("dolce", "fit", "--observations", "none.jsonl", "--fixed-noise", "0.5,0.5,0.5"),
        "noise must be three probabilities",
    ),
    (("dolce", "fit", "--observations", "none.jsonl", "--fixed-noise", "nan,0,1"), "--fixed-noise nan,0,1"),
    (("dolce", "fit", "--observations", "none.jsonl", "--tau", "1.5"), "tau lies between 0 and 1"),
    (("dolce", "fit", "--observations", "none.jsonl", "--tau", "nan"), "tau lies between 0 and 1"),
    (("dolce", "fit", "--observations", "none.jsonl", "--passes", "0"), "one pass"),
    (("dolce", "fit", "--observations", "none.jsonl", "--bootstrap", "-1"), "the bootstrap has 0 to 10,000 draws"),
    (("dolce", "fit", "--observations", "none.jsonl", "--thresholds", "5,2"), "--thresholds 5,2"),
    (("dolce", "design", "--units", "500,120"), "--units 500,120"),
    (("dolce", "design", "--units", "1"), "--units 1: no pair of 1 units"),
    (("dolce", "design", "--windows", "0"), "--windows 0"),
    (("dolce", "design", "--accuracy", "0"), "--accuracy 0"),
    (("dolce", "design", "--noise", "1,1,1"), "--noise 1,1,1"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_a_wrong_call_is_not_told_what_would_be_right(call, arguments, said):
    status, _, err = call(*arguments)
    assert status == 2
    assert said in err


PROBABILITIES = [
    (("2", 1, 6, 3), "cow", {"probability": 2 / 5}),
    (("10", 1, 10, 10), "cow", {"probability": 1}),
    (("C", 1, 10, 9), "cow", {"probability": 0}),
    (("0", 0, 10, 0), "cow", {"probability": 1}),
    (("4", 2, 7, 5), "cow", {"probability": 0}),
    (("2", 100, 500, 20), "cow", {"probability": 0.9960866365}),
    (("3", 2, 12, 5), "pig", {"probabilities": [1 / 132, 25 / 132, 73 / 132, 33 / 132]}),
    (("C", 1, 3, 2), "pig", {"probabilities": [0, 0, 1, 0]}),
    (("0", 0, 3, 2), "pig", {"probabilities": [1]}),
]


def probability(*at: Any) -> list[str]:
    (complexity, *numbers), scenario = at
    names = ("--k", "--units", "--length")
    told = [text for name, number in zip(names, numbers, strict=True) for text in (name, str(number))]
    return ["dolce", "probability", "--scenario", scenario, f"--lambda={complexity}", *told]


@pytest.mark.parametrize(("at", "scenario", "wanted"), PROBABILITIES)
def test_a_probability_differs(call, at, scenario, wanted):
    status, out, _ = call(*probability(at, scenario), "--json")
    found = json.loads(out)
    assert status == 0
    assert list(found) == list(wanted)
    for name in wanted:
        assert found[name] == pytest.approx(wanted[name], abs=1e-10)
    status, out, _ = call(*probability(at, scenario))
    assert (status, len(out.splitlines())) == (
        0,
        len(next(iter([v for v in wanted.values() if isinstance(v, list)]), [0])),
    )


NO_PROBABILITY = [
    (("4", 2, 7, 5), "pig", "lambda = 4, k = 2 do not fit into 7 units"),
    (("1", 1, 6, 7), "cow", "l must lie between 0 and C"),
    (("1", 1, 6, 7), "pig", "l must lie between 0 and C"),
    (("0", 2, 6, 3), "cow", "lambda and k must be at least 1"),
    (("0", 2, 6, 3), "pig", "do not fit"),
    (("1", 1, 0, 0), "cow", "C must be at least 1"),
    (("0", 0, 0, 0), "pig", "C be at least 1"),
    (("-1", 1, 6, 3), "cow", "--lambda -1"),
    (("inf", 1, 6, 3), "pig", "--lambda inf"),
    (("x", 1, 6, 3), "cow", "--lambda x"),
    (("9" * 30, 1, 6, 3), "cow", "--lambda 999"),
]


@pytest.mark.parametrize(("at", "scenario", "said"), NO_PROBABILITY)
def test_what_means_nothing_has_a_probability(call, at, scenario, said):
    status, out, err = call(*probability(at, scenario), "--json")
    assert status == 2
    assert said in err
    assert said in json.loads(out)["error"]


def test_documents_and_observations_compare_otherwise(call, tmp_path):
    rows = file(tmp_path / "a.jsonl", observations())
    _, document, _ = call("dolce", "fit", "--observations", rows, "--json")
    (tmp_path / "a.json").write_text(document)
    other = json.loads(document)
    other["tasks"][0]["problems"][0] |= {"lambda": 5, "k": 1, "category": "IV"}
    other["tasks"][0]["problems"][2] |= {"problem": "E"}
    other["tasks"][0]["noise"] = [0.5, 0.25, 0.25]
    other["tasks"].append({**other["tasks"][0], "task": "unknown"})
    (tmp_path / "b.json").write_text(json.dumps(other))
    for ours in ("a.json", "a.jsonl"):
        status, out, err = call("dolce", "compare", str(tmp_path / ours), str(tmp_path / "b.json"), "--json")
        assert (status, err) == (0, "in one file only: unknown (cow)\n")
        (row,) = json.loads(out)["tasks"]
        assert (row["task"], row["problems"], row["only_reference"], row["only_test"]) == ("t", 2, 1, 1)
        assert row["rc_lambda"] == pytest.approx((0.6 + 0) / 2)
        assert row["rc_k"] == pytest.approx((0.8 + 0) / 2)
        assert row["rho_lambda"] == pytest.approx(1)
        assert row["same_category"] == 0.5
        noise = (0.803339, 0.190583, 0.006078)
        wanted = sum(p * math.log(p / q) for p, q in zip(noise, (0.5, 0.25, 0.25), strict=True))
        assert row["kl"] == pytest.approx(wanted, abs=1e-5)
    status, out, _ = call("dolce", "compare", rows, rows)
    assert status == 0
    assert "100.0" in out


def fit_document(parts: dict[str, dict[str, tuple[int, int]]], task: str = "t") -> str:
    """A fit of one task: (lambda, k) of its problems by scenario; (0, 0) is I, all others III."""
    tasks = [
        {
            "task": task,
            "scenario": scenario,
            "noise": [0.1, 0.1, 0.8] if scenario == "cow" else None,
            "thresholds": {"low": 5, "high": 50},
            "problems": [
                {"problem": name, "lambda": lam, "k": k, "category": "III" if lam else "I", "undecided": name == "p0"}
                for name, (lam, k) in pairs.items()
            ],
        }
        for scenario, pairs in parts.items()
    ]
    return json.dumps({"tasks": tasks})


@pytest.fixture
def compared(call, tmp_path):
    """What is compared of two documents: rows, rows without I, what is said, what people see."""

    def compared(ours: str, theirs: str) -> tuple[list[Row], list[Row], str, str]:
        (tmp_path / "ours.json").write_text(ours)
        (tmp_path / "theirs.json").write_text(theirs)
        arguments = ("dolce", "compare", str(tmp_path / "ours.json"), str(tmp_path / "theirs.json"))
        status, out, err = call(*arguments, "--json")
        assert status == 0, err
        found = json.loads(out)
        return found["tasks"], found["without_I"], err, call(*arguments)[1]

    return compared


def test_first_models_split_is_held_for_both_or_drops_what_both_were_asked(compared):
    pairs = {f"p{number}": (1 + number % 3, 1 + number % 2) for number in range(30)}
    split = {"cow": dict(list(pairs.items())[:15]), "pig": dict(list(pairs.items())[15:])}
    other = {"cow": dict(list(pairs.items())[10:20]), "pig": dict(list(pairs.items())[:10] + list(pairs.items())[20:])}
    for theirs, wanted in (
        ({"pig": pairs}, {("cow", "pig"): 15, ("pig", "pig"): 15}),
        (split, {("cow", "cow"): 15, ("pig", "pig"): 15}),
        (other, {("cow", "cow"): 5, ("cow", "pig"): 10, ("pig", "cow"): 5, ("pig", "pig"): 10}),
    ):
        rows, without, err, out = compared(fit_document(split), fit_document(theirs))
        assert {(row["scenario"], row["test"]["scenario"]): row["problems"] for row in rows} == wanted
        assert {(row["only_reference"], row["only_test"]) for row in rows} == {(0, 0)}
        assert err == ""
        assert {row["rc_lambda"] for row in rows} == {0}
        assert [row["kl"] is not None for row in rows] == [set(key) == {"cow"} for key in wanted]
        assert without == [{**row, "left_out": "I"} for row in rows], "no problem is I"
        assert ("cow/pig" in out) == (("cow", "pig") in wanted)


def test_comparison_lacks_the_row_without_category_i(compared):
    ours, theirs = {"p0": (0, 0), "p1": (1, 1), "p2": (2, 1)}, {"p0": (0, 0), "p1": (0, 0), "p2": (4, 2)}
    (row,), (without,), _, out = compared(fit_document({"cow": ours}), fit_document({"cow": theirs}))
    assert (row["problems"], row["left_out"], row["rc_lambda"]) == (3, None, pytest.approx((0 + 1 + 0.5) / 3))
    assert (without["problems"], without["left_out"], without["rc_lambda"]) == (1, "I", pytest.approx(0.5))
    paper = {"I": 1 / 3, "II": 0, "III": 2 / 3, "IV": 0, "V": 0}
    assert row["paper_shares"]["reference"] == pytest.approx(paper)
    assert sum(row["shares"]["reference"].values()) == pytest.approx(1)
    assert row["shares"]["reference"]["undecided"] == pytest.approx(1 / 3)
    assert without["shares"]["test"] == {"I": 0, "II": 0, "III": 1, "IV": 0, "V": 0, "undecided": 0}
    assert "t cow, no I" in out


def test_a_comparison_states_a_category_of_a_task_that_nothing_solved(call, tmp_path):
    """The paper's shares are one category's by whole; nothing tells which."""
    rows = [
        {"task": "t", "problem": f"p{number}", "units": 60, "length": length, "outcome": "0", "count": 4}
        for number in range(20)
        for length in (0, 1, 5, 20, 60)
    ]
    path = file(tmp_path / "never", rows)
    status, out, _ = call("dolce", "compare", path, path, "--json")
    (row,) = json.loads(out)["tasks"]
    assert status == 0
    for which in ("reference", "test"):
        assert row["shares"][which] == {"I": 0, "II": 0, "III": 0, "IV": 0, "V": 0, "undecided": 1}
        assert max(row["paper_shares"][which].values()) == 1
        assert row["holistic"][which] == {"solved": 0, "unsolved": 0, "unobserved": 0}
    assert "0/0/0/0/0/100" in call("dolce", "compare", path, path)[1]


def test_a_document_of_an_earlier_version_is_taken_for_decided(compared):
    document = json.loads(fit_document({"cow": {"p0": (0, 0), "p1": (1, 1)}}))
    for one in document["tasks"][0]["problems"]:
        one.pop("undecided")
    (row,), _, _, out = compared(json.dumps(document), json.dumps(document))
    assert row["shares"]["test"] == {"I": 0.5, "II": 0, "III": 0.5, "IV": 0, "V": 0, "undecided": None}
    assert "50/0/50/0/0/–" in out


def test_task_without_a_problem_in_common_vanishes_beside_another(compared):
    both, one, other = ({"cow": {name: (1, 1)}} for name in "abc")
    join = [json.loads(fit_document(parts, task))["tasks"][0] for parts, task in ((both, "t"), (one, "u"))]
    more = [json.loads(fit_document(parts, task))["tasks"][0] for parts, task in ((both, "t"), (other, "u"))]
    rows, _, err, _ = compared(json.dumps({"tasks": join}), json.dumps({"tasks": more}))
    assert [row["task"] for row in rows] == ["t"]
    assert err == "in one file only: u (cow), u (cow)\n"


def test_one_task_of_two_suites_is_not_compared(call, tmp_path):
    first = file(tmp_path / "a.jsonl", observations())
    second = file(tmp_path / "b.jsonl", [{**row, "task": "other suite"} for row in observations()])
    status, out, _ = call("dolce", "compare", first, second, "--json")
    (row,) = json.loads(out)["tasks"]
    assert (status, row["task"], row["test"]["task"], row["rc_lambda"], row["kl"]) == (0, "t", "other suite", 0, 0)


FITS = [
    ('{"tasks": 3}', 'field "tasks" must be a list'),
    ('{"tasks": [3]}', 'tasks[0]: field "task" must be a text'),
    ('{"tasks": [{"task": "t", "scenario": "x", "problems": []}]}', 'tasks[0]: field "scenario"'),
    ('{"tasks": [{"task": "t", "scenario": "cow", "noise": [1], "problems": []}]}', 'tasks[0]: field "noise"'),
    (
        '{"tasks": [{"task": "t", "scenario": "cow", "problems": [{"problem": "p", "lambda": "x"}]}]}',
        'tasks[0].problems[0]: field "lambda"',
    ),
    (
        '{"tasks": [{"task": "t", "scenario": "cow", "problems": [{"problem": "p", "lambda": 1, "k": NaN}]}]}',
        'tasks[0].problems[0]: field "k"',
    ),
    ("", "there is no row"),
    ("{", "line 1: not a JSON object"),
]


@pytest.mark.parametrize(("text", "said"), FITS)
def test_a_file_that_is_no_fit_is_compared(call, tmp_path, text, said):
    (tmp_path / "a.json").write_text(text)
    right = file(tmp_path / "b.jsonl", observations())
    status, out, err = call("dolce", "compare", right, str(tmp_path / "a.json"), "--json")
    assert status == 1
    assert said in json.loads(out)["error"]
    assert "Traceback" not in err


def test_tasks_without_a_problem_in_common_are_compared(call, tmp_path):
    first = file(tmp_path / "a.jsonl", observations())
    second = file(tmp_path / "b.jsonl", [{**row, "problem": row["problem"] + "2"} for row in observations()])
    status, _, err = call("dolce", "compare", first, second)
    assert status == 1
    assert "no task with a problem in common" in err


@pytest.mark.slow
def test_a_design_has_no_rows_or_says_what_is_not_so(call):
    options = ("--tasks", "1", "--mode", "iid")
    status, out, _ = call("dolce", "design", *options, "--problems", "6", "--windows", "20,5", "--json")
    document = json.loads(out, parse_constant=pytest.fail)
    assert status == 0
    assert [row["windows"] for row in document["rows"]] == [5, 20, None]
    assert [row["problems"] for row in document["rows"]] == [6, 6, 6]
    assert document["rows"][0]["samples"] < document["rows"][1]["samples"] < document["rows"][2]["samples"]
    assert document["reached"] is (document["rows"][-1]["category"] >= 0.9)
    graded = ("--problems", "2", "--windows", "5", "--scenario", "pig", "--accuracy", "1")  # a fit of PIG takes long
    status, out, _ = call("dolce", "design", *options, *graded)
    assert status == 0
    assert "2 planted problems" in out


def test_people_see_markup_escapes_or_lose_a_part(call, tmp_path):
    rows = [
        {**row, "task": "[red]\x1b[2Jt", "problem": f"[b]{row['problem']}\u202e", "x\x1b": 1} for row in observations()
    ]
    status, out, err = call("dolce", "fit", "--detail", "--observations", file(tmp_path / "o.jsonl", rows))
    assert status == 0
    assert "\x1b" not in out + err
    assert "[b]A" in out
    assert "[red]" in out
    assert "ignored fields: x" in err
    status, out, err = call(
        "dolce", "fit", "--json", "--observations", file(tmp_path / "o.jsonl", [*rows, {**rows[0], "task": "\ud800"}])
    )
    assert status == 0
    assert len(json.loads(out)["tasks"]) == 2


@pytest.mark.parametrize(("row", "many"), [(ONE, 26), ({**ONE, "length": 30}, 1), ({**ONE, "length": 0}, 1)])
def test_windows_that_stand_twice_count_in_silence(call, tmp_path, row, many):
    for count, said in (
        (many, ""),
        (many + 1, "more windows than the context has, 1 times: what stands twice counts twice\n"),
    ):
        path = file(tmp_path / "o.jsonl", [{**row, "count": count}])
        status, _, err = call("dolce", "fit", "--json", "--observations", path)
        assert (status, err) == (0, said)


def test_noise_that_pig_has_not_is_passed_over_in_silence(call, tmp_path):
    arguments = (
        "--scenario",
        "pig",
        "--fixed-noise",
        "0.1,0.1,0.8",
        "--observations",
        file(tmp_path / "o.jsonl", graded()),
    )
    status, _, err = call("dolce", "fit", "--json", *arguments)
    assert (status, err.splitlines()[-1]) == (0, "--fixed-noise: PIG has no such noise")


def windowed(first: int | None = 0, **fields: Any) -> dict[str, Any]:
    row = {"task": "t", "problem": "p", "units": 6, "length": 2, "outcome": "1", **fields}
    return row if first is None else {**row, "first": first}


def enumeration(units: int = 12, problem: str = "p") -> list[dict[str, Any]]:
    """All windows of one problem whose evidence is unit 4 and 5."""
    rows = []
    for length in (0, 1, 2, 5, 10, units):
        for first in range(units - length + 1 if length else 1):
            shown = first <= 4 and first + length >= 6
            rows.append(windowed(first, problem=problem, units=units, length=length, outcome="1" if shown else "idk"))
    return rows


@pytest.mark.parametrize(
    ("strategy", "firsts"),
    [
        ("take:5", {0: [0], 1: [0, 5, 10], 2: [0, 5, 10], 5: [0, 5], 10: [0], 12: [0]}),
        ("take:5+long", {10: [0], 12: [0]}),
        ("wide", {0: [0], 1: list(range(12)), 5: list(range(8)), 12: [0]}),
        ("take-ip:2", {0: [0], 1: [0, 2, 4, 6, 8, 10], 2: [0, 4, 8], 5: [0], 10: [0], 12: [0]}),
    ],
)
def test_a_strategy_takes_other_windows_of_stored_ones_than_of_a_run(call, tmp_path, strategy, firsts):
    rows = enumeration()
    own = [row for row in rows if row["first"] in firsts.get(row["length"], ())]
    chosen = call("dolce", "fit", "--observations", file(tmp_path / "a", rows), "--strategy", strategy, "--json")
    wanted = call("dolce", "fit", "--observations", file(tmp_path / "b", own), "--json")
    assert chosen == wanted
    assert chosen[0] == 0


def test_a_share_of_stored_windows_does_not_depend_on_its_seed(call, tmp_path):
    path = file(tmp_path / "a", enumeration())
    options = ("dolce", "fit", "--observations", path, "--strategy", "sample:0.3", "--json")
    assert call(*options) == call(*options, "--seed", "0")
    assert len({call(*options, "--seed", str(seed))[1] for seed in range(8)}) > 1


@pytest.mark.parametrize(
    ("rows", "strategy", "status", "said"),
    [
        ([windowed(), windowed(None)], "take:2", 1, 'line 2: field "first" must be the unit'),
        ([windowed(5)], "take:2", 1, "from 0 to 4"),
        ([windowed("x")], "take:2", 1, 'line 1: field "first"'),
        ([windowed(True)], "take:2", 1, 'line 1: field "first"'),
        ([windowed(), windowed(length=9)], "take:2", 1, 'line 2: field "length" is 9'),
        ([windowed(1)], "take:2", 1, "takes none of these windows"),
        ([windowed()], "take:0", 2, "--strategy: strategy 'take:0'"),
    ],
)
def test_a_row_without_place_is_chosen_or_not(call, tmp_path, rows, strategy, status, said):
    path = file(tmp_path / "a", rows)
    found, out, err = call("dolce", "fit", "--observations", path, "--strategy", strategy, "--json")
    assert found == status
    assert said in json.loads(out)["error"]
    assert "Traceback" not in err


def test_a_task_of_two_suites_has_its_own_thresholds_or_needs_the_same_problems(call, tmp_path):
    small = file(tmp_path / "small", [*enumeration(12), *enumeration(12, "q")])
    large = file(tmp_path / "large", [{**row, "task": "other"} for row in enumeration(300, "elsewhere")])
    status, out, _ = call("dolce", "compare", large, small, "--json")
    (row,) = json.loads(out)["tasks"]
    assert (status, row["problems"], row["rc_lambda"], row["rho_k"], row["same_category"]) == (0, 0, None, None, None)
    assert row["thresholds"] == {"low": 2, "high": 10}, "second and fourth of 1 2 5 10 12"
    assert row["paper_shares"]["reference"] == {"I": 0, "II": 0, "III": 1, "IV": 0, "V": 0}, "lambda 2, k 1"
    assert row["kl"] >= 0
    status, out, _ = call("dolce", "compare", large, small)
    assert status == 0
    assert "0/0/100/0/0" in out


def test_models_of_a_run_are_mixed_up(call, tmp_path):
    _, document, _ = call("dolce", "fit", "--observations", file(tmp_path / "a", enumeration()), "--json")
    (task,) = json.loads(document)["tasks"]
    other = {**task, "problems": [{**task["problems"][0], "lambda": "inf", "category": "V"}]}
    run = {"tasks": [], "dolce": {"tasks": [{**task, "model": "a"}, {**other, "model": "b"}]}}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run))
    status, out, _ = call("dolce", "compare", str(path), str(path), "--reference-model", "a", "--json")
    assert (status, json.loads(out)["error"]) == (
        2,
        f"{path}: has models a, b: name one (--reference-model, --test-model)",
    )
    status, out, _ = call(
        "dolce", "compare", str(path), str(path), "--reference-model", "a", "--test-model", "c", "--json"
    )
    assert (status, json.loads(out)["error"]) == (2, f"{path}: has no model 'c'; it has: a, b")
    status, out, _ = call(
        "dolce", "compare", str(path), str(path), "--reference-model", "a", "--test-model", "b", "--json"
    )
    (row,) = json.loads(out)["tasks"]
    assert (status, row["rc_lambda"], row["same_category"], row["paper_shares"]["test"]["V"]) == (0, 1, 0, 1)


def test_caption_of_what_problems_need_is_cut_or_markup_is_read(capsys):
    row = {
        "task": "[red]leval_quality[/red]",
        "model": "a model",
        "decided": [0.2, 0.2, 0.2, 0.2, 0.1],
        "holistic": [0.1, 0.0, 0.0],
        "expected": [0.3, 0.1, 0.2, 0.2, 0.2],
        "undecided": 3,
        "problems": 30,
        "scenario": "cow",
        "noise": [0.02, 0.05, 0.93],
    }
    show_needs([row, {**row, "scenario": "pig", "noise": []}])
    out = capsys.readouterr().out
    assert "characters in all" not in out
    assert "by probabilities" in " ".join(out.split())
    assert "20 (30)" in out
    assert "[red]" in out
