"""Baselines that a person would try before paying for a model: no key, no GPU, under 0.1 s of CPU for 10,000 words.

A rule of config/models.toml is {RULE = ..., option = ...}: RULES below, and the rules of the naive baselines.
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
from scrollwork.models.extractive.nli_by_claims import claim_holds, claim_of
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
    """The model of a table of config/models.toml."""
    return Extractive(name, table["rules"], revision)


class Extractive(Ruled):
    """One member; nothing is left to chance but naive rules, which take their seed 0."""

    provider = "extractive"

    def __init__(self, name: str, rules: Mapping[str, Rule], revision: str) -> None:
        super().__init__(name, rules, revision)
        self.members = (name,)

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """What the answer depends on."""
        references = {"references": f"{stable_int(canonical_json(ask.references)):032x}"} if ask.references else {}
        return {**self.depends_on(ask), **references}

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer]:
        """Answers at once."""
        for call in calls:
            yield Answer(call.key, extracted_answer(self.rule(call.ask.task), call.ask), "complete", call.member)


def extracted_answer(rule: Rule, ask: Ask) -> str:
    """The answer of one rule. reads: what is read in place of the documents, "query"."""
    if rule.get("reads") == "query":
        ask = of_query(ask)
    if "open" in rule and share_of_question(ask) < float(rule["least"]):
        return str(rule["open"])
    for name, answer in RULES.items():
        if name in rule:
            return answer(rule, ask)
    return answer_by(rule, ask, seed=0)


QUESTION = "\nQuestion:"  # in a query that brings a passage of its own


def of_query(ask: Ask) -> Ask:
    """The same input with the query's own passage as its document; what follows its last "Question:" is the query."""
    passage, cue, asked = ask.query.rpartition(QUESTION)
    segments = (Segment("document", passage if cue else asked), Segment("query", asked.strip() if cue else ""))
    return replace(ask, segments=segments)


def share_of_question(ask: Ask) -> float:
    """The share of the question's words, without those of grammar, that stand in what is shown; 1 for a question of
    none."""
    asked = {stem(word) for word in words(question(claim_of(ask.query))) if word not in STOP}
    shown = {stem(word) for some in text(ask).words for word in some}
    return len(asked & shown) / len(asked) if asked else 1.0


def documents(ask: Ask) -> tuple[str, ...]:
    """What the prompt shows of each document."""
    return ask.documents_shown


def text(ask: Ask) -> Text:
    """The documents, indexed; their titles where the prompt gives them."""
    shown = documents(ask)
    headers = tuple(segment.text for segment in ask.segments if segment.role == "inner_header")
    return text_of(shown, headers if len(headers) == len(shown) else ())


def first_sentences(rule: Rule, ask: Ask) -> str:
    """The first sentences that fit into so many words."""
    return "\n".join(clip_to_words(text(ask).sentences, int(rule["first"])))


def central_sentences(rule: Rule, ask: Ask) -> str:
    """LexRank's sentences, so many words of them."""
    found = text(ask)
    return in_order(found, lexrank(found), int(rule["lexrank"]))


def relevant_sentences(rule: Rule, ask: Ask) -> str:
    """The sentences most relevant to the query; LexRank's where the query says nothing ("Summarize the meeting.")."""
    found = text(ask)
    scores = found.index.bm25(words(ask.query))
    if not scores.any():
        return in_order(found, lexrank(found), int(rule["bm25"]))
    able = representatives(found)
    scores = smooth_scores(scores) * (able if np.any(able) else 1.0)
    return in_order(found, ranking(scores), int(rule["bm25"]))


def short_answer(rule: Rule, ask: Ask) -> str:
    """A span of at most so many words from the passage that answers the question best."""
    options = {name: rule[name] for name in ("yes_no", "hops", "kind") if name in rule}
    return span_answer(text(ask), ask.query, int(rule["answer_span"]), **options)


def best_option(rule: Rule, ask: Ask) -> str:
    """The option that the document supports best; by letter or text, as `answer` says."""
    letter = best_supported_option(text(ask), ask.query, str(rule.get("open", "")))
    return option_answer(ask.query, letter, str(rule.get("answer", "letter")))


def opinion_sentences(rule: Rule, ask: Ask) -> str:
    """Sentences of praise and complaint that fit the query, at most so many words."""
    found = text(ask)
    return in_order(found, ranking(opinions(found, ask.query)), int(rule["opinions"]))


RULES: Mapping[str, Callable[[Rule, Ask], str]] = {
    "first": first_sentences,
    "lexrank": central_sentences,
    "bm25": relevant_sentences,
    "answer_span": short_answer,
    "supported": best_option,
    "opinions": opinion_sentences,
    "claim": lambda rule, ask: rule["claim"][0 if claim_holds(text(ask), ask.query) else 1],
    "paragraph": lambda rule, ask: most_similar_paragraph(documents(ask), ask.query),
    "distinct": lambda rule, ask: count_distinct(documents(ask)),
    "speaker": lambda rule, ask: speaker(documents(ask), ask.query),
    "line_after": lambda rule, ask: line_after(documents(ask), ask.query),
    "sentiment": lambda rule, ask: positive_share(documents(ask)),
    "story_order": lambda rule, ask: story_order(documents(ask)),
    "oracle_sentences": lambda rule, ask: sentences_for(text(ask), ask.references),
    "oracle_span": lambda rule, ask: span_for(text(ask), ask.references, tuple(rule.get("fixed", ()))),
}
