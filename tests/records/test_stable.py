"""Stable choices: pinned to sha256, near uniform, and each its own: no other's choice moves it."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.records.stable_choice import stable_index, stable_int, stable_order

names = st.lists(st.text(max_size=8), max_size=12, unique=True)


def test_stable_number_differs_from_the_published_digest():
    # the first 16 bytes of sha256("abc") (FIPS 180-4, appendix B.1) and of sha256("")
    assert stable_int("abc") == 0xBA7816BF8F01CFEA414140DE5DAE2223
    assert stable_int() == 0xE3B0C44298FC1C149AFBF4C8996FB924


def test_names_are_not_told_apart():
    assert stable_int("a", 1) == int(hashlib.sha256(b"a\x1f1").hexdigest()[:32], 16)
    assert len({stable_int("a", "b"), stable_int("ab"), stable_int("a", "", "b"), stable_int("b", "a")}) == 4
    assert stable_int("7") == stable_int(7)


def test_lone_surrogate_breaks_a_choice():
    assert stable_int("\ud800") == int(hashlib.sha256(b"\xed\xa0\x80").hexdigest()[:32], 16)


def test_choice_differs_from_the_digest_by_hand():
    # sha256("abc") begins ba...2223 in hex: its last digit is 3, so it is 1 modulo 2 and 3 modulo 16
    assert stable_index(2, "abc") == 1
    assert stable_index(16, "abc") == 3
    assert stable_index(1, "anything") == 0


@pytest.mark.parametrize("count", [0, -1])
def test_choice_from_nothing_returns_something(count):
    with pytest.raises(ValueError, match="nothing to choose from"):
        stable_index(count, "a")


@pytest.mark.parametrize("count", [2, 3, 7, 20])
def test_choices_pile_up(count):
    tries = 4000
    found = [0] * count
    for number in range(tries):
        found[stable_index(count, "seed", number)] += 1
    chi_square = sum((n - tries / count) ** 2 for n in found) / (tries / count)
    assert chi_square < (count - 1) + 5 * (2 * (count - 1)) ** 0.5  # five standard deviations above its mean


def test_order_differs_from_the_digests_by_hand():
    ranked = sorted("abcdef", key=lambda item: hashlib.sha256(f"0\x1f{item}".encode()).digest()[:16])
    assert stable_order("abcdef", 0) == ranked
    assert stable_order("fedcba", 0) == ranked


def test_orders_favour_a_place():
    first = [0] * 5
    for seed in range(2000):
        first[stable_order(range(5), seed)[0]] += 1
    assert all(300 < n < 500 for n in first)  # 400 expected, standard deviation 18


@given(names, st.text(max_size=8), st.integers())
def test_added_item_moves_another(items, added, seed):
    with_it = stable_order([*items, added], seed)
    assert [item for item in with_it if item != added] == [item for item in stable_order(items, seed) if item != added]


@given(names)
def test_order_loses_an_item(items):
    assert sorted(stable_order(items, "x")) == sorted(items)
