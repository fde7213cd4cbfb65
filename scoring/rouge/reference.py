"""A reference prepared for counting predictions against it, computed once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrollwork.scoring.rouge.vocabulary import Numbers, Text


@dataclass(frozen=True, slots=True)
class Reference:
    """A text whose tokens have codes of their own: 0 for the most frequent one, and so on.

    tokens: the vocabulary's number by code. counts: occurrences by code. codes: of the tokens, in order. heads, tails:
    codes of the distinct bigrams, in ascending order. pair_counts: occurrences of each bigram.
    """

    text: Text
    tokens: Numbers
    counts: Numbers
    codes: Numbers
    heads: Numbers
    tails: Numbers
    pair_counts: Numbers

    @property
    def size(self) -> int:
        """Return the approximate size in bytes."""
        return 8 * (2 * len(self.codes) + 2 * len(self.tokens) + 3 * len(self.heads)) + 1000


def prepared_reference(text: Text) -> Reference:
    """Prepare a text as a reference."""
    numbers = text.numbers
    size = len(numbers)
    place = np.empty(numbers.max(initial=-1) + 1, dtype=np.intp)
    place[numbers] = np.arange(size)
    standing = place.take(numbers)  # a token's last position stands for it, which saves sorting
    counted = np.bincount(standing, minlength=size)
    by_count = np.argsort(-counted, kind="stable")[: np.count_nonzero(counted)]
    code_of = np.empty(size, dtype=np.intp)
    code_of[by_count] = np.arange(len(by_count))
    codes = code_of.take(standing)
    pairs, pair_counts = np.unique(codes[:-1] * len(by_count) + codes[1:], return_counts=True)
    heads, tails = np.divmod(pairs, max(1, len(by_count)))
    return Reference(text, numbers[by_count], counted[by_count], codes, heads, tails, pair_counts)
