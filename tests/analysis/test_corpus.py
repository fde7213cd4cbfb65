from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.analysis.statistics.corpus import EDGES, Corpus, corpus, distributions, histogram, histograms
from scrollwork.records.base import InvalidRow
from scrollwork.records.example import Example
from scrollwork.records.statistics import Bin, Distribution, Spread

TEXTS = {"d1": "One two three four five six seven eight.", "d2": "alpha beta gamma"}
OPTIONS = ("two three four", "five six", "seven eight", "none")


def example(name: str, references: tuple[str, ...], documents: tuple[str, ...] = ("d1",), **more: object) -> Example:
    return Example("t", "test", name, documents, references, suite="s", **more)  # type: ignore[arg-type]


def counted(examples: list[Example], output: str = "references", kind: str = "summarization") -> Corpus:
    words_in = {(one.example_id, one.draw): 100 + place for place, one in enumerate(examples)}
    return corpus(examples, words_in, TEXTS.__getitem__, output=output, kind=kind)


def by_measure(found: Corpus) -> Mapping[str, Distribution]:
    return {row.measure: row for row in distributions(found, "s", "t", "test")}


def test_means_are_of_examples_where_references_are_meant() -> None:
    rows = by_measure(
        counted([example("a", ("one two", "three four five six")), example("b", ("seven",), ("d1", "d2"))])
    )
    assert (rows["words_in"].count, rows["words_in"].mean) == (2, 100.5)
    assert (rows["words_document"].smallest, rows["words_document"].largest) == (8, 11)
    assert (rows["words_out"].count, rows["words_out"].mean) == (3, pytest.approx(7 / 3))
    assert (rows["references"].mean, rows["references"].largest) == (1.5, 2)
    assert "in_document" not in rows


def test_outputs_without_two_found_bigrams_are_counted_as_spread_zero() -> None:
    found = counted([example("a", ("one two three", "one", "one two")), example("b", ("six seven, two three",))])
    assert [(row.example_id, row.reference, row.bigrams, row.found, row.spread) for row in found.spreads] == [
        ("a", 0, 2, 2, 0.5),
        ("a", 1, 0, 0, None),
        ("a", 2, 1, 1, None),
        ("b", 0, 3, 2, 2.0),  # (six seven) at 5, (two three) at 1
    ]
    assert (by_measure(found)["spread"].count, by_measure(found)["spread"].median) == (2, 1.25)


def test_positions_start_anew_in_a_second_document() -> None:
    found = counted([example("a", ("one two and beta gamma",), ("d1", "d2"))])
    assert found.spreads[0].spread == pytest.approx(4.5)  # at 0 and at 9


def test_order_of_examples_moves_rows_or_mixes_documents() -> None:
    listed = [
        example("a", ("one two three",)),
        example("b", ("alpha beta gamma",), ("d2",)),
        example("c", ("two three four",)),
    ]
    found = counted(listed)
    assert [row.example_id for row in found.spreads] == ["a", "b", "c"]
    assert [row.spread for row in found.spreads] == [0.5, 0.5, 0.5]
    assert list(found.values["words_document"]) == [8, 3, 8]


def test_hypotheses_take_the_place_of_labels() -> None:
    found = counted(
        [example("a", ("Entailment",), query="one two and seven eight", options=("Entailment",))], "query", "nli"
    )
    assert [(row.reference, row.spread) for row in found.spreads] == [(None, 3.0)]
    assert by_measure(found)["words_out"].mean == 1


def test_letters_are_measured_as_their_options() -> None:
    found = counted([example("a", ("A",), options=OPTIONS), example("b", ("D",), options=OPTIONS)], "options", "qa")
    assert [row.spread for row in found.spreads] == [0.5, None]
    assert list(found.values["words_out"]) == [1, 1]
    assert list(found.values["in_document"]) == [1.0, 0.0]


