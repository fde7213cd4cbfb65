"""The keys of the baselines' tables, with their kinds, so that a mistake is reported before anything is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scrollwork.models.hosted.tables import CHOICE
from scrollwork.models.table_keys import (
    ANY_TABLE,
    ANYTHING,
    FLAG,
    NUMBER,
    SHARE,
    TEXT,
    TEXT_LIST,
    WHOLE,
    BadValue,
    Between,
    Key,
    MapOf,
    Place,
    Schema,
    Table,
    unknown_key,
)

# The keys of a rule. One of them names the method, which is in models/baselines/naive.py or in
# models/extractive/by_rule.py; the others are its options.
RULE = Table(
    {
        "span": Key(WHOLE, "So many contiguous words of the documents."),
        "fixed": Key(ANYTHING, "This text; of an upper bound, texts that are offered beside the document's."),
        "any_of": Key(ANYTHING, "One of these rules, by chance."),
        "sequence": Key(FLAG, '"1, 2, ..., n" for n documents.'),
        "clusters": Key(TEXT, "Of marked mentions: singletons, one, or head."),
        "lead": Key(NUMBER, "This share of the documents' characters, from their start."),
        "lead_input": Key(NUMBER, "The same of the whole input."),
        "position": Key(TEXT, "The option of this letter."),
        "by_query": Key(ANYTHING, "An answer for each query."),
        "otherwise": Key(TEXT, "The answer to other queries."),
        "fit": Key(TEXT, "What is taken from another split: lead, lead_input, position or by_query."),
        "guess": Key(TEXT, 'One of the options that the query shows, by chance: its "letter" or its "text".'),
        "answer": Key(TEXT, 'An option is named by its "letter" (default) or its "text".'),
        "first": Key(WHOLE, "The first sentences, so many words at most."),
        "lexrank": Key(WHOLE, "The most central sentences, so many words at most."),
        "bm25": Key(WHOLE, "The sentences that fit the query best, so many words at most."),
        "answer_span": Key(WHOLE, "A span of so many words at most from the passage that fits the query best."),
        "yes_no": Key(FLAG, "Of answer_span: yes or no where the question asks for it."),
        "hops": Key(WHOLE, "Of answer_span: over so many passages."),
        "kind": Key(TEXT, "Of answer_span: what sort of answer is looked for."),
        "supported": Key(FLAG, "The option that the documents support best."),
        "opinions": Key(WHOLE, "Sentences of praise and complaint, so many words at most."),
        "claim": Key(TEXT_LIST, "The answers to a claim that the documents do not, and do, contradict."),
        "paragraph": Key(FLAG, "The number of the document that fits the query best."),
        "distinct": Key(FLAG, "How many documents differ."),
        "speaker": Key(FLAG, "Whose lines fit the last sentence."),
        "line_after": Key(FLAG, "What follows the line most like the last one."),
        "sentiment": Key(FLAG, "The share of positive reviews."),
        "story_order": Key(FLAG, "The order of parts, by words of beginnings and ends."),
        "oracle_sentences": Key(FLAG, "The best sentences; reads the references."),
        "oracle_span": Key(FLAG, "The best span; reads the references."),
        "open": Key(TEXT, "Said where too few of the question's words are shown."),
        "least": Key(NUMBER, "The share of them that has to be."),
        "reads": Key(TEXT, 'What is read in place of the documents: "query".'),
    }
)
REST = "rest"  # key of `rules`: its table has a rule by metric or kind of task, for tasks of no suite of ours


@dataclass(frozen=True)
class Rules:
    """The kind of `rules`: a rule for each task, and under REST a table with a rule for each metric or kind of task."""

    def check(self, at: Place, name: str, value: Any) -> None:
        ANY_TABLE.check(at, name, value)
        for task, rule in value.items():
            for path, one in (
                {f"{name}.{task}.{key}": inner for key, inner in rule.items()}.items()
                if task == REST and isinstance(rule, Mapping)
                else [(f"{name}.{task}", rule)]
            ):
                ANY_TABLE.check(at, path, one)
                for key, option in one.items():
                    if key not in RULE.keys:
                        raise BadValue(f"{at}: {path}: {unknown_key(key, sorted(RULE.keys))}")
                    RULE.keys[key].kind.check(at, f"{path}.{key}", option)

    def schema(self) -> Schema:
        rules: Schema = MapOf(RULE).schema()
        means = "By metric, else by kind of task: for tasks of suites that nobody knew."
        return {**rules, "properties": {REST: {"description": means, **rules}}}


RULED: Mapping[str, Key] = {
    **CHOICE,
    "rules": Key(Rules(), "By task, how it is answered."),
    "rest": Key(TEXT, "The model whose rules hold for tasks without a rule here."),
    "fit_split": Key(TEXT, "The split from which rules are fitted (train)."),
    "reads_references": Key(FLAG, "An upper bound: it is shown the references."),
}
BY_CHANCE: Mapping[str, Key] = {
    **RULED,
    "seeds": Key(Between(1, 1_000_000, WHOLE), "How many members there are, that differ in their random choices."),
    "seed": Key(WHOLE, "The one seed."),
}
SHARES: Mapping[str, Key] = {
    **CHOICE,
    "noise": Key(SHARE, "Share of answers that are noise."),
    "right": Key(SHARE, "Share of the noise that is right."),
    "wrong": Key(SHARE, "Share of the noise that is wrong."),
}
