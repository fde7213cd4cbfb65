import io
import json
from dataclasses import replace

import pytest
from boards import TASKS, failure, family, params, row
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from scrollwork.records.score import Aggregate
from scrollwork.reporting.boards.leaderboard import Board, as_json, board, markdown
from scrollwork.reporting.boards.terminal import terminal


def printed(content: Board, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(terminal(content))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_average_is_the_plain_mean_of_unrounded_task_values() -> None:
    values = [20.04 + 0.001 * place for place in range(10)]
    content = board([row(task, "m", value) for task, value in zip(TASKS, values, strict=True)], params(["m"]))
    assert as_json(content)["averages"] == {"m": pytest.approx(sum(values) / 10, abs=1e-12)}


@given(st.sets(st.sampled_from(TASKS)), st.sets(st.sampled_from(TASKS)))
def test_average_is_refused_while_any_task_is_missing_or_any_input_unanswered(asked: set[str], torn: set[str]) -> None:
    rows = [row(task, "m", unanswered=int(task in torn)) for task in TASKS if task in asked]
    content = board([*rows, *family()], params(["m"]))
    whole = asked == set(TASKS) and not torn & asked
    assert (as_json(content)["averages"]["m"] is not None) == whole


def test_an_upper_bound_is_ranked_averaged_or_not_named_as_one() -> None:
    rows = [row(task, model, 99.0 if model == "oracle" else 10.0) for model in ("oracle", "m") for task in TASKS]
    content = board(rows, params(["oracle", "m"], upper_bounds=["oracle"]))
    assert [line.model for line in content.sections[0].lines] == ["m", "oracle"]
    told = as_json(content)
    assert told["averages"] == {"m": pytest.approx(10.0), "oracle": None}
    assert {(row["model"], row.get("upper_bound")) for row in told["tasks"]} == {("m", None), ("oracle", True)}
    said = "upper bound: reads the references"
    assert f"| oracle ({said}) |" in markdown(content)
    assert f"oracle: no average: {said}" in printed(content)


def test_one_unanswered_input_is_the_named_reason_for_no_average() -> None:
    content = board([row(task, "m", unanswered=int(task == "qmsum")) for task in TASKS], params(["m"]))
    line = content.sections[0].lines[0]
    assert (line.average.value, line.average.reason) == (None, "unanswered inputs in qmsum")
    assert next(cell.reason for cell in line.cells if cell.task == "qmsum") == "1 of 281 unanswered"


def test_a_task_without_any_answer_is_unanswered_and_not_zero() -> None:
    rows = [row(task, "m", inputs=5, unanswered=5 if task == "qasper" else 0) for task in TASKS]
    content = board(rows, params(["m"]))
    assert as_json(content)["averages"] == {"m": None}
    assert content.sections[0].lines[0].average.reason == "unanswered inputs in qasper"


def test_missing_tasks_are_counted_and_their_columns_stand() -> None:
    failures = [failure("qmsum: no file matches")]
    content = board([row(task, "m") for task in TASKS[3:]], params(["m"], failures))
    line = content.sections[0].lines[0]
    assert line.average.reason == "7 of 10 tasks"
    assert [cell.task for cell in line.cells] == TASKS
    assert [cell.reason for cell in line.cells[:4]] == ["not asked", "not asked", "qmsum: no file matches", ""]
    assert "–" in printed(content)


def test_a_failure_is_given_to_the_model_it_names_though_node_names_spell_it_differently() -> None:
    failures = [failure("torn", "naive:seed=7")]
    content = board([], params(["naive:seed=7"], failures))
    assert [(one.model, one.task, one.split) for one in content.failures] == [("naive:seed=7", "qmsum", "test")]
    assert [cell.reason for cell in content.sections[0].lines[0].cells if cell.task == "qmsum"] == ["torn"]


def test_members_are_hidden_behind_their_family_and_kept_for_detail() -> None:
    content = board(list(family()), params(["naive"]))
    (line,) = content.sections[0].lines
    assert line.model == "naive"
    assert line.cells[0].seed_values == (10.0, 11.0, 12.0)
    assert {one["model"] for one in as_json(content)["tasks"]} == {"naive"}
    assert "seed=" not in markdown(content) + printed(content)


def test_a_single_seed_asked_for_by_name_is_a_line_of_its_own() -> None:
    rows = [*family(), *(row(task, "naive:seed=1", 11.0) for task in TASKS)]
    content = board(rows, params(["naive", "naive:seed=1"]))
    assert [line.model for line in content.sections[0].lines] == ["naive", "naive:seed=1"]


def test_a_colon_in_a_name_does_not_hide_a_model() -> None:
    content = board([row("qmsum", "openai:gpt")], params(["openai:gpt"]))
    assert [line.model for line in content.sections[0].lines] == ["openai:gpt"]


def test_spread_of_the_average_is_that_of_the_seeds_averages() -> None:
    average = board(list(family()), params(["naive"])).sections[0].lines[0].average
    assert [average.value, average.spread] == pytest.approx([11.0, 1.0])


def test_splits_are_never_mixed_in_one_average() -> None:
    rows = [row(task, "m", 10.0) for task in TASKS] + [row(task, "m", 30.0, split="validation") for task in TASKS]
    content = board(rows, params(["m"]))
    assert [section.split for section in content.sections] == ["test", "validation"]
    averages = as_json(content)["averages"]
    assert averages == {"m (test)": pytest.approx(10.0), "m (validation)": pytest.approx(30.0)}
    assert printed(content).count("published, Shaham et al. 2023, table 3") == 1  # it is of the test split


def test_an_arm_is_a_line_and_an_average_of_its_own() -> None:
    rows = [row(task, "m") for task in TASKS] + [row("qmsum", "m", 5.0, arm="closed-book")]
    averages = as_json(board(rows, params(["m"])))["averages"]
    assert averages == {"m": pytest.approx(10.0), "m (closed-book)": None}


def test_json_is_the_contract_of_the_command_line() -> None:
    answer = as_json(board([row("qmsum", "m", 12.5)], params(["m"])))
    coverage = {"expected": 281, "attempted": 281, "answered": 281, "failed": 0, "missing": 0}
    assert answer == {
        "tasks": [
            {
                "task": "qmsum",
                "split": "test",
                "model": "m",
                "arm": "full",
                "metric": "rouge_geo",
                "value": 12.5,
                "value_missing_as_zero": 12.5,
                "ci": [11.5, 13.5],
                "spread": None,
                "clusters": None,
                "interval_note": None,
                "coverage": {
                    **coverage,
                    "truncated": 0,
                    "length_cut": 0,
                    "refused": 0,
                    "filtered": 0,
                    "context": 0,
                    "masked": 0,
                },
            }
        ],
        "averages": {"m": None},
    }
    assert json.loads(json.dumps(answer)) == answer


def test_no_interval_is_null_and_not_a_pair() -> None:
    answer = as_json(board([row("qmsum", "m", low=None, high=None)], params(["m"])))
    assert answer["tasks"][0]["ci"] is None


@pytest.mark.parametrize(
    "wrong",
    [row("qmsum", "m", metric="f1"), row("qmsum", "m", 3.0)],
    ids=["another metric", "contradiction"],
)
def test_rows_that_do_not_belong_are_refused(wrong: Aggregate) -> None:
    with pytest.raises(ValueError, match="task qmsum, split test, model m"):
        board([row("qmsum", "m"), wrong], params(["m"]))


def test_terminal_table_fits_a_hundred_columns_and_warns_in_plain_text() -> None:
    rows = [*family(), *(row(task, "m" * 60, unanswered=2) for task in TASKS)]
    text = printed(board(rows, params(["naive", "m" * 60])))
    table = [line for line in text.splitlines() if line.startswith(("model", "naive", "mmm", "GPT-4", "CoLT5", "──"))]
    assert len(table) >= 5
    assert all(len(line.rstrip()) <= 100 for line in table)
    assert "10.0!" in text
    assert "qmsum: 2 of 281 unanswered" in text
    assert "\x1b" not in text


def test_terminal_and_markdown_say_when_the_inputs_are_not_the_papers() -> None:
    content = board([row("qmsum", "m", inputs=3)], params(["m"]))
    assert "QMsm 3 of 281" in printed(content)
    assert "QMsm 3 of 281" in markdown(content)
    assert "not the paper's" not in printed(board([row("qmsum", "m")], params(["m"])))


@pytest.mark.parametrize(
    "name", ["a|b", "<img src=x onerror=alert(1)>", "[x](http://e)", "a\nb", "\x1b[31m", "\u202eb"]
)
def test_hostile_names_are_inert_in_markdown_and_terminal(name: str) -> None:
    content = board([row("qmsum", name)], params([name]))
    text = markdown(content)
    head = next(line for line in text.splitlines() if line.startswith("| model"))
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(line.replace("\\|", "").count("|") == head.count("|") for line in lines)
    assert "<img" not in text
    assert "[x" not in text.replace("\\[", "")
    assert not {"\x1b", "\u202e"} & set(text + printed(content))


def test_nothing_scored_is_said() -> None:
    content = board([], params([]))
    assert "othing was scored" in markdown(content)
    assert "nothing was scored" in printed(content)
    assert as_json(content) == {"tasks": [], "averages": {}}


def test_inputs_are_counted_once_however_many_seeds_answered_them() -> None:
    content = board(list(family(seeds=3)), params(["naive"]))
    assert content.sections[0].differing(content.columns) == ()
    assert as_json(content)["tasks"][0]["coverage"]["expected"] == 500


def test_seeds_of_a_cut_run_are_counted_to_the_uncut_family_or_shown_as_models() -> None:
    """`report` of a home in which naive ran uncut and cut: two families of the same seeds."""
    rows = [*family(), *family()]
    cut = [replace(one, model=f"{one.model} (plain-input600-hf:tiny~0)") for one in family()]
    models = ["naive", "naive (plain-input600-hf:tiny~0)"]
    content = board([*rows, *cut], params(models))
    lines = content.sections[0].lines
    assert [line.model for line in lines] == models
    for line in lines:
        assert [len(cell.members) for cell in line.cells] == [3] * len(TASKS)
        assert line.average.spread == pytest.approx(1.0)
    (alone,) = board(cut, params(models[1:])).sections[0].lines
    assert alone.model == models[1]


def test_what_tells_two_lines_apart_is_cut_off_in_a_terminal() -> None:
    models = [f"a-model (plain-input{limit}-hf:vocabulary~0)" for limit in (600, 6000)]
    said = printed(board([row("qmsum", model) for model in models], params(models)))
    assert "…" not in said.partition("!")[0]
    assert {"(plain-input600-hf:", "(plain-input6000-hf"} <= set(said.split())


def test_prompts_or_limits_of_a_run_are_not_said_beside_its_scores() -> None:
    content = board([row("qmsum", "m")], params(["m"], run={"limit": 5, "prompts": "instructed"}))
    assert "ZeroSCROLLS, split test, limit 5, prompts instructed" in printed(content)
    assert "limit 5, prompts instructed" in markdown(content).splitlines()[0]
    assert as_json(content)["settings"] == {"limit": 5, "prompts": "instructed"}
    assert "settings" not in as_json(board([row("qmsum", "m")], params(["m"])))


def test_only_one_of_two_numbers_of_inputs_is_said() -> None:
    rows = [
        row("qmsum", "m", inputs=5),
        row("qmsum", "n", inputs=7),
        row("musique", "m"),
        row("musique", "n", inputs=9),
    ]
    said = " ".join(printed(board(rows, params(["m", "n"]))).split())
    assert "QMsm 5 or 7 of 281, MuSQ 9 or 500 of 500" in said


def test_a_long_name_is_broken_in_the_middle_of_a_word() -> None:
    said = printed(board([row("qmsum", "naive:fit_split=validation")], params(["naive:fit_split=validation"])))
    first, second = (line.split()[0] for line in said.splitlines()[2:4])
    assert (first, second) == ("naive:", "fit_split=validation")


def test_a_model_of_another_split_is_listed_as_not_asked() -> None:
    rows = [row("qmsum", "one"), row("qmsum", "two", split="validation")]
    content = board(rows, params(["one", "two", "three"]))
    assert [[line.model for line in section.lines] for section in content.sections] == [
        ["one", "three"],  # three has answered nothing anywhere
        ["two", "three"],
    ]
