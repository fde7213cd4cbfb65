"""ROUGE-1, -2 and -L beside rouge-score and rouge-score-rs: CPU a pair on generated texts, same values asserted.

The engine warm (references and stems kept from an earlier batch) and cold (nothing kept), its growth from 2,000 to
20,000 words, and its memory on a pair of 50,000. rouge-score takes a second for 2,000 words, so it gets few pairs and
the others many; all is told by the pair. Rounds take turns, medians are told.
"""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np
from rouge_score.rouge_scorer import RougeScorer

from benchmarks.kit import measure
from scrollwork.scoring.metrics import rouge_geo
from scrollwork.scoring.rouge.engine import TYPES, Engine

PEER = "rouge_score_rs"
THREE = list(TYPES[:3])  # what the published ratios are of
ROUNDS = 5
SETS = {  # name: words, references, pairs, pairs that rouge-score gets
    "50 words": (50, 1, 281, 40),
    "120 words, 4 references": (120, 4, 260, 6),
    "500 words": (500, 1, 500, 8),
    "2,000 words": (2_000, 1, 100, 1),
}
GOALS = {"500 words": (280, 150), "2,000 words": (800, 400)}  # warm and cold, with stemming
LINES, LINE_WORDS = 10, 50
GROWTH = (2_000, 5_000, 10_000, 20_000)
LONGEST = 50_000

Pair = tuple[str, list[str]]


class Words:
    """Words whose frequencies fall as in English, with endings that the stemmer takes off."""

    ENDS = ("", "", "", "s", "ed", "ing", "ation", "ly", "er", "ness", "ive", "ies")

    def __init__(self, seed: str) -> None:
        self._rng = random.Random(seed)
        made = [
            "".join(self._rng.choices("etaoinshrdlucmfwyp", k=self._rng.randint(2, 7))) + self._rng.choice(self.ENDS)
            for _ in range(20_000)
        ]
        self._words = np.array(made, dtype=object)
        shares = 1 / (np.arange(1, len(made) + 1) + 2.7)  # Mandelbrot's constant for English
        self._upto = np.cumsum(shares / shares.sum())
        self._draws = np.random.default_rng(self._rng.randrange(1 << 32))

    def text(self, count: int) -> list[str]:
        """So many words."""
        drawn = np.searchsorted(self._upto, self._draws.random(count))
        return list(self._words[np.minimum(drawn, len(self._words) - 1)])

    def pair(self, count: int, references: int = 1) -> Pair:
        """A prediction and references that share about half of their words with it."""
        prediction = self.text(count)
        return " ".join(prediction), [self.like(prediction) for _ in range(references)]

    def like(self, prediction: Sequence[str]) -> str:
        """A text in which every second word or so is the prediction's."""
        kept = self._draws.random(len(prediction)) < 0.5
        others = self.text(len(prediction))
        return " ".join(word if keep else other for word, other, keep in zip(prediction, others, kept, strict=True))

    def in_lines(self) -> str:
        """LINES lines of LINE_WORDS words."""
        return "\n".join(" ".join(self.text(LINE_WORDS)) for _ in range(LINES))


def cpu(work: Callable[[], Any]) -> float:
    """Seconds of CPU, of all threads."""
    began = time.process_time()
    work()
    return time.process_time() - began


def in_turns(work: dict[str, tuple[Callable[[], Any], int]]) -> dict[str, float]:
    """Median CPU seconds by name for one of the things that each does."""
    spent: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, (run, count) in work.items():
            spent[name].append(cpu(run) / count)
    return {name: median(found) for name, found in spent.items()}


def peer() -> Any:
    """The module of rouge-score-rs, None where it is not installed."""
    try:
        return importlib.import_module(PEER)
    except ImportError:
        return None


