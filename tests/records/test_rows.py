"""Rows survive Parquet as they are, and refuse what Parquet or a reader could not give back."""

import importlib
import io
import json
import math
import pkgutil
from dataclasses import FrozenInstanceError, replace
from types import NoneType, UnionType
from typing import get_type_hints
from unittest.mock import patch

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scrollwork import records
from scrollwork.records.base import InvalidRow, Row, as_written, canonical_json, from_batch
from scrollwork.records.comparison import Average, Comparison
from scrollwork.records.complexity import (
    CATEGORIES,
    COW,
    SCENARIOS,
    Agreement,
    AtLength,
    Complexity,
    Mixture,
    Passage,
    Plane,
    ProblemAtLength,
    WindowOutcomes,
)
from scrollwork.records.document import Document, TokenCount, text_id
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example, metadata
from scrollwork.records.fitted import KINDS as RULES
from scrollwork.records.fitted import Fitted
from scrollwork.records.instruction import Instruction
from scrollwork.records.judgement import MEASURES as CONDUCT
from scrollwork.records.judgement import REFUSALS, SLICES, AnswerMeasure, Judgement, Slice
from scrollwork.records.prompt import ARMS, PLACES, ROLES, Part, Prompt, part_text, render
from scrollwork.records.ranking import (
    COMPUTED,
    NO_RANK,
    NO_SCORE,
    PUBLISHED,
    REFUSED,
    RUN_OUT,
    Box,
    Correlated,
    Dominates,
    FormatPoint,
    LeftOut,
    LengthPoint,
    ModelRank,
    Stable,
    TaskRank,
    TaskSpread,
    VarianceSource,
)
from scrollwork.records.raw_file import RawFile
from scrollwork.records.response import FINISH_REASONS, KINDS, Failure, Response
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Aggregate, Coverage, Score
from scrollwork.records.statistics import MEASURES, Bin, Distribution, Spread
from scrollwork.storage.artifacts import plain
from scrollwork.storage.artifacts.columns import to_batch
from scrollwork.storage.artifacts.plain import plain_rows, plain_values, stored_values

