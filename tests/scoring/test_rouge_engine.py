"""The ROUGE engine against rouge-score 0.1.2: equal to the last bit, in batches of any size and order."""

import random
import threading
import time
import tracemalloc
from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from scrollwork.scoring.metrics import rouge_geo
from scrollwork.scoring.outcome import GoldError
from scrollwork.scoring.rouge import engine
from scrollwork.scoring.rouge.engine import MEASURES, TYPES, Engine

SHORT = st.text("ab \n", max_size=60)
MARKS = st.sampled_from(
    ["é", "İ", "\u212a", "ſ", "ß", "Σ", "ς", "½", "\ud800", "\0", "\u2028", "\x85", "\r", "_", "--"]
)
WORDS = st.sampled_from(
    ["the", "cats", "cat", "running", "runs", "flies", "sky", "skies", "U.S.", "2019", "\n", "\n\n"]
)
WORDY = st.lists(st.one_of(WORDS, MARKS, st.text("abyse", min_size=1, max_size=18)), max_size=40).map(" ".join)
REPEATED = st.tuples(st.sampled_from(["a", "a b", "a\n", "a b\n", "b a\n\nb"]), st.integers(0, 40)).map(
    lambda drawn: f"{drawn[0]} " * drawn[1]
)
ONE_WORD = st.text("abcdefy", min_size=1, max_size=150)
TEXTS = st.one_of(SHORT, WORDY, REPEATED, ONE_WORD, st.text(max_size=60), st.text("!?.,-' \n", max_size=20))
PAIRS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=6)
ENGINES = {stem: Engine(stem) for stem in (False, True)}  # over all examples: what is kept must not matter
ORACLES = {stem: RougeScorer(list(TYPES), use_stemmer=stem) for stem in (False, True)}


def expected(prediction, references, stem):
    """rouge-score's precision, recall and F-measure of each type."""
    found = ORACLES[stem].score_multi(references, prediction)
    return np.array([[getattr(found[kind], measure) for measure in MEASURES] for kind in TYPES], dtype=float)


@given(PAIRS, st.booleans())
def test_measures_depart_from_rouge_score(pairs, stem):
    found = ENGINES[stem].score([prediction for prediction, _ in pairs], [references for _, references in pairs])
    for (prediction, references), measures in zip(pairs, found, strict=True):
        assert (measures == expected(prediction, references, stem)).all()


@pytest.mark.parametrize("stem", [False, True])
@pytest.mark.parametrize("prediction", ["", " ", "!!!", "\n", "a", "cats", "a b", "é", "x" * 300 + "ing"])
@pytest.mark.parametrize("reference", ["", "...", "\n\n", "a", "cat", "b a", "a\nb", "x" * 300])
def test_text_of_few_tokens_departs_from_rouge_score(prediction, reference, stem):
    found = Engine(stem).score([prediction], [[reference]])[0]
    assert (found == expected(prediction, [reference], stem)).all()


@given(PAIRS, st.booleans(), st.randoms(use_true_random=False))
def test_value_depends_on_the_batch(pairs, stem, rng):
    alone = [rouge_geo.score(prediction, references, stem=stem) for prediction, references in pairs]
    order = rng.sample(range(len(pairs)), len(pairs))
    together = rouge_geo.batch([pairs[k][0] for k in order], [pairs[k][1] for k in order], stem=stem)
    assert together == [alone[k] for k in order]


def test_size_of_a_portion_changes_values(monkeypatch):
    rng = random.Random(5)
    vocabulary = [f"word{number}" for number in range(60)] + ["\n"]
    texts = [" ".join(rng.choices(vocabulary, k=rng.randrange(120))) for _ in range(90)]
    references = [texts[k - 7 : k - 7 + k % 3 + 1] or ["one"] for k in range(90)]
    whole = Engine().score(texts, references)
    monkeypatch.setattr(engine, "AT_ONCE", 4)
    assert (Engine().score(texts, references) == whole).all()
    monkeypatch.setattr(engine, "CHARACTERS_AT_ONCE", 1)
    assert (Engine().score(texts, references) == whole).all()


def test_no_prediction_is_an_error():
    assert Engine().score([], []).shape == (0, 4, 3)
    assert rouge_geo.batch([], []) == []


