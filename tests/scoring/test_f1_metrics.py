"""Both token F1s against the vectors (zeroscrolls.md 11 and scrolls.md 8 print the same table)."""

import warnings

import pytest

from scrollwork.scoring.aggregate import combine
from scrollwork.scoring.metrics import f1, f1_scrolls
from scrollwork.scoring.outcome import GoldError

# id, prediction, references, ZeroSCROLLS F1, SCROLLS F1
VECTORS = [
    ("F1", "Paris", ["Paris"], 1.0000, 1.0000),
    ("F2", "the Paris", ["Paris"], 1.0000, 1.0000),
    ("F3", "It is in Paris, France.", ["Paris"], 0.3333, 0.3333),
    ("F4", "It is in Paris, France.", ["Paris", "Paris, France"], 0.5714, 0.5714),
    ("F5", "", ["Paris"], 0.0000, 0.0000),
    ("F6", "", [""], 0.0000, 0.0000),
    ("F7", "the", ["a"], 0.0000, 0.0000),
    ("F8", "Beyoncé", ["Beyonce"], 1.0000, 0.0000),
    ("F9", "Æthelred the Unready", ["Aethelred Unready"], 1.0000, 0.5000),
    ("F10", "Unanswerable", ["unanswerable"], 1.0000, 1.0000),
    ("F11", "The question is unanswerable.", ["unanswerable"], 0.5000, 0.5000),
    ("F12", "red red blue", ["red blue blue"], 0.6667, 0.6667),
    ("F13", "state-of-the-art", ["state of the art"], 0.0000, 0.0000),
    ("F14", "state-of-the-art", ["stateoftheart"], 1.0000, 1.0000),
    ("F15", "U.S.", ["us"], 1.0000, 1.0000),
    ("F16", "10%", ["10"], 1.0000, 1.0000),
    ("F17", "don't", ["dont"], 1.0000, 1.0000),
    ("F18", "don’t", ["dont"], 0.0000, 0.0000),
    ("F19", "“quoted”", ["quoted"], 0.0000, 0.0000),
    ("F20", "naïve—approach", ["naive--approach"], 0.0000, 0.0000),
    ("F21", "北京", ["Bei Jing"], 0.0000, 0.0000),
    ("F22", "北京", ["北京"], 1.0000, 1.0000),
    ("F23", "½ cup", ["1/2 cup"], 0.5000, 0.5000),
    ("F24", "BERT, RoBERTa and ALBERT", ["RoBERTa, BERT"], 0.6667, 0.6667),
    ("F25", "Yes.", ["yes", "no"], 1.0000, 1.0000),
    ("F26", "An apple a day", ["apple day"], 1.0000, 1.0000),
    (
        "F27",
        "German-English, French-English",
        ["German-English, French-English, and Japanese-English"],
        0.6667,
        0.6667,
    ),
]


@pytest.mark.parametrize(("name", "prediction", "references", "zero_scrolls", "scrolls"), VECTORS)
def test_f1_departs_from_the_fact_sheet(name, prediction, references, zero_scrolls, scrolls):
    assert f1.score(prediction, references).value / 100 == pytest.approx(zero_scrolls, abs=5e-5)
    assert f1_scrolls.score(prediction, references).value / 100 == pytest.approx(scrolls, abs=5e-5)


def test_official_example_departs_from_its_documentation():
    pairs = [("exact match example", "exact match example"), ("hello there", "hello")]
    pairs.append(("general kenobi", "commander kenobi"))
    outcomes = [f1_scrolls.score(prediction, [reference]) for prediction, reference in pairs]
    assert combine(f1_scrolls, outcomes).value == pytest.approx(72.2222, abs=5e-5)


def test_transliteration_before_deleting_punctuation_merges_words():
    # deleted as ASCII after transliteration, the dash would leave one word on both sides and score 100
    assert f1.score("rock—roll", ["rockroll"]).value == 0.0
    assert f1.score("Œuvre", ["oeuvre"]).value == 100.0


def test_article_made_by_transliteration_is_deleted():
    assert f1.score("ą cat", ["cat"]).value == pytest.approx(200 / 3)


def test_lone_surrogate_warns_or_counts_as_a_letter():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f1.score("Par\ud800is", ["Paris"]).value == 100.0
        assert f1_scrolls.score("Par\ud800is", ["Paris"]).value == 0.0


@pytest.mark.parametrize("module", [f1, f1_scrolls])
def test_missing_reference_scores_zero_instead_of_failing(module):
    with pytest.raises(GoldError, match="the list is empty"):
        module.score("text", [])
