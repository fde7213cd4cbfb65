"""ROUGE against the vectors of both fact sheets (zeroscrolls.md 11 and scrolls.md 8 print the same table)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from scrollwork.scoring.aggregate import combine
from scrollwork.scoring.metrics import rouge_geo
from scrollwork.scoring.outcome import GoldError, PredictionError
from scrollwork.scoring.registry import metric

# id, prediction, references, R1, R2, RL, geometric mean
VECTORS = [
    (
        "R1",
        "The cat sat on the mat.",
        ["The cat was sitting on the mat."],
        76.9231,
        54.5455,
        76.9231,
        68.5947,
    ),
    (
        "R2",
        "The agency issued 12 reports in 2019.",
        ["In 2019, the agency issued twelve reports."],
        85.7143,
        50.0000,
        57.1429,
        62.5646,
    ),
    ("R3", "running runs ran", ["run running runner"], 33.3333, 0.0000, 33.3333, 0.0000),
    ("R4", "", ["The cat sat."], 0.0000, 0.0000, 0.0000, 0.0000),
    ("R5", "!!! ---", ["The cat sat."], 0.0000, 0.0000, 0.0000, 0.0000),
    ("R6", "The cat sat.", [""], 0.0000, 0.0000, 0.0000, 0.0000),
    ("R7", "cat", ["cat"], 100.0000, 0.0000, 100.0000, 0.0000),
    ("R8", "the cat ran fast", ["the cat sat", "a dog ran fast"], 57.1429, 40.0000, 57.1429, 50.7374),
    (
        "R9",
        "the cat sat on a log near the river",
        ["the cat sat near a river", "on a log near the river sat the dog"],
        88.8889,
        62.5000,
        66.6667,
        71.8145,
    ),
    ("R10", "naïve café résumé", ["naive cafe resume"], 0.0000, 0.0000, 0.0000, 0.0000),
    ("R11", "naïve café", ["naïve café"], 100.0000, 100.0000, 100.0000, 100.0000),
    ("R12", "the U.S. economy", ["the us economy"], 57.1429, 0.0000, 57.1429, 0.0000),
    ("R13", "U_S_B_ connection", ["usb connection"], 33.3333, 0.0000, 33.3333, 0.0000),
    ("R14", "a b c d e", ["e d c b a"], 100.0000, 0.0000, 20.0000, 0.0000),
    ("R15", "Line one.\nLine two.", ["Line one. Line two."], 100.0000, 100.0000, 100.0000, 100.0000),
]

BY_ID = {vector[0]: vector for vector in VECTORS}
# The items of the official documentation example, as remembered: the sheets print its aggregates only.
OFFICIAL_EXAMPLE = [
    ("exact match example", ["exact match example"]),
    ("hello there", ["hello"]),
    ("general kenobi", ["commander kenobi"]),
]


def items(*names):
    return [(BY_ID[name][1], BY_ID[name][2]) for name in names]


# name, items, mean R1, mean R2, mean RL, geometric mean of means, mean of per-instance geometric means
DATASETS = [
    ("RD1", OFFICIAL_EXAMPLE, 72.2222, 33.3333, 72.2222, 55.8136, 33.3333),
    ("RD2", items("R1", "R7"), 88.4615, 27.2727, 88.4615, 59.7603, 34.2974),
    ("RD3", items("R1", "R2", "R8"), 73.2601, 48.1818, 63.7363, 60.8199, 60.6322),
]
WORDS = st.sampled_from(["the", "cat", "cats", "sat", "sitting", "a", "on", "é", "U.S.", "12", "\n", "\n\n", "-"])
TEXTS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=25).map(" ".join))


@pytest.mark.parametrize(("name", "prediction", "references", "r1", "r2", "rl", "geo"), VECTORS)
def test_rouge_of_one_answer_departs_from_the_fact_sheet(name, prediction, references, r1, r2, rl, geo):
    outcome = rouge_geo.score(prediction, references)
    found = [outcome.components[kind] for kind in ("rouge1", "rouge2", "rougeL", "per_instance_mean")]
    assert found == pytest.approx([r1, r2, rl, geo], abs=5e-5)
    assert outcome.value == outcome.components["per_instance_mean"]


@pytest.mark.parametrize(("name", "pairs", "r1", "r2", "rl", "geo_of_means", "mean_of_geos"), DATASETS)
def test_dataset_value_is_not_the_geometric_mean_of_means(name, pairs, r1, r2, rl, geo_of_means, mean_of_geos):
    summary = combine(rouge_geo, [rouge_geo.score(*pair) for pair in pairs])
    found = [summary.components[kind] for kind in ("rouge1", "rouge2", "rougeL", "per_instance_mean")]
    assert found == pytest.approx([r1, r2, rl, mean_of_geos], abs=5e-5)
    assert summary.value == pytest.approx(geo_of_means, abs=5e-5)


def test_reference_of_one_type_is_forced_on_the_other_types():
    prediction, references = BY_ID["R9"][1:3]
    best = rouge_geo.score(prediction, references).components
    alone = [rouge_geo.score(prediction, [reference]).components for reference in references]
    for kind in ("rouge1", "rouge2", "rougeL", "rougeLsum"):
        assert best[kind] == max(one[kind] for one in alone)


def test_value_of_one_answer_takes_all_types_from_one_reference():
    # the first reference is best in R1, the second in R2: neither alone gives the product
    outcome = rouge_geo.score("a b c d", ["d c b a", "a b x y z"])
    kinds = outcome.components
    assert outcome.value == pytest.approx(math.cbrt(kinds["rouge1"] * kinds["rouge2"] * kinds["rougeL"]))
    assert kinds["rouge1"] == 100.0
    assert kinds["rouge2"] > 0


def test_stemmer_is_on_without_being_asked_for():
    assert rouge_geo.score("running runs ran", ["run running runner"]).components["rouge1"] < 34
    stemmed = metric("rouge_geo", stem=True).score("running runs ran", ["run running runner"])
    assert stemmed.components["rouge1"] == pytest.approx(200 / 3)


def test_summary_level_rouge_ignores_line_breaks():
    whole = rouge_geo.score("one two\nthree four", ["three four\none two"]).components
    assert (whole["rougeL"], whole["rougeLsum"]) == (50.0, 100.0)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3), st.booleans())
def test_rouge_departs_from_rouge_score(prediction, references, stem):
    expected = RougeScorer(list(rouge_geo.ROUGE), use_stemmer=stem).score_multi(references, prediction)
    found = rouge_geo.score(prediction, references, stem=stem).components
    assert {kind: found[kind] for kind in rouge_geo.ROUGE} == {
        kind: 100.0 * value.fmeasure for kind, value in expected.items()
    }


def test_headline_of_arrays_differs_from_the_headline_of_each_number():
    rng = np.random.default_rng(7)
    means = {kind: rng.uniform(0, 100, 50) for kind in rouge_geo.COMPONENTS}
    means["rouge2"][3] = 0.0
    each = [rouge_geo.headline({kind: values[k] for kind, values in means.items()}) for k in range(50)]
    assert rouge_geo.headline(means) == pytest.approx(each)
    assert each[3] == 0.0


def test_perfect_answer_scores_above_one_hundred_by_rounding():
    assert rouge_geo.score("one two three", ["one two three"]).value == 100.0
    assert rouge_geo.headline(dict.fromkeys(rouge_geo.COMPONENTS, 100.0)) == 100.0


def test_missing_reference_scores_zero_instead_of_failing():
    with pytest.raises(GoldError, match="the list is empty"):
        rouge_geo.score("text", [])
    with pytest.raises(GoldError, match="reference 2 must be text, not NoneType"):
        rouge_geo.score("text", ["fine", None])
    with pytest.raises(GoldError, match="not one text"):
        rouge_geo.score("text", "reference")
    with pytest.raises(PredictionError, match="not NoneType"):
        rouge_geo.score(None, ["reference"])


@given(st.lists(st.text(st.sampled_from("the Cat\n.2 "), max_size=20), min_size=1, max_size=3), st.booleans())
def test_empty_answer_alone_scores_other_than_among_others(references: list[str], stem: bool) -> None:
    assert rouge_geo.score("", references, stem=stem) == rouge_geo.batch([""], [references], stem=stem)[0]