SHA = "0123456789abcdef" * 4
QUICK = settings(max_examples=settings.default.max_examples // 4, suppress_health_check=[HealthCheck.too_slow])

text = st.text(max_size=12)
filled = st.text(min_size=1, max_size=12)
count = st.integers(0, 2**63 - 1)
number = st.floats(allow_nan=False, allow_infinity=False)
percent = st.floats(0, 100)
digest = st.just(SHA)
maybe_count = st.none() | st.integers(-(2**63), 2**63 - 1)
components = st.dictionaries(text, number, max_size=3)
facts = st.dictionaries(text, text | st.booleans() | st.integers(), max_size=3).map(lambda d: metadata(**d))


@st.composite
def documents(draw):
    return Document.of(draw(text.filter(str.strip)), title=draw(text), source_file=draw(text), source_record=draw(text))


@st.composite
def examples(draw):
    ids = draw(st.lists(text, min_size=1, max_size=3))
    titles = draw(st.just([]) | st.lists(text, min_size=len(ids), max_size=len(ids)))
    rest = [tuple(draw(st.lists(text, max_size=3))) for _ in range(2)]
    query = draw(st.none() | text)
    return Example(
        draw(filled),
        draw(text),
        draw(filled),
        tuple(ids),
        rest[0],
        query,
        tuple(titles),
        rest[1],
        draw(facts),
        draw(text),
        draw(count),
    )


@st.composite
def spans(draw):
    start, end = sorted(draw(st.tuples(count, count)))
    return Part(draw(st.sampled_from(ROLES)), None, draw(text), start, end)


parts = st.builds(Part, st.sampled_from(ROLES), text) | spans()


@st.composite
def prompts(draw):
    dropped = draw(st.integers(0, 3))
    return Prompt(
        *[draw(text) for _ in range(4)],
        draw(count),
        draw(text),
        draw(st.sampled_from(ARMS)),
        tuple(draw(st.lists(parts, max_size=4))),
        SHA,
        draw(count),
        draw(count),
        dropped,
        dropped > 0,
        draw(st.integers(1, 99)),
        *[draw(maybe_count) for _ in range(3)],
        tuple(draw(st.lists(spans(), max_size=3))),
        *[draw(st.none() | st.sampled_from(PLACES)) for _ in range(2)],
        *[draw(maybe_count) for _ in range(3)],
    )


@st.composite
def coverages(draw):
    answered, failed, missing = (draw(st.integers(0, 9)) for _ in range(3))
    attempted = answered + failed
    expected = attempted + missing
    cut = draw(st.integers(0, expected)), draw(st.integers(0, answered))
    return Coverage(expected, attempted, answered, failed, missing, *cut)


@st.composite
def aggregates(draw):
    coverage = draw(coverages())
    value = draw(number) if coverage.answered else None
    optional = [draw(st.none() | number) for _ in range(3)]
    labels = [draw(text) for _ in range(6)]
    return Aggregate(*labels, value, draw(number), *optional, draw(count), draw(components), coverage)


@st.composite
def distributions(draw):
    counted = draw(st.integers(0, 2))
    numbers = [draw(number) for _ in range(8)] if counted else []
    return Distribution(draw(text), draw(text), draw(text), draw(st.sampled_from(MEASURES)), counted, *numbers)


@st.composite
def bins(draw):
    low, high = sorted(draw(st.lists(count, min_size=2, max_size=2, unique=True)))
    return Bin(*[draw(text) for _ in range(4)], low, high, draw(st.integers(1, 2**63 - 1)))


@st.composite
def spreads(draw):
    found, more = draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
    deviation = draw(st.floats(0, 1e300)) if found > 1 else None
    return Spread(*[draw(text) for _ in range(4)], draw(st.none() | count), found + more, found, deviation)


@st.composite
def judgements(draw):
    named = [draw(st.integers(0, 99) if place == 4 else text) for place in range(9)]
    about = [draw(count), draw(st.booleans()), *[draw(st.none() | st.sampled_from(PLACES)) for _ in range(2)]]
    answered = draw(st.booleans())
    maybe = [draw(st.none() | st.booleans()) if answered else None for _ in range(2)]
    return Judgement(
        *named,
        *about,
        answered,
        draw(st.dictionaries(text, number, min_size=1, max_size=3)) if answered else {},
        draw(count) if answered else None,
        draw(st.none() | number),
        *maybe,
        draw(st.none() | st.sampled_from(REFUSALS)) if answered else None,
        draw(st.booleans()) if answered else None,
        draw(st.booleans()),
    )


@st.composite
def slices(draw):
    answered, more = draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))
    ends = [draw(maybe_count) for _ in range(2)]
    labels = [draw(text) for _ in range(6)]
    parts = [draw(st.sampled_from(SLICES)), draw(text), *ends, answered + more, answered, draw(count)]
    return Slice(*labels, *parts, draw(number) if answered else None, *[draw(st.none() | number) for _ in range(2)])


@st.composite
def averages(draw):
    withheld = draw(text)
    optional = [draw(st.none() | number) for _ in range(2)]
    return Average(
        *[draw(text) for _ in range(4)], None if withheld else draw(number), *optional, draw(count), withheld
    )


@st.composite
def comparisons(draw):
    probabilities = [draw(st.none() | st.floats(0, 1, exclude_min=True)) for _ in range(2)]
    return Comparison(
        *[draw(text) for _ in range(5)],
        *["full", draw(text), "closed-book"],
        *[draw(number) for _ in range(3)],
        *[draw(st.integers(1, 99)), draw(count), draw(count)],
        *[draw(st.none() | number) for _ in range(2)],
        *probabilities,
        *[draw(maybe_count), draw(st.none() | st.booleans())],
        *[draw(st.none() | number) for _ in range(2)],
    )


def by_fields(row, **constrained):
    """Rows of a kind whose fields are independent of each other, but for those that are given."""
    simple = {str: text, int: count, float: number, bool: st.booleans()}
    several = {tuple[float, ...]: float, tuple[int, ...]: int, tuple[str, ...]: str}

    def any_of(hint):
        if isinstance(hint, UnionType):
            return st.none() | any_of(next(one for one in hint.__args__ if one is not NoneType))
        return st.lists(simple[several[hint]], max_size=3).map(tuple) if hint in several else simple[hint]

    left = {name: hint for name, hint in get_type_hints(row).items() if name not in constrained}
    return st.builds(row, **{name: any_of(hint) for name, hint in left.items()}, **constrained)


@st.composite
def task_ranks(draw):
    scored = draw(st.booleans())
    known = {name: draw(number) if scored else None for name in ("mean", "std")}
    scores = tuple(draw(st.lists(number, max_size=3))) if scored else ()
    box = draw(by_fields(Box)) if scores else None
    fixed = {name: st.just(value) for name, value in {**known, "scores": scores, "box": box}.items()}
    return draw(by_fields(TaskRank, **fixed))


