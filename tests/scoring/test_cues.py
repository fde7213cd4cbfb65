"""Answers behind a cue of the prompt: which part of a reply a task scores (seam.md 5)."""

import pytest

from scrollwork.scoring.answers import scores
from scrollwork.scoring.metrics import fic_proxy, rouge_gm
from scrollwork.scoring.reading.extraction import ANSWER_CUE, FUSION_CUE, NO_ANSWER

GOLD = ["The cat was sitting on the mat."]


def response(text):
    """The values of SCORED."""
    return "seam", "multi_news", "test", "e", 3, "m", "full", text, None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The cat sat on the mat.", 68.5947),
        (f"The whole prompt again {ANSWER_CUE} no {ANSWER_CUE} The cat sat on the mat.", 68.5947),
    ],
)
def test_what_stands_before_the_cue_is_scored(text, value):
    (score,) = scores(rouge_gm, [response(text)], {"e": GOLD}, cue=ANSWER_CUE)
    assert (score.draw, score.metric) == (3, "rouge_gm")
    assert score.value == pytest.approx(value, abs=5e-5)


def test_cue_of_another_task_is_obeyed():
    text = f"Another cue {FUSION_CUE} The cat sat on the mat."
    (score,) = scores(rouge_gm, [response(text)], {"e": GOLD}, cue=ANSWER_CUE)
    assert 0 < score.value == rouge_gm.score(text, GOLD).value < 60


def test_empty_fusion_is_not_the_word_that_stands_for_it():
    gold = {"e": ['{"highlights": [["no answer at all"]], "alignments": ["answer"]}']}
    told = [list(scores(fic_proxy, [response(" ")], gold, cue=FUSION_CUE, empty=empty)) for empty in (NO_ANSWER, "")]
    assert [round(score.value, 4) for (score,) in told] == [100.0, 0.0]


def test_cue_is_looked_for_outside_of_the_tag():
    (score,) = scores(
        rouge_gm,
        [response(f"<answer>{ANSWER_CUE} The cat sat on the mat.</answer> {ANSWER_CUE} no")],
        {"e": GOLD},
        tag="answer",
        cue=ANSWER_CUE,
    )
    assert score.value == pytest.approx(68.5947, abs=5e-5)
