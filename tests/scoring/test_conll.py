"""Clusters of mention ids against the vectors of seam.md 5 and 8.3, and against the PyPI package `scorch`."""

import json
import random

import numpy as np
import pytest
from scorch.scores import b_cubed, ceaf_e, muc

from scrollwork.scoring.aggregate import combine
from scrollwork.scoring.metrics import conll
from scrollwork.scoring.outcome import GoldError
from scrollwork.scoring.reading.cluster_lists import cluster_of, clusters_in
from tests.cpu_clock import cpu_seconds

K = [[1, 2, 3], [4, 5], [6]]
K2 = [[1, 2, 3, 4], [5, 6, 7], [8, 9], [10]]
SINGLETONS = [[1], [2], [3], [4], [5], [6]]
B = [[1, 2], [3], [4, 5], [6]]
F = [[1, 2, 5], [3, 4], [6, 7, 8], [9, 10]]
S = [[1, 2, 3], [4, 5, 99]]

# id, key, response, modes, MUC, B-cubed, CEAF-e, CoNLL
VECTORS = [
    ("A", K, K, "keep drop_both", 1, 1, 1, 1.0),
    ("A", K, K, "official", 1, 0.909091, 0.8, 0.903030),
    ("B", K, B, "keep", 0.8, 0.875, 0.8, 0.825000),
    ("B", K, B, "official", 0.8, 0.714286, 0.72, 0.744762),
    ("B", K, B, "drop_both", 0.8, 0.8, 0.9, 0.833333),
    ("C", K, [[1, 2, 3, 4, 5, 6]], "keep official", 0.75, 0.56, 0.333333, 0.547778),
    ("C", K, [[1, 2, 3, 4, 5, 6]], "drop_both", 0.75, 0.530612, 0.444444, 0.575019),
    ("D", K, SINGLETONS, "keep", 0, 0.666667, 0.481481, 0.382716),
    ("D", K, SINGLETONS, "official drop_both", 0, 0, 0, 0),
    ("E", K, [], "keep official drop_both", 0, 0, 0, 0),
    ("F", K2, F, "keep official", 0.5, 0.598148, 0.516667, 0.538272),
    ("F", K2, F, "drop_both", 0.5, 0.549020, 0.523810, 0.524276),
    ("S", K, S, "keep official", 0.857143, 0.773810, 0.72, 0.783651),
    ("S", K, S, "drop_both", 0.857143, 0.838710, 0.9, 0.865284),
    ("aligned", [[1], [2, 3], [4, 5]], [[2, 3], [4, 5]], "official", 1, 0.888889, 0.8, 0.896296),
]
# reply, cluster of each mention once lists of one are dropped, format_ok
REPLIES = [
    ("[[1, 2, 3], [4, 5], [6]]", {"1": 0, "2": 0, "3": 0, "4": 1, "5": 1}, True),
    ("[[1, 2, 3], [4, 5", {"1": 0, "2": 0, "3": 0, "4": 1, "5": 1}, True),
    ("[[1,2],[2,3]]", {"1": 0, "2": 1, "3": 1}, True),
    ("Clusters: [1, 2] and [3, 4] because", {"1": 0, "2": 0, "3": 1, "4": 1}, True),
    ('[[1, 2], ["3", "4"]]', {"1": 0, "2": 0}, True),
    ("[]", {}, False),
    ("[[]]", {}, False),
    ("There are no clusters here.", {}, False),
]


def written(clusters):
    return json.dumps([sorted(some) for some in clusters])


def outcome(key, response):
    return conll.score(written(response), [written(key)])


@pytest.mark.parametrize(("name", "key", "response", "modes", "m", "b", "c", "mean"), VECTORS)
def test_f1_departs_from_the_fact_sheet(name, key, response, modes, m, b, c, mean):
    found = outcome(key, response)
    for mode in modes.split():
        values = [found.components[f"{one}_{mode}"] / 100 for one in ("muc", "b_cubed", "ceaf_e", "conll")]
        assert values == pytest.approx([m, b, c, mean], abs=1e-6)
    assert found.value == found.components["conll_official"]
    assert found.counts["sum_spurious"] == (name == "S")


