"""References as a model is asked to write them: not the JSON in which a data set keeps more than that."""

from __future__ import annotations

import pytest

from scrollwork.records.example import Example, metadata
from scrollwork.records.gold import KEPT, findable_answers, written_references
from scrollwork.scoring.names import JUDGED
from scrollwork.suites.suite_files import load_suite

GOLDS = {
    "musique_output": '{"aliases":["Rap A Lot"],"answer_content":"Rap-A-Lot","is_answerable":true}',
    "conll": "[[0,2,13],[1]]",
    "fic_proxy": '{"alignments":["great"],"highlights":[["great"],[]]}',
    "rouge_gm": '{"answer_content":"a summary that looks like JSON"}',
}
SUMMARY = "Guests liked it."


def example(metric: str, **facts: str) -> Example:
    return Example("t", "test", "1", ("d",), (GOLDS[metric],), metadata=metadata(**facts))


@pytest.mark.parametrize(
    ("metric", "text", "in_documents"),
    [
        ("musique_output", "{'is_answerable': True, 'answer_content': 'Rap-A-Lot'}", ("Rap-A-Lot",)),
        ("conll", "[[0, 2, 13], [1]]", ()),
        ("rouge_gm", GOLDS["rouge_gm"], (GOLDS["rouge_gm"],)),
        ("f1", GOLDS["musique_output"], (GOLDS["musique_output"],)),
    ],
)
def test_what_is_to_be_written_is_not_what_a_demonstration_shows(
    metric: str, text: str, in_documents: tuple[str, ...]
) -> None:
    one = example(metric) if metric in GOLDS else example("musique_output")
    assert written_references(one, metric) == (text,)
    assert findable_answers(one, metric) == in_documents


@pytest.mark.parametrize("metric", ["fic_proxy", "fic"])
def test_spans_of_reviews_are_taken_for_a_summary(metric: str) -> None:
    assert written_references(example("fic_proxy"), metric) == findable_answers(example("fic_proxy"), metric) == ()
    assert written_references(example("fic_proxy", summary_text=SUMMARY), metric) == (SUMMARY,)


def test_metric_of_a_suite_whose_gold_is_json_counts_it_as_text() -> None:
    suite = load_suite("seam")
    structured = {task.metric for task in suite.tasks.values() if task.kind != "summarization" or task.proxy}
    assert structured | {*JUDGED} == set(KEPT)


def test_private_references_are_a_crash() -> None:
    for metric in GOLDS:
        assert written_references(Example("t", "test", "1", ("d",), ()), metric) == ()