def test_share_in_the_document_is_of_examples() -> None:
    found = counted([example("a", ("Two, three", "nine")), example("b", ("unanswerable",))], kind="qa")
    assert list(found.values["in_document"]) == [1.0, 0.0, 0.0]
    assert by_measure(found)["in_document"].mean == pytest.approx(1 / 3)


def test_a_task_without_examples_or_references_has_numbers() -> None:
    for listed in ([], [example("a", ())]):
        rows = by_measure(counted(listed))
        assert (rows["words_out"].count, rows["words_out"].mean, rows["spread"].median) == (0, None, None)
        assert list(histograms(counted(listed), "s", "t", "test"))[1:] == []


def test_an_example_without_prompt_or_an_unknown_output_is_passed_over() -> None:
    with pytest.raises(KeyError):
        corpus([example("a", ("x",))], {}, TEXTS.__getitem__, output="references", kind="qa")
    with pytest.raises(ValueError, match="'answers' is none of references, options, query"):
        counted([], "answers")


def test_edges_are_not_whole_or_not_ten_a_decade() -> None:
    assert EDGES[:16] == (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50)
    for low in (10, 100, 1_000, 10_000):
        assert sum(low <= edge < 10 * low for edge in EDGES) == 10


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (0, 0, 1),
        (0.5, 0, 1),
        (1, 1, 2),
        (6, 6, 8),
        (7.99, 6, 8),
        (8, 8, 10),
        (1000, 1000, 1259),
        (2e8, 79432823, 10**8),
    ],
)
def test_a_value_is_in_the_bin_beside_its_own(value: float, low: int, high: int) -> None:
    assert histogram([value]) == [(low, high, 1)]


@given(st.lists(st.one_of(st.integers(0, 10**6), st.floats(0, 1e6, allow_nan=False)), max_size=60))
def test_histogram_and_counting_each_bin_differ(values: list[float]) -> None:
    found = histogram(values)
    assert sum(count for _, _, count in found) == len(values)
    assert found == sorted(found)
    assert all(count == sum(low <= value < high for value in values) > 0 for low, high, count in found)


@given(st.lists(st.integers(1, 10**5), min_size=1, max_size=60))
def test_quantiles_are_those_of_sorted_values(lengths: list[int]) -> None:
    (row,) = (one for one in distributions(Corpus({"words_in": [float(n) for n in lengths]}), "s", "t", "test"))
    ordered = sorted(lengths)

    def quantile(share: float) -> float:
        place = share * (len(ordered) - 1)
        below = ordered[int(place)]
        return below + (place - int(place)) * (ordered[min(int(place) + 1, len(ordered) - 1)] - below)

    wanted = [quantile(share) for share in (0.05, 0.25, 0.5, 0.75, 0.95)]
    assert [row.p5, row.q1, row.median, row.q3, row.p95] == pytest.approx(wanted)
    assert (row.smallest, row.largest, row.mean) == (ordered[0], ordered[-1], pytest.approx(np.mean(lengths)))


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Distribution("s", "t", "test", "letters", 0), "Distribution.measure"),
        (lambda: Distribution("s", "t", "test", "spread", 0, 1.0), "Distribution.mean"),
        (lambda: Distribution("s", "t", "test", "spread", 3), "Distribution.mean"),
        (lambda: Bin("s", "t", "test", "spread", 5, 5, 1), "Bin.low"),
        (lambda: Bin("s", "t", "test", "spread", 5, 6, 0), "Bin.count"),
        (lambda: Spread("s", "t", "test", "a", 0, 2, 3, 1.0), "Spread.found"),
        (lambda: Spread("s", "t", "test", "a", 0, 2, 1, 0.0), "Spread.spread"),
        (lambda: Spread("s", "t", "test", "a", 0, 2, 2, None), "Spread.spread"),
    ],
)
def test_rows_that_contradict_themselves_are_accepted(build, said) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidRow, match=said):
        build()