def test_micro_and_macro_are_taken_for_each_other():
    summary = combine(conll, [outcome(K, B), outcome(K2, F)])
    micro = {"keep": 0.646648, "official": 0.607184, "drop_both": 0.626338}
    macro = {"keep": 0.681636, "official": 0.641517, "drop_both": 0.678805}
    for mode in conll.MODES:
        assert summary.components[f"micro_conll_{mode}"] / 100 == pytest.approx(micro[mode], abs=1e-6)
        assert summary.components[f"conll_{mode}"] / 100 == pytest.approx(macro[mode], abs=1e-6)
    assert summary.value == summary.components["micro_conll_official"]


@pytest.mark.parametrize(("reply", "mentions", "format_ok"), REPLIES)
def test_reply_is_read_otherwise_than_by_the_official_code(reply, mentions, format_ok):
    clusters = [some for some in clusters_in(reply) if len(some) > 1]
    assert cluster_of(clusters) == mentions
    assert conll.score(reply, ["[[1, 2, 3], [4, 5], [6]]"]).flags["format_ok"] is format_ok


@pytest.mark.parametrize(
    ("reply", "clusters"),
    [
        ("[01, 2]", [["1", "2"]]),
        ("[ , ]", []),
        ("[1,,2]", [["1", "2"]]),
        ("[1 2]", [["1", "2"]]),
        ("[000, 00]", [["0", "0"]]),
        ("[1, 2", [["1", "2"]]),
        ("[ [1, 2", [["1", "2"]]),
        ("[1, 2] [3, 4 [5, 6", [["1", "2"], ["3", "4"]]),
        ("[1, 2 [3, 4]", [["3", "4"]]),
        ("[1,\n2]", [["1"]]),
        ("[-1, 2], [+3, 4], [x, 5]", []),
        ("[1.5, 2]", [["1"]]),  # cut off at the point, as the official rule has it
        ("[１, ２]", []),
        ("(1, 2)", []),
        ("__import__('os').system('true') [1, 2]", [["1", "2"]]),
    ],
)
def test_odd_list_crashes_or_is_misread(reply, clusters):
    assert clusters_in(reply) == clusters


def test_list_of_one_id_written_twice_is_a_singleton():
    found = conll.score("[[6, 6], [1, 2, 3], [4, 5]]", [written(K)])
    assert found.components["b_cubed_official"] == 100.0  # length counts duplicates, as in the official code
    assert found.components["b_cubed_drop_both"] == 100.0


def test_singleton_takes_a_mention_from_an_earlier_cluster_in_mode_official():
    found = conll.score("[[1, 2, 3], [4, 5], [6], [5]]", [written(K)])
    assert found.components["b_cubed_official"] == pytest.approx(100 * 0.909091, abs=1e-4)
    assert found.components["b_cubed_keep"] < 95


@pytest.mark.parametrize(
    ("reply", "json_ok"),
    [
        ("[[1, 2], [3]]", True),
        ("```json\n[[1, 2], [3]]\n```", True),
        ("```\n[[1]]\n```", True),
        ("[[1, 2], [3]] as asked", False),
        ("[1, 2]", False),
        ("[[1, true]]", False),
        ("[[1, 2], []]", False),
        ('[["1"]]', False),
        ("[" * 100_000, False),
    ],
)
def test_list_of_lists_is_not_told_from_prose(reply, json_ok):
    assert conll.score(reply, [written(K)]).flags["json_ok"] is json_ok


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("{}", "is no list of clusters"),
        ("[]", "is no list of clusters"),
        ("[[]]", "is no list of clusters"),
        ("[[1], 2]", "is no list of clusters"),
        ("[[1, -2]]", "no whole numbers"),
        ("[[1, true]]", "no whole numbers"),
        ('[["1"]]', "no whole numbers"),
        ("[[1, 2], [2]]", "occurs twice"),
    ],
)
def test_gold_that_is_no_clustering_scores(reference, problem):
    with pytest.raises(GoldError, match=problem):
        conll.score("[[1, 2]]", [reference])


def test_second_reference_is_ignored():
    with pytest.raises(GoldError, match="one reference, not 2"):
        conll.score("[[1, 2]]", ["[[1, 2]]", "[[1], [2]]"])


