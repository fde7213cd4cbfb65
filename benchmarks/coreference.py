"""MUC, B-cubed, CEAF-e and their mean beside scorch: CPU for 10,000 random instances of 100 mentions, values compared.

Half of the responses are random too, half follow the key but for three mentions in ten; keys have 5 to 50 clusters.
scorch gets a part of them and all is told by the instance. Both get lists of sets of ids, in mode keep alone and in
all three modes; what the metric costs with everything, replies read, gold checked and outcomes made, is told beside.
Rounds take turns.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import numpy as np
from scorch.scores import b_cubed, ceaf_e, muc

from benchmarks.rouge import in_turns
from scrollwork.scoring.metrics import conll
from scrollwork.scoring.metrics.conll import AT_ONCE, MODES, Reply, gold_in, sums_by_mode
from scrollwork.scoring.parts.coreference import CONLL, METRICS, Side, f_measures, sums

INSTANCES, MENTIONS = 10_000, 100
CLUSTERS = (5, 50)
FOR_SCORCH = 500
GOAL = 10

Clusters = list[set[int]]
Pair = tuple[Clusters, Clusters]


def instances(count: int) -> list[Pair]:
    """Keys and responses."""
    rng = random.Random("scrollwork coreference")
    found = []
    for number in range(count):
        most = rng.randint(*CLUSTERS)
        key = [rng.randrange(most) for _ in range(MENTIONS)]
        followed = 0.7 * (number % 2)
        response = [at if rng.random() < followed else rng.randrange(most) for at in key]
        found.append((grouped(key), grouped(response)))
    return found


def grouped(labels: Sequence[int]) -> Clusters:
    """The mentions by label."""
    found: dict[int, set[int]] = {}
    for mention, label in enumerate(labels):
        found.setdefault(label, set()).add(mention)
    return list(found.values())


def reply_of(key: Clusters, response: Clusters) -> Reply:
    """Both sides as `conll` has them once the reply is read."""
    at = {mention: number for number, some in enumerate(response) for mention in some}
    labels = [number for number, some in enumerate(key) for _ in some]
    return Reply(labels, [at[mention] for some in key for mention in some], None, len(response))


def ours(pairs: Sequence[Pair]) -> np.ndarray:
    """F1 of all modes, METRICS and their mean in each, fractions: shape (instances, 12)."""
    found = []
    for begin in range(0, len(pairs), AT_ONCE):
        by_mode = sums_by_mode([reply_of(*pair) for pair in pairs[begin : begin + AT_ONCE]])
        each = [f_measures(by_mode[mode]) for mode in MODES]
        found.append(np.stack([one[name] for one in each for name in (*METRICS, CONLL)], axis=1))
    return np.concatenate(found)


def ours_kept(pairs: Sequence[Pair]) -> np.ndarray:
    """F1 of mode keep alone: METRICS and their mean, shape (instances, 4)."""
    found = []
    for begin in range(0, len(pairs), AT_ONCE):
        some = pairs[begin : begin + AT_ONCE]
        replies = [reply_of(*pair) for pair in some]
        key = Side.of([one.key for one in replies], [len(key) for key, _ in some])
        response = Side.of([one.kept for one in replies], [one.lists for one in replies])
        each = f_measures(sums(key, response, len(some)))
        found.append(np.stack([each[name] for name in (*METRICS, CONLL)], axis=1))
    return np.concatenate(found)


def theirs(pairs: Sequence[Pair], modes: Sequence[str]) -> list[list[float]]:
    """The same by scorch."""
    found = []
    for key, response in pairs:
        values = []
        for mode in modes:
            gold = [some for some in key if mode != "drop_both" or len(some) > 1]
            said = [some for some in response if mode == "keep" or len(some) > 1]
            each = [metric(gold, said)[2] if gold and said else 0.0 for metric in (muc, b_cubed, ceaf_e)]
            values += [*each, sum(each) / 3]
        found.append(values)
    return found


def metric(texts: Sequence[str], gold: Sequence[list[str]]) -> None:
    """The metric as a run calls it."""
    gold_in.cache_clear()
    for begin in range(0, len(texts), AT_ONCE):
        conll.batch(texts[begin : begin + AT_ONCE], gold[begin : begin + AT_ONCE])


def main() -> list[str]:
    """The lines of the report."""
    pairs = instances(INSTANCES)
    few = pairs[:FOR_SCORCH]
    expected = np.array(theirs(few, MODES))
    assert np.allclose(ours(few), expected, rtol=0, atol=1e-12)
    assert np.allclose(ours_kept(few), expected[:, 4:8], rtol=0, atol=1e-12)
    gold, texts = (
        [json.dumps([sorted(some) for some in side]) for side in sides] for sides in zip(*pairs, strict=True)
    )
    spent = in_turns(
        {
            "scorch keep": (lambda: theirs(few, ("keep",)), len(few)),
            "keep": (lambda: ours_kept(pairs), len(pairs)),
            "scorch": (lambda: theirs(few, MODES), len(few)),
            "all": (lambda: ours(pairs), len(pairs)),
            "metric": (lambda: metric(texts, [[one] for one in gold]), len(pairs)),
        }
    )
    kept, both = spent["scorch keep"] / spent["keep"], spent["scorch"] / spent["all"]
    reached = "reached" if min(kept, both) >= GOAL else "NOT REACHED"
    with_reading = spent["scorch"] / spent["metric"]
    us = {name: f"{1e6 * seconds:.0f} us" for name, seconds in spent.items()}
    one, three = (f"{us[ours]}, scorch {us[peer]}" for ours, peer in (("keep", "scorch keep"), ("all", "scorch")))
    return [
        f"coreference, {INSTANCES:,} instances of {MENTIONS} mentions: {kept:.0f}x scorch in mode keep ({one} an "
        f"instance), {both:.0f}x in all three modes ({three}); goal {GOAL}x {reached}; with replies read, gold checked "
        f"and outcomes made {with_reading:.0f}x ({us['metric']}); values of {FOR_SCORCH} instances agree"
    ]


if __name__ == "__main__":
    print("\n".join(main()))