@st.composite
def model_ranks(draw):
    counted, compared = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    values = {"arsd": draw(number) if counted else None, "compared_ar": draw(number) if compared else None}
    fixed = {**values, "counted": counted, "compared": compared}
    kinds = {"source": st.sampled_from([COMPUTED, PUBLISHED])}
    return draw(by_fields(ModelRank, **kinds, **{name: st.just(value) for name, value in fixed.items()}))


@st.composite
def run_scores(draw):
    coverage = draw(coverages())
    value = draw(number) if coverage.answered else None
    fixed = {"coverage": coverage, "value": value, "components": draw(components)}
    return draw(by_fields(RunScore, **{name: st.just(one) for name, one in fixed.items()}))


five = st.tuples(*[number] * len(CATEGORIES))
scenarios = st.sampled_from(SCENARIOS)


@st.composite
def problems_at_length(draw):
    scenario = draw(scenarios)
    size = 3 if scenario == COW else 1
    shares = {name: st.tuples(*[number] * size) for name in ("observed", "fitted", "oracle")}
    posterior = st.tuples(*[number] * 3) if scenario == COW else st.just(())
    return draw(by_fields(ProblemAtLength, scenario=st.just(scenario), posterior=posterior, **shares))


@st.composite
def passages(draw):
    first, length, start, more = (draw(st.integers(0, 10**6)) for _ in range(4))
    fixed = {"first": first, "length": length, "start": start, "end": start + more, "units": first + length + more}
    return draw(by_fields(Passage, **{name: st.just(one) for name, one in fixed.items()}))


labels = [text, text, text, text, st.integers(-(2**63), 2**63 - 1), text, text]
ROWS = {
    TokenCount: st.builds(TokenCount, text, count),
    Document: documents(),
    Drop: st.builds(Drop, text, text, text, filled, text, st.booleans()),
    Example: examples(),
    Fitted: st.builds(
        Fitted,
        *[st.sampled_from(RULES), text],
        number,
        st.none(),
        *[st.integers(1, 2**63 - 1), st.none() | number],
    ),
    Part: parts,
    Prompt: prompts(),
    RawFile: st.builds(RawFile, text, filled.filter(lambda p: p[0] != "/"), digest, count)
    | st.builds(RawFile, text, st.just("a/b"), st.none(), st.none(), st.sampled_from(["missing", "dead", "manual"])),
    Response: st.builds(
        Response, *labels, digest, text, st.sampled_from(FINISH_REASONS), *[maybe_count] * 3, reported_model=text
    ),
    Failure: st.builds(
        Failure, *labels, digest, st.sampled_from(KINDS), maybe_count, text, attempts=st.integers(1, 2**63 - 1)
    ),
    Score: st.builds(
        Score, *labels, text, percent, components, st.dictionaries(text, st.booleans(), max_size=3), st.none() | text
    ),
    Coverage: coverages(),
    Aggregate: aggregates(),
    Distribution: distributions(),
    Bin: bins(),
    Spread: spreads(),
    Judgement: judgements(),
    AnswerMeasure: st.builds(
        AnswerMeasure, *[text] * 6, st.sampled_from(CONDUCT), number, *[st.none() | number] * 2, st.integers(1, 99)
    ),
    Slice: slices(),
    Average: averages(),
    Comparison: comparisons(),
    Instruction: st.builds(Instruction, filled, st.integers(1, 99), text.filter(str.strip), text, text),
    RunScore: run_scores(),
    ModelRank: model_ranks(),
    TaskRank: task_ranks(),
    LeftOut: by_fields(LeftOut, kind=st.sampled_from([REFUSED, NO_RANK, NO_SCORE, RUN_OUT]), reason=filled),
    Complexity: by_fields(
        Complexity,
        scenario=scenarios,
        category=st.sampled_from(CATEGORIES),
        probabilities=five,
        dip=st.just(()) | st.tuples(number, number),
        complexity=st.none() | count,
    ),
    Mixture: by_fields(
        Mixture,
        scenario=scenarios,
        noise=st.just(()) | st.tuples(number, number, number),
        **dict.fromkeys(("shares", "decided", "expected", "share_lows", "share_highs"), five),
        holistic=st.tuples(number, number, number),
    ),
    ProblemAtLength: problems_at_length(),
    Passage: passages(),
    Plane: by_fields(Plane, complexities=st.just((1, 2)), redundancies=st.just((1,)), values=st.tuples(number, number)),
    **{
        kind: by_fields(kind)
        for kind in (
            AtLength,
            WindowOutcomes,
            Agreement,
            Box,
            TaskSpread,
            Dominates,
            Stable,
            Correlated,
            FormatPoint,
            LengthPoint,
            VarianceSource,
        )
    },
}


