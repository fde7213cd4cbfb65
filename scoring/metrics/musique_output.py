"""Token F1 of whole outputs, as the text of an object with two keys: SEAM's MuSiQue (seam.md 5, 6.4).

The headline `f1_output` compares {'is_answerable': ..., 'answer_content': ...} as text, keys included, as the official
code does: a wrong answer with the right flag gets up to 75, not 0. Reported beside it: `f1_answer`, of the answers
alone, with the word False for an unanswerable question on either side; `answerability_accuracy`, 0 if the reply does
not say; `f1_answerable`, as in the data set's paper: over answerable items only, best over the aliases, whatever the
reply says about answerability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrollwork.scoring.files.prediction import printable
from scrollwork.scoring.outcome import FloatArray, GoldError, Outcome, check_texts
from scrollwork.scoring.parts.gold_json import object_in
from scrollwork.scoring.parts.normalize import scrolls
from scrollwork.scoring.parts.overlap import token_f1
from scrollwork.scoring.reading.answer_objects import answer_object
from scrollwork.scoring.reading.parsing import cut_for_record

NAME = "musique_output"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = ("f1_output", "f1_answer", "answerability_accuracy")
COUNTS = ANSWERABLE, ANSWERABLE_F1 = "sum_answerable", "sum_f1_answerable"
FALSE = "False"  # in place of the answer if there is none


@dataclass(frozen=True, slots=True)
class Gold:
    """The content of a reference. aliases: other right answers, without `answer` itself."""

    answerable: bool
    answer: str
    aliases: tuple[str, ...]

    @property
    def output(self) -> str:
        """Return the text that an output is compared with."""
        return str({"is_answerable": self.answerable, "answer_content": self.answer})


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the outcome of one output; the value is f1_output, components are 0 to 100.

    references: one JSON object {"answer_content": text, "is_answerable": bool, "aliases": [texts]}; aliases may be left
    out. The flag `format_ok` says whether the official code would find its object in the reply, `json_ok` whether a
    person would. Raises GoldError for other references, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    gold = gold_in(references)
    said = answer_object(prediction)
    components = {
        "f1_output": f1(said.official, gold.output),
        "f1_answer": f1(FALSE if said.answerable is False else said.answer, gold.answer if gold.answerable else FALSE),
        "answerability_accuracy": 100.0 * (said.answerable is gold.answerable),
    }
    best = max(f1(said.answer, one) for one in (gold.answer, *gold.aliases)) if gold.answerable else 0.0
    return Outcome(
        components["f1_output"],
        components,
        printable(cut_for_record(said.answer)) if said.json_ok else None,
        {"format_ok": said.format_ok, "json_ok": said.json_ok},
        {ANSWERABLE: float(gold.answerable), ANSWERABLE_F1: best},
    )


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean F1 of outputs, 0 to 100."""
    return means["f1_output"]


def derived(means: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Return f1_answerable over the answerable items, 0 to 100; empty if there are none."""
    answerable = np.asarray(means[ANSWERABLE], dtype=np.float64)
    return {"f1_answerable": means[ANSWERABLE_F1] / answerable} if (answerable > 0).all() else {}


def f1(prediction: str, reference: str) -> float:
    """Return token F1 of the normalised texts, 0 to 100; if a side is empty, 100 if both are, else 0 (SQuAD 2.0)."""
    ours, theirs = (scrolls(text).split() for text in (prediction, reference))
    return 100.0 * (token_f1(ours, theirs) if ours and theirs else float(ours == theirs))


def gold_in(references: Sequence[str]) -> Gold:
    """Parse the gold output. Raises GoldError."""
    found, start = object_in(references, "an output, with its aliases, has")
    answer, answerable, aliases = (found.get(key) for key in ("answer_content", "is_answerable", "aliases"))
    if not isinstance(answer, str):
        raise GoldError(f'{start}: "answer_content" must be a text')
    if not isinstance(answerable, bool):
        raise GoldError(f'{start}: "is_answerable" must be true or false')
    if not isinstance(aliases, list | None) or not all(isinstance(one, str) for one in aliases or ()):
        raise GoldError(f'{start}: "aliases" must be a list of texts')
    return Gold(answerable, answer, tuple(aliases or ()))
