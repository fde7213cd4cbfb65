"""Answers scored in portions: the same outcomes in the same order, errors by name, a portion held at a time."""

import pytest

from scrollwork.records.base import InvalidRow
from scrollwork.scoring import batches
from scrollwork.scoring.answers import scores
from scrollwork.scoring.batches import outcomes
from scrollwork.scoring.metrics import f1, rouge_geo
from scrollwork.scoring.outcome import GoldError
from scrollwork.scoring.registry import metric


def named(key, error):
    return LookupError(f"{key}: {error}")


def gold(*references):
    return {"references": list(references)}


@pytest.mark.parametrize("chosen", [f1, rouge_geo, metric("rouge_geo", stem=True)])
@pytest.mark.parametrize("portion", [1, 3, 256])
def test_outcome_is_given_to_another_answer(chosen, portion, monkeypatch):
    monkeypatch.setattr(batches, "AT_ONCE", portion)
    items = [(number, f"cats w{number}", gold(f"cat w{number}", "dogs")) for number in range(10)]
    found = list(outcomes(chosen, iter(items), named))
    assert found == [(number, chosen.score(text, **wanted)) for number, text, wanted in items]


@pytest.mark.parametrize("chosen", [f1, rouge_geo])
def test_reference_that_cannot_be_scored_is_not_named(chosen):
    items = [("first", "a", gold("a")), ("second", "a", gold()), ("third", "a", gold())]
    with pytest.raises(LookupError, match="second: references must hold at least one text") as found:
        list(outcomes(chosen, items, named))
    assert isinstance(found.value.__cause__, GoldError)


def test_all_answers_are_held_at_once(monkeypatch):
    monkeypatch.setattr(batches, "AT_ONCE", 4)
    read = []

    def items():
        for number in range(100):
            read.append(number)
            yield number, "a", gold("a")

    found = outcomes(rouge_geo, items(), named)
    for number, _ in found:
        assert len(read) <= number + 4
    assert len(read) == 100


def test_long_answers_are_held_by_the_hundred(monkeypatch):
    monkeypatch.setattr(batches, "CHARACTERS_AT_ONCE", 100)
    read = []
    items = ((number, "a" * 60, gold("b")) for number in range(20) if not read.append(number))
    assert next(outcomes(rouge_geo, items, named))[0] == 0
    assert read == [0, 1]


def test_no_answer_is_an_error():
    assert list(outcomes(rouge_geo, [], named)) == []


@pytest.mark.parametrize(
    ("answer", "references", "error", "said"),
    [
        ("yes", (), GoldError, "^t, example e: references must hold at least one text"),
        (None, ("yes",), InvalidRow, "^Response.text: expected text, got NoneType"),
        (3, ("yes",), InvalidRow, "^Response.text: expected text, got int"),
    ],
)
def test_answer_that_cannot_be_scored_is_not_named(answer, references, error, said):
    """As an artifact gives it that another program wrote."""
    with pytest.raises(error, match=said):
        list(scores(f1, [("s", "t", "test", "e", 0, "m", "full", answer, None)], {"e": references}))


def test_score_has_the_labels_of_another_answer_or_counts_what_is_not_scored():
    rows = [("s", "t", "test", "e", draw, "m", "full", "yes no", limit) for draw, limit in enumerate((None, 3))]
    found = list(scores(f1, rows, {"e": ("yes",)}, read=lambda name, text: (text, {name: True})))
    assert [(one.example_id, one.draw, one.model, one.arm, one.value) for one in found] == [
        ("e", 0, "m", "full", pytest.approx(200 / 3)),
        ("e", 1, "m", "full", 100.0),
    ]
    assert found[0].flags == {"e": True}
