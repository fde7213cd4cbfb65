"""L-Eval's exam scores, up to the published numbers."""

import json

import pytest

from scrollwork.exchange.released import score_files
from scrollwork.scoring.aggregate import combine
from scrollwork.scoring.metrics.leval_exam import letters, score
from scrollwork.scoring.metrics.leval_exam_multi import letters as many_letters
from scrollwork.scoring.metrics.leval_exam_multi import score as score_many
from scrollwork.scoring.registry import metric


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("B", "B"),
        ("(B) It was", "B"),
        ("The answer is C.", "C"),
        ("ACD", "ACD"),
        ("DCA", "ACD"),
        ("AAB", "AB"),
        ("A, C", "A"),  # the first word of letters
        ("ABCDA", ""),
        ("A_1 Bé Card", ""),
        ("A man", "A"),
        ("", ""),
    ],
)
def test_other_letters_are_read_as_the_answer(text, found):
    assert letters(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A. one\nC. two", "AC"),
        ("A. one and C. two", "A"),
        ("ACD", "ACD"),
        ("(A), (C)", "AC"),
        ("C and A", "C"),
        ("Both C and A", "ABC"),  # capitals of the first line, wherever they stand
        ("none\nA. one", "A"),  # a line that opens with a letter comes before the first line's capitals
        ("\n\nAC\nB", "B"),
        ("\r\nBoth C\r\nD)", "D"),
        ("\r\nis C\r\n", "C"),
        ("\nno letter\nACD", ""),
        ("A. one\r\nB. two", "AB"),
        ("", ""),
    ],
)
def test_other_letters_are_read_as_the_answers(text, found):
    assert many_letters(text) == found


@pytest.mark.parametrize("scorer", [score, score_many])
@pytest.mark.parametrize(
    ("prediction", "references", "value"),
    [
        ("AC", ["AC"], 100),
        ("CA", ["AC"], 100),
        ("A", ["AC"], 25),
        ("ABC", ["AC"], 0),
        ("B", ["AC"], 0),
        ("no", ["AC"], 0),  # nothing is no part of the right answer
        ("A", ["AC", "A"], 100),
    ],
)
def test_part_of_the_right_letters_gets_other_credit(scorer, prediction, references, value):
    assert scorer(prediction, references).value == value


# model, file, metric -> (sum of scores, inputs, as L-Eval prints it where it does)
PUBLISHED = [
    ("gpt4-32k", "quality", "leval_exam", 166, 202, 82.17),
    ("Claude-100k", "quality", "leval_exam", 149, 202, 73.76),
    ("turbo-16k-0613", "quality", "leval_exam", 124, 202, 61.39),
    ("gpt4-32k", "tpo", "leval_exam", 227, 269, 84.38),
    ("Claude-100k", "tpo", "leval_exam", 226, 269, 84.01),
    ("turbo-16k-0613", "tpo", "leval_exam", 211, 269, 78.44),
    ("gpt4-32k", "coursera", "leval_exam_multi", 130, 172, 75.58),
]


@pytest.mark.parametrize(("model", "task", "name", "total", "n", "printed"), PUBLISHED)
def test_published_number_does_not_come_out(shared, model, task, name, total, n, printed):
    path = shared / "predictions" / "leval" / "Predictions" / "exam_eval" / model / f"{task}.pred.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    own = metric(name)
    found = combine(
        own, [own.score(next(row[key] for key in row if key.endswith("_pred")), [row["gt"]]) for row in rows]
    )
    assert (found.value * n / 100, found.n) == (pytest.approx(total), n)
    assert found.value == pytest.approx(printed, abs=0.011)  # some cut the third decimal off


# of turbo-16k-0613, from the leaderboard in L-Eval's repository
F1 = {
    "financial_qa": 45.36,
    "legal_contract_qa": 24.87,
    "multidoc_qa": 31.45,
    "narrative_qa": 18.20,
    "natural_question": 45.90,
    "scientific_qa": 28.25,
}
ROUGE = {"gov_report_summ": (45.90, 15.60, 23.64), "tv_show_summ": (31.97, 5.36, 16.87)}


def test_published_f1_and_rouge_do_not_come_out(shared):
    folder = shared / "predictions" / "leval" / "Predictions" / "ngram_eval" / "turbo-16k-0613"
    found = score_files("leval", str(folder), "", (*F1, *ROUGE), "")["tasks"]
    values = {row["task"]: row for row in found}
    assert {task: values[task]["value"] for task in F1} == pytest.approx(F1, abs=0.011)
    for task, printed in ROUGE.items():
        components = values[task]["components"]
        assert [components[kind] for kind in ("rouge1", "rouge2", "rougeL")] == pytest.approx(printed, abs=0.011)
