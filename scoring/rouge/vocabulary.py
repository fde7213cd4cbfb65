"""Texts as numbers: equal tokens, or with stemming equal stems, have equal numbers.

Tokens are rouge-score's: the text in lower case, split at everything but a-z and 0-9. Many texts are read at once in
numpy: a word of up to 16 letters is two integers, found in a hash table and compared there in full. This takes about 30
ns per word; bytes.split and a dict take 100.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrollwork.scoring.rouge.porter import stem

Numbers = npt.NDArray[np.intp]
Packed = npt.NDArray[np.uint64]

# the two non-ASCII characters whose lower case contains an ASCII letter: I with a dot above, and the Kelvin sign
LOWERED = (("\u0130", "i "), ("\u212a", "k"))
LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
PLAIN = bytes(byte if byte in LETTERS + b"\n" else ord(" ") for byte in bytes(range(256)).lower())
READ_AT_ONCE = 1 << 16  # bytes at most, whose arrays fit into the processor's cache
FITS = 16  # letters of a word that fit into two integers
FEWEST_SLOTS, SLOTS_A_WORD = 1 << 15, 4
WORD_COSTS = 400  # approximate bytes, besides its letters

# by the length of a word, up to FITS + 1: masks for the bits of its two integers that are its letters
_BITS = np.array([(1 << 8 * letters) - 1 for letters in range(9)], dtype=np.uint64)
FIRST = np.concatenate([_BITS, np.repeat(_BITS[8], 8), _BITS[:1]])
SECOND = np.concatenate([np.repeat(_BITS[0], 8), _BITS, _BITS[:1]])
ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)  # multipliers that mix into the high bits


@dataclass(frozen=True, slots=True)
class Text:
    """A text as numbers. numbers: of its tokens, in order. lines: number of tokens in each line that has any."""

    numbers: Numbers
    lines: tuple[int, ...]


class Vocabulary:
    """The words seen so far; `size` is roughly the bytes that they take. A number, once given, never changes."""

    def __init__(self, stemmed: bool = False) -> None:
        self._number_of = _NumberOf(stemmed)
        self._table = _Table(FEWEST_SLOTS)

    def __len__(self) -> int:
        """Return how many numbers have been given; each is below this."""
        return len(self._number_of.forms)

    @property
    def size(self) -> int:
        return self._number_of.size

    def read(self, texts: Iterable[str]) -> list[Text]:
        """Return the texts as numbers, in order."""
        return [text for some in self._portions(texts) for text in self._read(some)]

    def _portions(self, texts: Iterable[str]) -> Iterator[list[bytes]]:
        some: list[bytes] = []
        size = 0
        for text in map(plain, texts):
            some.append(text)
            size += len(text)
            # while few words are known, read less at a time, so that new ones are soon in the table
            if size >= min(READ_AT_ONCE, 4 * (1000 + len(self._number_of))):
                yield some
                some, size = [], 0
        if some:
            yield some

    def _read(self, texts: Sequence[bytes]) -> Iterator[Text]:
        joined = b"\n".join([b"", *texts, b""])
        letters = _padded(joined)
        inside = letters > ord(" ")
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        starts, lengths = edges[0::2] + 1, edges[1::2] - edges[0::2]
        numbers = self._numbers(joined, starts, lengths, letters.view("<u8"))
        ends = np.cumsum([1 + len(text) for text in texts])
        upto = np.searchsorted(starts, ends).tolist()
        broken = joined.count(b"\n") > len(texts) + 1
        breaks = np.flatnonzero(letters == ord("\n")) if broken else ends
        for text, begin, end in zip(texts, [0, *upto], upto, strict=False):
            lines: tuple[int, ...] = (end - begin,) if end > begin else ()
            if lines and b"\n" in text:
                line = np.searchsorted(breaks, starts[begin:end])
                cuts = np.flatnonzero(line[1:] != line[:-1]) + 1
                lines = tuple(np.diff(cuts, prepend=0, append=end - begin).tolist())
            yield Text(numbers[begin:end], lines)

    def _numbers(self, joined: bytes, starts: Numbers, lengths: Numbers, integers: Packed) -> Numbers:
        first, second = _pack(starts, lengths, integers)
        numbers, missed = self._table.find(first, second)
        if len(missed):
            spans = zip(starts[missed].tolist(), lengths[missed].tolist(), strict=True)
            found = np.array([self._number_of[joined[start : start + length]] for start, length in spans], np.intp)
            numbers[missed] = found
            if SLOTS_A_WORD * len(self._number_of) > self._table.slots:
                self._table = self._grown()
            else:
                fit = np.flatnonzero(lengths[missed] <= FITS)
                self._table.put(first[missed[fit]], second[missed[fit]], found[fit])
        return numbers

    def _grown(self) -> _Table:
        table = _Table(4 * self._table.slots)
        words = [word for word in self._number_of if len(word) <= FITS]
        lengths = np.fromiter(map(len, words), np.intp, len(words))
        starts = np.cumsum(lengths + 1) - lengths - 1
        integers = _padded(b"\n".join(words)).view("<u8")
        numbers = np.fromiter(map(self._number_of.__getitem__, words), np.intp, len(words))
        table.put(*_pack(starts, lengths, integers), numbers)
        return table


def plain(text: str) -> bytes:
    """Return the text in lower case, as many bytes as its UTF-8, with spaces for all but token letters and newlines."""
    if not text.isascii():
        for letter, lower in LOWERED:
            if letter in text:
                text = text.replace(letter, lower)
    return text.encode("utf-8", "surrogatepass").translate(PLAIN)


def _padded(joined: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(joined + bytes(24 - len(joined) % 8), dtype=np.uint8)  # two whole integers after any word


def _pack(starts: Numbers, lengths: Numbers, integers: Packed) -> tuple[Packed, Packed]:
    """Return the first and the next eight letters of each word as integers; 0 and 1 for a word that does not fit."""
    place, shift = starts >> 3, (starts & 7).astype(np.uint64) << np.uint64(3)
    unshift = np.uint64(56) - shift  # and 8 more below: a shift by 64 at once would do nothing
    known = np.minimum(lengths, FITS + 1)
    after = integers.take(place + 1)
    first = integers.take(place) >> shift
    first |= after << unshift << np.uint64(8)
    first &= FIRST.take(known)
    second = np.zeros_like(first)
    long = np.flatnonzero(lengths > 8)
    last = integers.take(place[long] + 2) << unshift[long] << np.uint64(8)
    second[long] = (after[long] >> shift[long] | last) & SECOND.take(known[long])
    second[known > FITS] = 1  # unlike any word that fits
    return first, second


class _NumberOf(dict[bytes, int]):
    """Number by word; a word asked for the first time gets a new one, or with stemming that of its stem."""

    def __init__(self, stemmed: bool) -> None:
        super().__init__()
        self.stemmed = stemmed
        self.forms: dict[bytes, int] = {}
        self.size = 0

    def __missing__(self, word: bytes) -> int:
        form = stem(word) if self.stemmed else word
        number = self[word] = self.forms.setdefault(form, len(self.forms))
        self.size += 2 * len(word) + WORD_COSTS
        return number


class _Table:
    """A hash table of packed words with two slots for each; a word whose slots are both taken is not stored."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._shift = np.uint64(64 - slots.bit_length() + 1)
        self._first, self._second = np.zeros((2, slots), dtype=np.uint64)
        self._number: Numbers = np.zeros(slots, dtype=np.intp)

    def find(self, first: Packed, second: Packed) -> tuple[Numbers, Numbers]:
        """Return (numbers, indices of the words that are not here, whose numbers mean nothing)."""
        slot, other = self._slots(first, second)
        missed = np.flatnonzero(~self._held(slot, first, second))
        if len(missed):
            slot[missed] = other[missed]
            missed = missed[~self._held(slot[missed], first[missed], second[missed])]
        return self._number.take(slot), missed

    def put(self, first: Packed, second: Packed, numbers: Numbers) -> None:
        """Store each word in the first of its slots that is free; the same word may come twice."""
        for place in range(2):
            slot = self._slots(first, second)[place]
            free = np.flatnonzero(self._first.take(slot) == 0)
            taken = slot[free]
            self._number[taken], self._second[taken], self._first[taken] = numbers[free], second[free], first[free]
            left = np.flatnonzero(~self._held(slot, first, second))
            first, second, numbers = first[left], second[left], numbers[left]

    def _slots(self, first: Packed, second: Packed) -> tuple[Numbers, Numbers]:
        hashed = first * ODD[0] ^ second * ODD[1]
        return (hashed >> self._shift).astype(np.intp), (hashed * ODD[1] >> self._shift).astype(np.intp)

    def _held(self, slot: Numbers, first: Packed, second: Packed) -> npt.NDArray[np.bool_]:
        held: npt.NDArray[np.bool_] = (self._first.take(slot) == first) & (self._second.take(slot) == second)
        return held
