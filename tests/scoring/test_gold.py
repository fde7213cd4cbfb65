"""Inputs that no answer can be scored for: told apart before anything is scored."""

import pytest

from scrollwork.scoring.answers import gold_problem
from scrollwork.scoring.outcome import PRIVATE
from scrollwork.scoring.registry import known_metrics, metric


@pytest.mark.parametrize("name", known_metrics())
def test_private_references_are_taken_for_gold(name):
    assert gold_problem(metric(name), ()) == PRIVATE


@pytest.mark.parametrize(
    ("name", "references", "problem"),
    [
        ("accuracy", ("None",), "names no answer letter"),
        ("accuracy", ("B", "None"), "names no answer letter"),
        ("es", ("half",), "holds no percentage"),
        ("concordance", ("1",), "holds 1 ids"),
        ("accuracy", ("B",), ""),
        ("es", ("70%",), ""),
        ("concordance", ("2, 1",), ""),
        ("f1", ("",), ""),
        ("em", ("None",), ""),
        ("rouge_geo", ("",), ""),
        ("leval_exam", ("E",), "names no answer letter"),
        ("leval_exam_multi", ("none of them",), "names no answer letter"),
        ("leval_exam", ("(B) It was",), ""),
        ("longbench_retrieval", ("19",), "names no paragraph"),
        ("longbench_count", ("many",), "is no number"),
        ("longbench_classification", ("x",), "options must hold the classes"),
    ],
)
def test_gold_that_a_metric_cannot_read_is_found_only_at_the_first_answer(name, references, problem):
    found = gold_problem(metric(name), references)
    assert problem in found
    assert bool(found) == bool(problem)
