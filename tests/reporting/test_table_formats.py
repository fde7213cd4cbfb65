import csv
import io

import pytest
from boards import TASKS, params, row

from scrollwork.reporting.boards.board import board
from scrollwork.reporting.boards.table_formats import csv_table, latex, spreadsheet_safe, tex

FORMULAS = ["=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_model_called_like_a_formula_is_run_by_a_spreadsheet(name: str) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_table(board([row("qmsum", name)], params([name]))))))
    assert {one["model"][0] for one in rows} == {"'"}
    assert "\n" not in rows[0]["model"]


def test_a_number_below_zero_becomes_text() -> None:
    assert spreadsheet_safe(-1.5) == -1.5
    assert spreadsheet_safe(None) == ""


def test_csv_rounds_or_leaves_out_what_is_unanswered() -> None:
    value = 100 / 3
    rows = list(csv.DictReader(io.StringIO(csv_table(board([row("qmsum", "m", value, unanswered=2)], params(["m"]))))))
    assert float(rows[0]["value"]) == value
    assert (rows[0]["expected"], rows[0]["answered"], rows[0]["missing"]) == ("281", "279", "2")
    assert rows[0]["remark"] == "2 of 281 unanswered"
    assert (rows[1]["task"], rows[1]["value"]) == ("average", "")
    assert "unanswered inputs in qmsum" in rows[1]["remark"]


def test_names_are_commands_or_comments_in_latex() -> None:
    assert tex(r"a_b & 100% \input{x} $y$ #1 ~^") == (
        r"a\_b \& 100\% \textbackslash{}input\{x\} \$y\$ \#1 \textasciitilde{}\textasciicircum{}"
    )
    text = latex(board([row(task, "evil\n\\end{tabular}%") for task in TASKS], params(["evil\n\\end{tabular}%"])))
    assert text.count("\\end{tabular}") == 1
    assert all(line.endswith(r"\\") for line in text.splitlines() if " & " in line)


@pytest.mark.parametrize("sign", ["＝", "＋", "－", "＠"])
def test_a_wide_sign_runs_as_a_formula(sign: str) -> None:
    assert spreadsheet_safe(f"{sign}1+1") == f"'{sign}1+1"


def test_published_rows_are_not_labelled_in_latex() -> None:
    text = latex(board([row("qmsum", "m")], params(["m"])))
    assert "Human (estimates, in part on other inputs) &" in text
    assert text.index("(not computed here)") < text.index("GPT-4")