def through_parquet(kind, rows):
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, kind.schema(), compression="zstd") as writer:
        writer.write_batch(to_batch(kind, rows))
    buffer.seek(0)
    batches = list(pq.ParquetFile(buffer).iter_batches())
    for batch in batches:
        for quick in (True, False):  # as of pyarrow 26, and before
            with patch.object(plain, "_quick_lists", lambda quick=quick: quick):
                assert repr(list(plain_rows(batch))) == repr(batch.to_pylist())
        back = list(as_written(kind, map(plain_values, batch.columns)))
        assert back == list(from_batch(kind, batch)) == list(as_written(kind, map(stored_values, batch.columns)))
        assert [repr(row) for row in back] == [repr(row) for row in from_batch(kind, batch)]  # 1 is 1.0 is True
    return [row for batch in batches for row in from_batch(kind, batch)]


def document(body="a b"):
    return Document.of(body, source_file="f.jsonl")


def score(**changes):
    values = dict(zip(("suite", "task", "split", "example_id"), "stve", strict=True))
    base = Score(**values, draw=0, model="m", arm="full", metric="f1", value=1.0, components={}, flags={}, parsed=None)
    return replace(base, **changes)


def prompt(**changes):
    base = Prompt("s", "t", "v", "e", 0, "plain", "full", (Part("query", "q"),), SHA, 1, 1, 0, False, 5)
    return replace(base, **changes)


def test_new_kind_of_row_is_not_in_the_round_trip():
    for module in pkgutil.iter_modules(records.__path__):
        importlib.import_module(f"scrollwork.records.{module.name}")
    found = {kind for kind in Row.__subclasses__() if kind.__module__.startswith("scrollwork.records.")}
    in_json = {kind for kind in found if kind.__module__.startswith("scrollwork.records.nights.")}
    assert found - in_json == set(ROWS)  # those of nights are never Parquet: tests/nights/test_register.py


@pytest.mark.parametrize("kind", ROWS, ids=lambda kind: kind.__name__)
def test_parquet_gives_other_rows_back(kind):
    @QUICK
    @given(st.lists(ROWS[kind], max_size=5))
    def back(rows):
        read = through_parquet(kind, rows)
        assert read == rows
        assert [type(row) for row in read] == [kind] * len(rows)

    back()


@QUICK
@given(st.text(), st.text(), st.lists(st.text(), max_size=4))
@example("", "\0", ["", "\0", "\u2028", "\ufeff", "\U0010ffff", "e\u0301"])
@example("x" * 1_000_000, "\U0001f600" * 300_000, ["\r\n"])
def test_parquet_changes_hard_text(query, reference, options):
    row = Example("t", "v", "id", ("d",), (reference,), query=query, options=tuple(options))
    (read,) = through_parquet(Example, [row])
    assert (read.query, read.references, read.options) == (query, (reference,), tuple(options))


def test_null_and_empty_are_confused():
    rows = [replace(score(), parsed=None), replace(score(), parsed="")]
    assert [row.parsed for row in through_parquet(Score, rows)] == [None, ""]
    empty = Example("t", "v", "id", ("d",), (), query=None)
    (read,) = through_parquet(Example, [empty])
    assert (read.references, read.titles, read.options, read.query) == ((), (), (), None)


def test_order_of_a_mapping_changes_the_stored_row():
    one, two = score(components={"a": 1.0, "b": 2.0}), score(components={"b": 2.0, "a": 1.0})
    assert to_batch(Score, [one]).equals(to_batch(Score, [two]))


