"""Generated text, cheap to make, that compresses about as English does: word frequencies fall as in English."""

from __future__ import annotations

import numpy as np

VOCABULARY, DRAWS = 30_000, 1 << 16
LETTERS = np.array(list("etaoinshrdlucmfwypvbgk"))


def vocabulary() -> np.ndarray:
    """Words to draw from uniformly: a word stands in it as often as it is frequent."""
    rng = np.random.default_rng(0)
    words = np.array(["".join(rng.choice(LETTERS, size=k)) for k in rng.integers(2, 10, size=VOCABULARY)], dtype=object)
    shares = 1.0 / np.arange(10, VOCABULARY + 10)
    upto = np.cumsum(shares / shares.sum())
    return words[np.minimum(np.searchsorted(upto, (np.arange(DRAWS) + 0.5) / DRAWS), VOCABULARY - 1)]


WORDS = vocabulary()


class Prose:
    """Seeded text, about 6.2 characters a word."""

    def __init__(self, *seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._turn = 0

    def words(self, count: int) -> str:
        """So many words with a full stop."""
        return " ".join(WORDS[self._rng.integers(0, DRAWS, size=count)]) + "."

    def paragraphs(self, count: int, each: int = 85) -> list[str]:
        """So many words in paragraphs of at most `each`; one in five is in typographic quotes, as are most releases."""
        sizes = [each] * (count // each) + ([count % each] if count % each else [])
        return [f"“{self.words(size)}”" if n % 5 == 4 else self.words(size) for n, size in enumerate(sizes)]

    def around(self, mean: int) -> int:
        """A number from half to one and a half times the mean, evenly over 101 calls."""
        self._turn += 1
        return mean // 2 + mean * (37 * self._turn % 101) // 100

    def below(self, bound: int) -> int:
        """A number from 0."""
        return int(self._rng.integers(bound))
