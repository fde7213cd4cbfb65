"""Whatever a model writes: a score in range, no error, and time that grows with the length."""

import tracemalloc
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.scoring.registry import known_metrics, metric
from tests.cpu_clock import cpu_seconds

GOLD = {
    "accuracy": ["B"],
    "es": ["60%"],
    "concordance": ["2, 1, 3"],
    "em": ["the gold answer"],
    "f1": ["the gold answer", "½ Œuvre"],
    "f1_scrolls": ["the gold answer"],
    "rouge_geo": ["The gold answer.\nIt has two lines.", "one more"],
    "leval_exam": ["B", "ACD"],
    "leval_exam_multi": ["ACD"],
    "longbench_qa_f1": ["the gold answer"],
    "longbench_rouge_l": ["The gold answer. It has two sentences. a 1 y é ½ A _ 1, . x", "one more"],
    "longbench_classification": ["a gold class"],
    "longbench_retrieval": ["Paragraph 1"],
    "longbench_count": ["1"],
    "longbench_code": ["    return self.frobnicate(a, 1, y=0, A=b'1%', **kwargs)  ½ é_ ([(1.1.", "x"],
    "rouge_gm": ["The gold answer.\nIt has two lines.", "one more"],
    "musique_output": ['{"answer_content": "the gold answer", "is_answerable": true, "aliases": ["½ Œuvre"]}'],
    "conll": ["[[1, 2], [3], [10, 11]]"],
    "fic_proxy": ['{"highlights": [["the gold answer"], ["y 1"]], "alignments": ["a 1", "½ y"]}'],
    "dolce_accuracy": ["1", "B"],
}
OPTIONS = {"longbench_classification": {"options": ["gold", "a gold class", "y", "1", "a", "%"]}}
REPEATED = [
    "(",
    "[",
    "1",
    "0",
    "%",
    ".",
    "1.",
    "1%",
    ".%",
    "\0",
    "\ud800",
    "a ",
    "a\n",
    "y",
    "A",
    "_",
    "é",
    "1,",
    "1 ",
    "½",
    "\n",
    "[1",
    "[1, 2], ",
    "{",
    "{'is_answerable': ",
    "__import__('os')",
]
SIZE = 1_000_000
SMALLER = 16


@given(st.data(), st.sampled_from(sorted(known_metrics())))
def test_text_raises_or_scores_out_of_range(data, name):
    words = st.sampled_from(["A", "B", "60%", "1", "2, 3", "the", "gold", "\n", "\0", "\ud800", "٣", "½"])
    text = data.draw(st.one_of(st.text(st.characters(codec=None), max_size=80), st.lists(words).map(" ".join)))
    outcome = metric(name).score(text, GOLD[name], **OPTIONS.get(name, {}))
    assert 0.0 <= outcome.value <= 100.0
    assert all(0.0 <= component <= 100.0 for component in outcome.components.values())


# Every metric with some of the units, every unit with some of the metrics; the rest is slow.
PAIRS = [
    pytest.param(name, unit, marks=[pytest.mark.slow] * ((place + number) % 12 > 0), id=f"{unit!a}-{name}")
    for place, unit in enumerate(REPEATED)
    for number, name in enumerate(known_metrics())
]


@pytest.mark.parametrize(("name", "unit"), PAIRS)
def test_megabyte_of_one_thing_costs_more_than_its_length(name, unit):
    chosen = partial(metric(name).score, references=GOLD[name], **OPTIONS.get(name, {}))
    small, large = (unit * (size // len(unit)) for size in (SIZE // SMALLER, SIZE))
    chosen("warm up")
    little, _ = cpu_seconds(lambda: chosen(small))
    much, outcome = cpu_seconds(lambda: chosen(large))
    assert 0.0 <= outcome.value <= 100.0
    # linear: 16 times; quadratic: 256 times. Below 20 ms a clock says little.
    assert much < 100 * max(little, 0.02)


def test_megabyte_of_words_fills_the_memory_of_rouge():
    words = " ".join(f"w{k % 977}" for k in range(200_000))
    reference = " ".join(f"w{k * 7 % 977}" for k in range(500))
    tracemalloc.start()
    try:
        outcome = metric("rouge_geo").score(words, [reference])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert outcome.components["rougeL"] > 0.0
    assert peak < 300e6  # rouge-score's table takes 800 MB


def test_word_of_a_megabyte_stops_the_stemmer():
    stemmed = metric("rouge_geo", stem=True)
    for letter in "yea":
        assert stemmed.score(letter * SIZE, ["yes"]).value == 0.0