def beside(name: str, pairs: list[Pair], few: int, stem: bool, types: list[str]) -> str:
    """One line: how many times as fast as rouge-score everything is."""
    predictions, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    warm, theirs, other = Engine(stem), RougeScorer(types, use_stemmer=stem), peer()
    found = warm.score(predictions, references)
    for (prediction, some), ours in zip(pairs[:few], found, strict=False):
        expected = theirs.score_multi(some, prediction)
        assert all(tuple(ours[TYPES.index(kind)]) == tuple(map(float, expected[kind])) for kind in types), name
    work: dict[str, tuple[Callable[[], Any], int]] = {
        "rouge-score": (lambda: [theirs.score_multi(some, text) for text, some in pairs[:few]], few),
        "warm": (lambda: warm.score(predictions, references), len(pairs)),
        "cold": (lambda: Engine(stem).score(predictions, references), len(pairs)),
    }
    if types == list(TYPES):
        work["metric"] = (lambda: rouge_geo.batch(predictions, references, stem=stem), len(pairs))
    if other is not None:
        rust = other.RougeScorer(types, use_stemmer=stem)
        work[PEER] = (lambda: [rust.score_multi(some, text) for text, some in pairs], len(pairs))
    spent = in_turns(work)
    base = spent.pop("rouge-score")
    ratios = ", ".join(f"{kind} {base / seconds:.0f}x" for kind, seconds in spent.items())
    line = f"ROUGE, {name}, {'with' if stem else 'no'} stemming: {ratios} (rouge-score {1e3 * base:.1f} ms a pair)"
    if stem and name in GOALS:
        reached = all(base / spent[kind] >= goal for kind, goal in zip(("warm", "cold"), GOALS[name], strict=True))
        line += f"; goals {GOALS[name][0]}x and {GOALS[name][1]}x {'reached' if reached else 'NOT REACHED'}"
    return line


def growth(words: Words) -> list[str]:
    """CPU of a warm pair by length, with stemming."""
    made: dict[int, list[Pair]] = {size: [words.pair(size) for _ in range(40_000 // size)] for size in GROWTH}
    engine, other = Engine(stem=True), peer()
    work: dict[str, tuple[Callable[[], Any], int]] = {}
    for size, pairs in made.items():
        predictions, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        engine.score(predictions, references)
        work[f"ours {size}"] = (lambda p=predictions, r=references: engine.score(p, r), len(pairs))
        if other is not None:
            rust = other.RougeScorer(THREE, use_stemmer=True)
            work[f"rust {size}"] = (lambda rust=rust, p=pairs: [rust.score_multi(r, t) for t, r in p], len(pairs))
    spent = in_turns(work)
    lines = []
    for who, title in (("ours", "ours"), ("rust", PEER)):
        if f"{who} {GROWTH[0]}" not in spent:
            continue
        each = ", ".join(f"{size:,}: {1e3 * spent[f'{who} {size}']:.2f} ms" for size in GROWTH)
        ratio = spent[f"{who} {GROWTH[-1]}"] / spent[f"{who} {GROWTH[0]}"]
        lines.append(f"ROUGE growth, {title}: {each}; {GROWTH[-1]:,} words take {ratio:.1f} times as long as 2,000")
    return lines


def memory() -> str:
    """Peak of a process that scores one pair of LONGEST words, on a line and in lines."""
    idle = measure.cost(measure.python("import scrollwork.scoring.rouge.engine"))
    peaks = []
    for line in (LONGEST, LONGEST // 2, 40):
        code = f"""
from benchmarks.rouge import Words
from scrollwork.scoring.rouge.engine import Engine
words = Words("long")
pair = [words.text({LONGEST}) for _ in range(2)]
cut = ["\\n".join(" ".join(text[at:at + {line}]) for at in range(0, {LONGEST}, {line})) for text in pair]
Engine(stem=True).score(cut[:1], [cut[1:]])
"""
        spent = measure.cost(measure.python(code))
        peaks.append(f"{spent.peak_mb:.0f} MB in lines of {line:,} ({spent.cpu_s:.1f} s)")
    return f"ROUGE memory, {LONGEST:,} words each, peak of the process: {', '.join(peaks)}; idle {idle.peak_mb:.0f} MB"


def main() -> list[str]:
    """The lines of the report."""
    words = Words("scrollwork rouge")
    found = [] if peer() else [f"ROUGE: {PEER} is not installed (pip install rouge-score-rs==0.2.1): left out"]
    for name, (size, references, count, few) in SETS.items():
        pairs = [words.pair(size, references) for _ in range(count)]
        found += [beside(name, pairs, few, stem, THREE) for stem in (False, True)]
    lines = [(words.in_lines(), [words.in_lines()]) for _ in range(100)]
    found.append(beside(f"{LINES} lines of {LINE_WORDS} words, with Lsum", lines, 4, True, list(TYPES)))
    return [*found, *growth(words), memory()]


if __name__ == "__main__":
    print("\n".join(main()))