def clusterings(rng):
    """A key and a response as models make them: near it, far from it, with missing and spurious mentions."""
    mentions, clusters = rng.randint(1, 60), rng.randint(1, 30)
    key, response = {}, {}
    noise = rng.random()
    for mention in range(mentions):
        at = rng.randrange(clusters)
        key.setdefault(at, set()).add(mention)
        if rng.random() > 0.1:
            response.setdefault(at if rng.random() > noise else rng.randrange(clusters), set()).add(mention)
    for spurious in range(rng.choice((0, 0, 3))):
        response.setdefault(rng.randrange(clusters), set()).add(1000 + spurious)
    return list(key.values()), list(response.values())


def by_scorch(key, response, mode):
    """F1 of the three metrics and their mean, on what the mode leaves of both sides."""
    key = [some for some in key if mode != "drop_both" or len(some) > 1]
    response = [some for some in response if mode == "keep" or len(some) > 1]
    if not set().union(*key) & set().union(*response):
        return [0.0] * 4  # of which scorch cannot take the harmonic mean
    each = [metric(key, response)[2] for metric in (muc, b_cubed, ceaf_e)]
    return [*each, sum(each) / 3]


@pytest.mark.slow
def test_scores_depart_from_scorch():
    rng = random.Random(11)
    pairs = [clusterings(rng) for _ in range(3000)]
    found = conll.batch([written(response) for _, response in pairs], [[written(key)] for key, _ in pairs])
    for (key, response), one in zip(pairs, found, strict=True):
        for mode in conll.MODES:
            ours = [one.components[f"{name}_{mode}"] / 100 for name in ("muc", "b_cubed", "ceaf_e", "conll")]
            assert ours == pytest.approx(by_scorch(key, response, mode), abs=1e-12), (key, response, mode)
        assert one.counts["sum_spurious"] == len({m for some in response for m in some if m >= 1000})


def test_order_of_clusters_or_ids_changes_the_score():
    rng = random.Random(12)
    for _ in range(150):
        key, response = clusterings(rng)
        ours = outcome(key, response)
        shuffled = [rng.sample(sorted(some), len(some)) for some in rng.sample(response, len(response))]
        other = conll.score(str(shuffled), [written(rng.sample(key, len(key)))])
        assert other.components == pytest.approx(ours.components, abs=1e-9)


def test_score_depends_on_what_stands_beside_it():
    rng = random.Random(5)
    pairs = [clusterings(rng) for _ in range(200)]
    texts, gold = [written(response) for _, response in pairs], [[written(key)] for key, _ in pairs]
    together = conll.batch(texts, gold)
    assert together == [conll.score(*pair) for pair in zip(texts, gold, strict=True)]
    assert together == conll.batch(texts[::-1], gold[::-1])[::-1]


def test_headline_of_arrays_differs_from_the_headline_of_each_number():
    found = [outcome(K, B), outcome(K2, F), outcome(K, [])]
    means = {name: np.array([one.counts[name] for one in found]) for name in conll.COUNTS}
    assert conll.headline(means) == pytest.approx([one.value for one in found])


def test_gold_of_singletons_alone_divides_by_zero():
    found = outcome([[1], [2]], [[1], [2]])
    assert found.components["conll_keep"] == pytest.approx(200 / 3)  # MUC knows no singletons
    assert found.components["conll_drop_both"] == 0.0


def test_number_of_digits_of_an_id_ends_in_an_error():
    assert conll.score(f"[[1, 2, 3], [4, 5, {'9' * 1_000_000}]]", [written(K)]).components[
        "conll_keep"
    ] == pytest.approx(78.3651, abs=1e-4)


def test_cost_grows_with_more_than_the_length_of_the_reply():
    """A reply that names every id again and again, and ids that are none."""

    def spent(size):
        reply = " ".join(f"[{number}, {number % 600}, {number % 7}]" for number in range(size))
        gold = written([list(range(first, 600, 150)) for first in range(150)])
        return min(cpu_seconds(lambda: conll.score(reply, [gold]))[0] for _ in range(3))

    small, large = spent(3_000), spent(48_000)
    assert large < 40 * max(small, 0.02)
