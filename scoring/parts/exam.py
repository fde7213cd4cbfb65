"""Sets of answer letters compared as in L-Eval (An et al. 2023, section 4.1), for both of its exam metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scrollwork.scoring.outcome import GoldError, Outcome, check_texts, single

PART_OF_IT = 0.25  # credit for some of the right options and no wrong one


def exam(name: str, letters: Callable[[str], str], prediction: str, references: Sequence[str]) -> Outcome:
    """Return 100 for the reference's letters, 25 for a proper subset of them, else 0; best over the references.

    letters: returns those of a text, sorted, "" for none. Raises GoldError if there is no reference or one has no
    letters, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    gold = [_gold(letters, reference) for reference in references]
    answer = letters(prediction)
    best = max(_credit(set(answer), set(right)) for right in gold)
    return single(name, best, answer or None, {"format_ok": bool(answer)})


def _credit(answer: set[str], right: set[str]) -> float:
    if answer == right:
        return 1.0
    return PART_OF_IT if answer and answer < right else 0.0


def _gold(letters: Callable[[str], str], reference: str) -> str:
    found = letters(reference)
    if not found:
        raise GoldError(f"reference {reference[:80]!r} names no answer letter A, B, C or D")
    return found