@pytest.mark.parametrize(
    ("build", "named"),
    [
        (lambda s: Drop("t", "v", s, "r", "d", True), "Drop.record"),
        (lambda s: Example("t", "v", "id", ("d",), (s,)), "Example.references: item 0"),
        (lambda s: Example("t", "v", "id", ("d",), (), options=("", s)), "Example.options: item 1"),
        (lambda s: Part("query", s), "Part.text"),
        (lambda s: score(parsed=s), "Score.parsed"),
        (lambda s: score(components={s: 1.0}), "Score.components: key"),
        (lambda s: document(s), "Document.text"),
        (lambda s: Document.of("x", title=s, source_file=""), "Document.title"),
    ],
)
def test_lone_surrogate_reaches_parquet_or_is_not_located(build, named):
    with pytest.raises(InvalidRow) as caught:
        build("ab\ud800c")
    said = str(caught.value)
    assert said.startswith(named)
    assert "character 2 is a lone surrogate" in said


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_number_that_is_not_finite_is_accepted(bad):
    with pytest.raises(InvalidRow, match=r"Score\.value: .* is not a finite number"):
        score(value=bad)
    with pytest.raises(InvalidRow, match=r"Score\.components: key 'r1'"):
        score(components={"r1": bad})


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: prompt(draw=True), "Prompt.draw: expected a whole number, got bool"),
        (lambda: prompt(words=1.0), "Prompt.words: expected a whole number, got float"),
        (lambda: prompt(words=2**63), "Prompt.words: does not fit 64 bits"),
        (lambda: prompt(words=-(2**63) - 1), "Prompt.words: does not fit 64 bits"),
        (lambda: prompt(truncated=0), "Prompt.truncated: expected true or false, got int"),
        (lambda: prompt(parts=[Part("query", "q")]), "Prompt.parts: expected a tuple, got list"),
        (lambda: prompt(parts=("q",)), "Prompt.parts: item 0: expected Part"),
        (lambda: prompt(suite=None), "Prompt.suite: expected text, got NoneType"),
        (lambda: prompt(suite=b"s"), "Prompt.suite: expected text, got bytes"),
        (lambda: score(value=True), "Score.value: expected a number, got bool"),
        (lambda: score(value="1"), "Score.value: expected a number, got str"),
        (lambda: score(value=10**400), "Score.value: is a whole number too large"),
        (lambda: score(components={"n": 2**53 + 1}), "Score.components: key 'n': is a whole number too large"),
        (lambda: score(components=[("a", 1.0)]), "Score.components: expected a mapping, got list"),
        (lambda: score(flags={"idk": 1}), "Score.flags: key 'idk': expected true or false, got int"),
        (lambda: score(value=100.1), "Score.value: 100.1 is outside 0-100"),
        (lambda: score(value=-0.1), "Score.value: -0.1 is outside 0-100"),
    ],
)
def test_value_of_a_wrong_type_is_accepted(build, message):
    with pytest.raises(InvalidRow) as caught:
        build()
    assert str(caught.value).startswith(message)


def test_whole_number_in_a_float_field_comes_back_as_another():
    assert through_parquet(Score, [score(components={"n": 2**53})])[0].components == {"n": 2.0**53}


def test_row_can_be_changed_after_its_checks():
    with pytest.raises(FrozenInstanceError):
        document().text = "other"


def test_unknown_or_missing_field_is_read_silently():
    good = score().to_dict()
    with pytest.raises(InvalidRow, match="Score: unknown field 'extra'"):
        Score.from_dict({**good, "extra": 1})
    del good["metric"]
    with pytest.raises(InvalidRow, match=r"Score: .*'metric'"):
        Score.from_dict(good)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"expected": 9}, "expected"),
        ({"attempted": 7, "missing": 3}, "attempted"),
        ({"answered": 8}, "attempted"),
        ({"missing": 3}, "expected"),
        ({"failed": -1, "answered": 9}, "failed"),
        ({"truncated": 11}, "truncated"),
        ({"length_cut": 8}, "length_cut"),
        ({"masked": 8}, "masked"),
    ],
)
def test_coverage_that_does_not_add_up_is_accepted(changes, field):
    good = Coverage(expected=10, attempted=8, answered=7, failed=1, missing=2, truncated=10, length_cut=7)
    with pytest.raises(InvalidRow, match=rf"Coverage\.{field}:"):
        replace(good, **changes)


def test_coverage_with_a_gap_or_of_nothing_is_called_complete():
    assert Coverage(3, 3, 3, 0, 0, 0, 0).complete
    assert not Coverage(3, 3, 2, 1, 0, 0, 0).complete
    assert not Coverage(3, 2, 2, 0, 1, 0, 0).complete
    assert not Coverage(0, 0, 0, 0, 0, 0, 0).complete


