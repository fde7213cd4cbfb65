"""Baselines to try before paying for a model: no key, no GPU, under 0.1 s of CPU for 10,000 words.

A rule of config/models.toml is {RULE = ..., option = ...}, where RULE is one of RULES below or a rule of the naive
baselines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from scrollwork.models.base import Answer, Ask, Call, Segment
from scrollwork.models.baselines.choices import option_answer, question
from scrollwork.models.baselines.naive import answer_by
from scrollwork.models.baselines.ruled import Ruled
from scrollwork.models.extractive.document_index import STOP, Text, in_order, ranking, stem, text_of
from scrollwork.models.extractive.lexrank import lexrank, representatives
from scrollwork.models.extractive.nli_by_claims import claim_of, negation_agrees
from scrollwork.models.extractive.option_support import best_supported_option
from scrollwork.models.extractive.oracle import sentences_for, span_for
from scrollwork.models.extractive.ordering import story_order
from scrollwork.models.extractive.paragraphs import count_distinct, most_similar_paragraph
from scrollwork.models.extractive.passages import smooth_scores
from scrollwork.models.extractive.sentences import clip_to_words, words
from scrollwork.models.extractive.sentiment import opinions, positive_share
from scrollwork.models.extractive.similar_line import line_after, speaker
from scrollwork.models.extractive.span import answer as span_answer
from scrollwork.records.base import canonical_json
from scrollwork.records.stable_choice import stable_int

Rule = Mapping[str, Any]


def make(name: str, table: Mapping[str, Any], revision: str) -> Extractive:
    """Make the model of a table of config/models.toml. revision: digest of its code."""
    return Extractive(name, table["rules"], revision)


class Extractive(Ruled):
    """A model with one member. Nothing is random but the naive rules, which use seed 0."""

    provider = "extractive"

    def __init__(self, name: str, rules: Mapping[str, Rule], revision: str) -> None:
        super().__init__(name, rules, revision)
        self.members = (name,)

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """Return what the answer depends on."""
        references = {"references": f"{stable_int(canonical_json(ask.references)):032x}"} if ask.references else {}
        return {**self.depends_on(ask), **references}

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer]:
        """Yield the answer to each call, in order."""
        for call in calls:
            yield Answer(call.key, extracted_answer(self.rule(call.ask.task), call.ask), "complete", call.member)


def extracted_answer(rule: Rule, ask: Ask) -> str:
    """Return the answer of one rule.

    Options of every rule: reads = "query": the query is read in place of the documents. open, least: `open` is the
    answer if the documents contain less than this share of the question's words.
    """
    if rule.get("reads") == "query":
        ask = of_query(ask)
    if "open" in rule and share_of_question(ask) < float(rule["least"]):
        return str(rule["open"])
    for name, answer in RULES.items():
        if name in rule:
            return answer(rule, ask)
    return answer_by(rule, ask, seed=0)


QUESTION = "\nQuestion:"  # in a query that contains its own passage


def of_query(ask: Ask) -> Ask:
    """Return the input with the query's own passage as its document.

    The text after the last "Question:" becomes the query; if there is none, the whole query is the document.
    """
    passage, cue, asked = ask.query.rpartition(QUESTION)
    segments = (Segment("document", passage if cue else asked), Segment("query", asked.strip() if cue else ""))
    return replace(ask, segments=segments)


def share_of_question(ask: Ask) -> float:
    """Return the share of the question's stems that the documents contain, without stop words; 1 if it has none."""
    asked = {stem(word) for word in words(question(claim_of(ask.query))) if word not in STOP}
    shown = {stem(word) for some in text(ask).words for word in some}
    return len(asked & shown) / len(asked) if asked else 1.0


def documents(ask: Ask) -> tuple[str, ...]:
    """Return the text of each document as the prompt shows it."""
    return ask.documents_shown


def text(ask: Ask) -> Text:
    """Return the indexed documents, with their titles if the prompt has one for each."""
    shown = documents(ask)
    headers = tuple(segment.text for segment in ask.segments if segment.role == "inner_header")
    return text_of(shown, headers if len(headers) == len(shown) else ())


def first_sentences(rule: Rule, ask: Ask) -> str:
    """Return the first sentences, at most rule["first"] words of them."""
    return "\n".join(clip_to_words(text(ask).sentences, int(rule["first"])))


def central_sentences(rule: Rule, ask: Ask) -> str:
    """Return LexRank's sentences, at most rule["lexrank"] words of them, in the order of the text."""
    found = text(ask)
    return in_order(found, lexrank(found), int(rule["lexrank"]))


def relevant_sentences(rule: Rule, ask: Ask) -> str:
    """Return the sentences most relevant to the query, at most rule["bm25"] words of them, in the order of the text.

    They are LexRank's if no sentence has a word of the query ("Summarize the meeting.").
    """
    found = text(ask)
    scores = found.index.bm25(words(ask.query))
    if not scores.any():
        return in_order(found, lexrank(found), int(rule["bm25"]))
    able = representatives(found)
    scores = smooth_scores(scores) * (able if np.any(able) else 1.0)
    return in_order(found, ranking(scores), int(rule["bm25"]))


def short_answer(rule: Rule, ask: Ask) -> str:
    """Return a span of at most rule["answer_span"] words that answers the question best."""
    options = {name: rule[name] for name in ("yes_no", "hops", "kind") if name in rule}
    return span_answer(text(ask), ask.query, int(rule["answer_span"]), **options)


def best_option(rule: Rule, ask: Ask) -> str:
    """Return the option that the documents support best: its letter, or its text if the rule has answer = "text"."""
    letter = best_supported_option(text(ask), ask.query, str(rule.get("open", "")))
    return option_answer(ask.query, letter, str(rule.get("answer", "letter")))


def opinion_sentences(rule: Rule, ask: Ask) -> str:
    """Return sentences of praise and complaint that fit the query, at most rule["opinions"] words of them."""
    found = text(ask)
    return in_order(found, ranking(opinions(found, ask.query)), int(rule["opinions"]))


RULES: Mapping[str, Callable[[Rule, Ask], str]] = {
    "first": first_sentences,
    "lexrank": central_sentences,
    "bm25": relevant_sentences,
    "answer_span": short_answer,
    "supported": best_option,
    "opinions": opinion_sentences,
    "claim": lambda rule, ask: rule["claim"][0 if negation_agrees(text(ask), ask.query) else 1],
    "paragraph": lambda rule, ask: most_similar_paragraph(documents(ask), ask.query),
    "distinct": lambda rule, ask: count_distinct(documents(ask)),
    "speaker": lambda rule, ask: speaker(documents(ask), ask.query),
    "line_after": lambda rule, ask: line_after(documents(ask), ask.query),
    "sentiment": lambda rule, ask: positive_share(documents(ask)),
    "story_order": lambda rule, ask: story_order(documents(ask)),
    "oracle_sentences": lambda rule, ask: sentences_for(text(ask), ask.references),
    "oracle_span": lambda rule, ask: span_for(text(ask), ask.references, tuple(rule.get("fixed", ()))),
}
