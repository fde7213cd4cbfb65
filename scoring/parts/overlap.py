"""Token F1 over multisets, as in SQuAD, shared by all F1 metrics. SCROLLS 4 (scrolls.md 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence


def token_f1(prediction: Sequence[str], reference: Sequence[str]) -> float:
    """Return the harmonic mean of precision and recall of the shared tokens, 0 to 1; 0 if both sides are empty."""
    shared = (Counter(prediction) & Counter(reference)).total()
    if shared == 0:
        return 0.0
    precision, recall = shared / len(prediction), shared / len(reference)
    return min(1.0, 2 * precision * recall / (precision + recall))


def best_token_f1(prediction: str, references: Sequence[str], normalize: Callable[[str], str]) -> float:
    """Return the best F1 of the normalised prediction against any reference, 0 to 1; tokens end at white space."""
    words = normalize(prediction).split()
    return max(token_f1(words, normalize(reference).split()) for reference in references)