def test_aggregate_has_a_value_without_answers_or_none_with_them():
    values = {"value_missing_as_zero": 0.0, "low": None, "high": None, "spread": None, "seeds": 1, "components": {}}
    labels = dict.fromkeys(("suite", "task", "split", "model", "arm", "metric"), "x")
    with pytest.raises(InvalidRow, match=r"Aggregate\.value"):
        Aggregate(**labels, **values, value=5.0, coverage=Coverage(1, 0, 0, 0, 1, 0, 0))
    with pytest.raises(InvalidRow, match=r"Aggregate\.value"):
        Aggregate(**labels, **values, value=None, coverage=Coverage(1, 1, 1, 0, 0, 0, 0))


@pytest.mark.parametrize(
    "values",
    [
        ("query", "text", "doc", 0, 1),
        ("query", "text", None, 0, None),
        ("document",),
        ("document", None, "doc", 0),
        ("document", None, None, 0, 1),
        ("document", None, "doc", 2, 1),
        ("document", None, "doc", -1, 1),
        ("riddle", "text"),
    ],
)
def test_part_that_is_neither_text_nor_span_is_accepted(values):
    with pytest.raises(InvalidRow, match=r"Part\."):
        Part(*values)


def test_rendering_reads_another_span_than_the_part_names():
    spans = (Part("instruction", "Say: "), Part("document", None, "d", 2, 5), Part("document", None, "d", 5, 5))
    assert render(spans, {"d": "0123456"}.__getitem__) == "Say: 234"
    assert part_text(Part("document", None, "d", 0, 0), {"d": "0123456"}.__getitem__) == ""


def test_truncated_flag_disagrees_with_the_dropped_characters():
    assert prompt(dropped_chars=1, truncated=True).truncated
    for dropped, flag in ((0, True), (1, False)):
        with pytest.raises(InvalidRow, match=r"Prompt\.truncated"):
            prompt(dropped_chars=dropped, truncated=flag)


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: document(" \n"), "Document.text: is empty"),
        (lambda: Document("ab", "", "x", 1, "f", ""), "Document.document_id"),
        (lambda: Example("", "v", "id", ("d",), ()), "Example.task"),
        (lambda: Example("t", "v", "", ("d",), ()), "Example.example_id"),
        (lambda: Example("t", "v", "id", (), ()), "Example.document_ids"),
        (lambda: Example("t", "v", "id", ("d", "e"), (), titles=("one",)), "Example.titles"),
        (lambda: Example("t", "v", "id", ("d",), (), metadata="[]"), "Example.metadata"),
        (lambda: Example("t", "v", "id", ("d",), (), metadata="{"), "Example.metadata"),
        (lambda: Example("t", "v", "id", ("d",), (), draw=-1), "Example.draw"),
        (lambda: RawFile("d", "/abs", SHA, 1), "RawFile.path"),
        (lambda: RawFile("d", "p", None, 1), "RawFile.sha256"),
        (lambda: RawFile("d", "p", SHA, None), "RawFile.bytes"),
        (lambda: RawFile("d", "p", SHA, 1, "lost"), "RawFile.state"),
        (lambda: prompt(arm="open-book"), "Prompt.arm"),
        (lambda: prompt(max_new_tokens=0), "Prompt.max_new_tokens"),
    ],
)
def test_row_that_breaks_its_own_rule_is_accepted(build, field):
    with pytest.raises(InvalidRow) as caught:
        build()
    assert str(caught.value).startswith(field)


def test_document_id_is_not_the_digest_of_its_text():
    # sha256 of "abc": FIPS 180-4, appendix B.1
    assert text_id("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert document("abc").document_id == text_id("abc")
    assert document(" a  b\nc ").words == 3


def test_equal_values_give_unequal_json():
    assert canonical_json({"b": [1, 2.5, None, True], "a": "ü\u2028"}) == '{"a":"ü\u2028","b":[1,2.5,null,true]}'
    assert canonical_json({"a": 1, "b": 2}) == canonical_json({"b": 2, "a": 1})


@pytest.mark.parametrize("bad", [math.nan, math.inf, {"x": [-math.inf]}])
def test_json_holds_what_is_no_json(bad):
    with pytest.raises(ValueError):
        canonical_json(bad)


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | number | text, lambda inner: st.lists(inner, max_size=3))
)
def test_canonical_json_loses_a_value(value):
    assert json.loads(canonical_json(value)) == value


def test_output_format_is_not_joined_to_its_instruction_by_one_blank():
    assert Instruction("t", 1, "Answer.", " As a list. ", "f").whole == "Answer. As a list."
    assert Instruction("t", 1, "Answer. ", "", "f").whole == "Answer. "
    with pytest.raises(InvalidRow):
        Instruction("t", 0, "Answer.", "", "f")