def test_prediction_without_reference_gets_another_ones():
    with pytest.raises(ValueError, match="must have a reference"):
        Engine().score(["a", "b"], [["a"], []])
    with pytest.raises(ValueError, match="must have a reference"):
        Engine().score(["a", "b"], [["a"]])
    with pytest.raises(GoldError, match="the list is empty"):
        rouge_geo.batch(["a", "b"], [["a"], []])


def test_words_and_references_are_kept_without_bound(monkeypatch):
    monkeypatch.setattr(engine, "KEPT", 3_000_000)
    kept = Engine(stem=True)
    most = 0
    tracemalloc.start()
    try:
        for turn in range(40):
            texts = [" ".join(f"w{turn}x{number}" for number in range(500)) for _ in range(2)]
            assert kept.score(texts[:1], [texts[1:]])[0, 0, 2] == 1.0
            most = max(most, kept.size)
            if turn == 15:
                tracemalloc.reset_peak()
                before = tracemalloc.get_traced_memory()[0]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 3_500_000
    assert peak < before + 8e6


def test_threads_mix_their_references():
    rng = random.Random(3)
    vocabulary = [f"word{number}" for number in range(300)]
    texts = [" ".join(rng.choices(vocabulary, k=80)) for _ in range(60)]
    references = [[text] for text in texts[1:] + texts[:1]]
    shared, alone = Engine(), Engine().score(texts, references)
    found = {}

    def work(name):
        found[name] = [shared.score(texts[name::4], references[name::4]) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in range(4):
        assert all((some == alone[name::4]).all() for some in found[name])


def words(seed, count=50_000):
    """Words with frequencies as in English."""
    rng = np.random.default_rng(seed)
    return [f"w{rank}" for rank in (30 * rng.pareto(1.1, count)).astype(int).tolist()]


def cut(tokens, line):
    """The tokens in lines of that many."""
    return "\n".join(" ".join(tokens[begin : begin + line]) for begin in range(0, len(tokens), line))


LONG = {
    "one line": lambda: (cut(words(1), 50_000), cut(words(2), 50_000)),
    "two lines": lambda: (cut(words(1), 25_000), cut(words(2), 25_000)),
    "lines of 40": lambda: (cut(words(1), 40), cut(words(2), 40)),
    "a word a line": lambda: (cut(words(1), 1), cut(words(2), 1)),
    "lines that share a word": lambda: (
        "".join(f"the w{number}\n" for number in range(25_000)),
        "".join(f"the the v{number}\n" for number in range(17_000)),
    ),
    "no word twice": lambda: (
        cut([f"w{number}" for number in range(50_000)], 25_000),
        cut([f"w{31 * number % 50_000}" for number in range(50_000)], 25_000),
    ),
    "one word": lambda: (cut(["a"] * 50_000, 30_000), cut(["a"] * 50_000, 20_000)),
}


ALIKE = {"no word twice", "one word", "a word a line", "lines of 40", "two lines"}  # the other names go the same ways


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in ALIKE)) for name in LONG])
def test_text_of_50_000_words_takes_minutes_or_fills_the_memory(name):
    prediction, reference = LONG[name]()
    tracemalloc.start()
    began = time.process_time()
    try:
        measures = Engine().score([prediction], [[reference]])[0]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.process_time() - began < 60  # rouge-score: hours, and 20 GB
    assert peak < 250e6
    assert (measures >= 0).all()
    assert (measures <= 1).all()
    assert (measures[0] >= measures[3]).all()  # what is in a subsequence is shared, in order
    assert (measures[0] >= measures[2]).all()
    assert measures[3, 2] > 0


def test_subsequence_of_20_000_different_words_is_not_the_longest_rising_one():
    places = [7919 * number % 20_011 for number in range(20_000)]
    ends: list[int] = []  # smallest end of a rising sequence, by its length
    for place in places:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    words = [" ".join(f"w{number}" for number in numbers) for numbers in (places, range(20_011))]
    found = Engine().score(words[:1], [words[1:]])[0]
    assert found[TYPES.index("rougeL"), 0] == len(ends) / 20_000
    assert found[0, 0] == 1.0
