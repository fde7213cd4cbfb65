"""The baselines without a key: each rule by hand, on hostile documents, and what reaches its request key."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.models.base import Ask, Call, Segment
from scrollwork.models.extractive.by_rule import RULES, extracted_answer
from scrollwork.models.extractive.document_index import text_of
from scrollwork.models.extractive.sentiment import positive_share, tone
from scrollwork.models.extractive.span import kind_of
from scrollwork.models.registry import UnknownModel, make, settings
from scrollwork.suites.suite_files import load_models, load_suite
from tests.some_slow import one_in

TABLES = load_models()
KEYLESS = ("lead", "lexrank", "bm25", "strong")
STORY = (
    "The old lighthouse stood on a rock near Brack Harbour for ninety years. Its keeper was Anselm Thorne, a quiet man from "
    "the north. In 1887 a storm broke the lamp and drowned two boats. The council paid 340 crowns for a new lamp from the "
    "glass works. Anselm Thorne carried it up the stairs alone on a cold morning. Children from the town watched the rock "
    "every evening after that. They said that the light was kinder than before the storm."
)
QUERY = "Who was the keeper of the lighthouse?"
CHOICE = "What broke?\n\n (A) The oar of the ferry\n (B) The lamp, in a storm\n (C) A promise\n (D) Some bread"
EXTRACTS = [{"first": 30}, {"lexrank": 30}, {"bm25": 30}, {"oracle_sentences": True}]
EVERY = [*EXTRACTS, {"answer_span": 5, "yes_no": True, "hops": 2}, {"supported": True}, {"supported": True, "answer": "text"},
         {"sentiment": True}, {"story_order": True}, {"oracle_span": True, "fixed": ["No"]}, {"opinions": 30},
         {"claim": ["Yes", "No"]}, {"paragraph": True}, {"distinct": True}, {"speaker": True}, {"line_after": True},
         {"supported": True, "reads": "query", "open": "E", "least": 0.5}]  # fmt: skip


def asked(
    query: str = QUERY, *documents: str, references: tuple[str, ...] = ("The lamp was new.",), task: str = "t"
) -> Ask:
    shown = [Segment("document", text) for text in documents or (STORY,)]
    return Ask(task, "e", (*shown, Segment("query", query)), "0" * 64, len(shown), 100, references=references)


@pytest.mark.parametrize("rule", EXTRACTS, ids=str)
@pytest.mark.parametrize("query", [QUERY, "", "Summarize it."])
def test_extract_is_no_sentences_of_the_document(rule: dict[str, object], query: str) -> None:
    found = extracted_answer(rule, asked(query))
    assert found
    sentences = text_of((STORY,)).sentences
    places = [sentences.index(line) for line in found.split("\n")]
    assert places == sorted(set(places))
    assert len(found.split()) <= 30


def test_query_leads_nowhere() -> None:
    assert "Anselm Thorne, a quiet man" in extracted_answer({"bm25": 20}, asked(QUERY))
    assert "340 crowns" in extracted_answer({"bm25": 20}, asked("What did the council pay for the lamp?"))


@pytest.mark.parametrize(
    ("question", "rule", "found"),
    [
        (QUERY, {"answer_span": 5}, "Anselm Thorne"),
        ("When did a storm break the lamp?", {"answer_span": 5}, "1887"),
        ("Did it rain?", {"answer_span": 5, "yes_no": True}, "Yes"),
        ("Why did the children watch the rock?", {"answer_span": 5}, "rock every evening after that"),
    ],
)
def test_short_answer_is_another(question: str, rule: dict[str, object], found: str) -> None:
    assert extracted_answer(rule, asked(question)) == found


def test_second_hop_stays_in_the_first_document() -> None:
    documents = (
        "Brack Bells is a hymn by Odile Marsh. It is sung at noon.",
        "Odile Marsh was born in Fenmouth. She kept bees.",
        "Otto Weir was born in Saltwick. He kept goats.",
    )
    ask = asked("Where was the composer of Brack Bells born?", *documents)
    assert extracted_answer({"answer_span": 5, "hops": 2}, ask) == "Fenmouth"


@pytest.mark.parametrize(
    ("question", "kind"),
    [("How many boats?", "number"), ("In which year?", "name"), ("Who came when it rained?", "name"),
     ("When did the man who sang leave?", "number"), ("Why?", "phrase"), ("What is the name of it?", "name")],
)  # fmt: skip
def test_question_is_of_another_kind(question: str, kind: str) -> None:
    assert kind_of(question) == kind


def test_option_that_the_text_supports_is_not_chosen() -> None:
    assert extracted_answer({"supported": True}, asked(CHOICE)) == "B"
    assert extracted_answer({"supported": True, "answer": "text"}, asked(CHOICE)) == "The lamp, in a storm"
    assert extracted_answer({"supported": True}, asked("no options")) == "A"


def test_praise_is_taken_for_complaint() -> None:
    good, bad = "The room was clean and lovely.", "Dirty, rude, and not clean at all."
    assert positive_share([good, good, bad]) == "67%"
    assert positive_share(["We stayed two nights."]) == "100%"
    assert positive_share([]) == "0%"
    assert tone("not good") < 0 < tone("not bad") < tone("good") < tone("very good")
    assert tone("It was nice but filthy.") < 0


def test_end_of_a_story_comes_first() -> None:
    summaries = (
        "She dies and is buried. The wedding is off.",
        "They talk.",
        "Young Tom, born poor, arrives and meets Ann.",
    )
    assert extracted_answer({"story_order": True}, asked("", *summaries)) == "3, 2, 1"


HOSTILE = ["", " \n ", "x" * 1_000_000, "." * 100_000, "? ! ...", "\u202e\u0000\ud800é", "a " * 50_000, "A. " * 30_000,
           "(A) (B)\n (C)", "1 " * 30_000, "Aa " * 30_000, "北京。上海。" * 5000, "\n" * 100_000, "the of and. " * 2000]  # fmt: skip


@pytest.mark.parametrize("rule", one_in(3, EVERY), ids=str)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_noise_crashes_a_rule_or_takes_more_than_linear_time(rule: dict[str, object], text: str) -> None:
    began = time.process_time()
    for query in (QUERY, text[:1000], ""):
        assert isinstance(extracted_answer(rule, asked(query, text, STORY, references=(text[:300], "x"))), str)
        assert isinstance(extracted_answer(rule, asked(query, text, references=())), str)
    assert time.process_time() - began < 20  # under 2 s


@given(st.lists(st.text(max_size=60), max_size=4), st.text(max_size=40), st.sampled_from(EVERY))
def test_answer_depends_on_chance_or_on_what_was_asked_before(
    documents: list[str], query: str, rule: dict[str, object]
) -> None:
    first = extracted_answer(rule, asked(query, *documents))
    extracted_answer(rule, asked(QUERY))
    text_of.cache_clear()
    assert extracted_answer(rule, asked(query, *documents)) == first


@pytest.mark.parametrize("suite", ["zeroscrolls", "scrolls"])
@pytest.mark.parametrize("name", KEYLESS)
def test_model_lacks_a_rule_for_a_task_of_its_suite(name: str, suite: str) -> None:
    table = settings(name, TABLES, suite)
    assert set(load_suite(suite).tasks) <= set(table["rules"])
    names = {next(iter(rule)) for rule in table["rules"].values()}
    assert names - {"fixed", "any_of", "sequence", "fit", "span"} <= set(RULES)
    quality = table["rules"]["quality"]
    assert (quality.get("answer") == "text") == (suite == "scrolls")


def call(name: str, task: str, ask: Ask) -> Call:
    model = make(name, settings(name, TABLES, "zeroscrolls"), "r1")
    return Call("k", name, model.payload(ask, name), ask)


def test_answer_of_the_oracle_is_kept_when_the_references_change() -> None:
    payloads = [
        call("oracle", "squality", asked(references=(text,), task="squality")).payload for text in ("a", "b", "a")
    ]
    assert payloads[0] != payloads[1]
    assert payloads[0] == payloads[2]


def test_model_that_is_compared_may_read_references() -> None:
    assert [name for name in TABLES if TABLES[name].get("reads_references")] == ["oracle"]
    with pytest.raises(UnknownModel, match="reads_references is for extractive only"):
        settings("mine", {"mine": {"provider": "baselines", "reads_references": True}})


def test_rules_of_the_rest_win_or_come_from_a_third_model() -> None:
    tables = {
        "base": {"provider": "extractive", "rules": {"a": {"first": 1}, "b": {"first": 2}}, "on": {"s": {"rules": {"b": {"first": 3}}}}},
        "own": {"provider": "extractive", "rest": "base", "rules": {"a": {"first": 9}}},
        "third": {"provider": "extractive", "rest": "own"},
    }  # fmt: skip
    assert settings("own", tables, "s")["rules"] == {"a": {"first": 9}, "b": {"first": 3}}
    assert settings("own", tables, "z")["rules"] == {"a": {"first": 9}, "b": {"first": 2}}
    with pytest.raises(UnknownModel, match="takes rules from a third model"):
        settings("third", tables)
    with pytest.raises(UnknownModel, match="no model is named 'gone'"):
        settings("x", {"x": {"provider": "extractive", "rest": "gone"}})
