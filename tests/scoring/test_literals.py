"""Literals of a hostile reply: the values that Python's own parser reads, at the price of their length."""

import ast
import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.scoring.reading.literals import ANY, DEEPEST, NoLiteral, literal
from tests.cpu_clock import cpu_seconds
from tests.some_slow import one_in

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8")),
)
KEYS = st.one_of(st.text(st.characters(codec="utf-8")), st.integers(), st.tuples(st.integers(), st.text("ab'\\")))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(KEYS, inner)),
    max_leaves=12,
)
PIECES = st.sampled_from(
    [*"{}[](),:'\"\\ -+.017_eExru#", "True", "False", "None", "'a'", "\\n", "\\x41", "'''", "\n", "1.5", "é"]
)


def read(text):
    try:
        return literal(text)
    except NoLiteral:
        return "no literal"


def expected(text):
    """What Python reads, where it is of the kinds that are read here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes that are none
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return "no literal"
    return value


@given(VALUES)
def test_value_is_read_otherwise_than_python_writes_it(value):
    assert literal(repr(value)) == value
    assert repr(literal(repr(value))) == repr(value)


@given(st.lists(PIECES, max_size=9).map("".join))
def test_text_is_read_otherwise_than_python_reads_it(text):
    ours = read(text)
    if ours == "no literal":
        theirs = expected(text)
        assert theirs == "no literal" or left_out(text, theirs), (text, theirs)
    else:
        bracketed = expected(f"({text}\n)")  # lines may end there, and here everywhere
        assert repr(ours) in (repr(expected(text)), repr(bracketed)), text


def left_out(text, value):
    """Whether it is of what is not read: a tuple without brackets, a set, three dots, a comment, a line that goes on,
    1_0.5, a number of terms."""
    if isinstance(value, tuple) and repr(read(f"({text}\n)")) == repr(value):
        return True
    return holds_others(value) or "#" in text or "\\\n" in text or "_" in text or isinstance(value, complex)


def holds_others(value):
    if isinstance(value, dict):
        return any(map(holds_others, (*value, *value.values())))
    return (
        value is ... or isinstance(value, set) or (isinstance(value, (list, tuple)) and any(map(holds_others, value)))
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 1, 'b': [True, None, -2.5],}", {"a": 1, "b": [True, None, -2.5]}),
        ("{'a': 'x' \"y\" 'z'}", {"a": "xyz"}),
        ("('a')", "a"),
        ("('a',)", ("a",)),
        ("((1, 2), ())", ((1, 2), ())),
        (r"'a\'b\\c\d\x41\u00e9\101'", "a'b\\c\\dAéA"),
        (r"r'a\nb'", r"a\nb"),
        ("'''it's'''", "it's"),
        ("0x1F", 31),
        ("1_000", 1000),
    ],
)
def test_form_that_python_reads_is_refused(text, value):
    assert literal(text) == value == expected(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "   ", "a", "true", "__import__('os').system('true')", "{'a': __import__('os')}", "f'{1}'", "b'a'", "1j"),
        *(
            "{'a'}",
            "{'a': 1",
            "{'a' 1}",
            "[1 2]",
            "[1,,2]",
            "[,]",
            "(,)",
            "01",
            "1a",
            "'a",
            "'a\nb'",
            "{[]: 1}",
            "'\\x4'",
        ),
        *("'\\N{DASH}'", "1 if 2 else 3", "[x for x in ()]", "--1", "1 + 1", "'a'.upper()", "lambda: 0", "'\ud800'"),
        *("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "9" * 4301, "{1: 2} {3: 4}"),
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_text_that_is_no_literal_is_read(text):
    with pytest.raises(NoLiteral):
        literal(text)


def test_words_of_json_are_read_as_python_or_refused_as_json():
    assert literal("{'a': true, \"b\": null, 'c': False}", ANY) == {"a": True, "b": None, "c": False}
    with pytest.raises(NoLiteral):
        literal("{'a': true}")


def test_keys_that_collide_take_the_square_of_their_number():
    modulus = (1 << 61) - 1  # of Python's hash of integers
    text = "{" + ", ".join(f"{number * modulus}: 0" for number in range(40_000)) + "}"
    began = time.process_time()
    with pytest.raises(NoLiteral, match="keys that are no texts"):
        literal(text)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "unit",
    one_in(
        4,
        ["[", "{", "(", "[1,", "{'a':", "'", '"', "'''", "'\\", "-", "9", "9_", "1,", "{'a': 1}, ", "#", "rr", "\\N{"],
    ),
)
def test_megabyte_of_one_thing_costs_more_than_its_length(unit):
    def spent(size):
        texts = "[" + unit * (size // len(unit)), "{" + unit * (size // len(unit)) + "}"
        return cpu_seconds(lambda: [read(text) for text in texts])[0]

    small, large = spent(62_500), spent(1_000_000)
    assert large < 100 * max(small, 0.02)


def test_triple_quotes_with_quotes_inside_depend_on_the_python_version():
    """Before 3.11.5 a possessive group went on from where its last try had failed (cpython 106052)."""
    for text, value in (("'''it's'''", "it's"), ('"""a "b" c"""', 'a "b" c'), ("'''\\''''", "'"), ("1_0", 10)):
        assert literal(text) == value
    for text in ("'''it''", "1.5e", "1_", "'a\\"):
        assert read(text) == "no literal"
