"""What a suite file may hold: each key with its kind and meaning.

Files are checked by this, and config/schema/suite.schema.json is made of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrollwork.models.hosted import tables
from scrollwork.models.local import local_tables
from scrollwork.models.registry import HOSTED, LOCAL, PROVIDERS, TABLES
from scrollwork.models.table_keys import (
    ANY_TABLE,
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Between,
    Choice,
    Key,
    ListOf,
    MapOf,
    Table,
)
from scrollwork.pipeline import entry_points
from scrollwork.pipeline.design import own_designs
from scrollwork.pipeline.entry_points import METRICS, installed_entry_points
from scrollwork.preprocessing.prompts.truncation import POLICIES
from scrollwork.scoring.names import JUDGED, MODULES

MOST_SHARDS = 1000  # of a task: each is a handful of stages
KINDS = ("summarization", "qa", "nli", "aggregation", "coreference")
DESIGNS = tuple(own_designs())
DOCUMENTS = "documents"  # the piece that every layout has
PIECES = ("instruction", "context_header", DOCUMENTS, "query_header", "query", "response_header")
TEXTS = ListOf(TEXT)

ELSEWHERE = (
    f"package.module, or a name of an installed package (entry points {METRICS})",
    lambda: installed_entry_points(METRICS),
)
PACKAGED = f"a name of an installed package (entry points {entry_points.DESIGNS})"

BLOCK = Table(
    {
        "text": Key(TEXT, "A demonstration or the instance, with its places {instruction}, {documents}, {target}, ..."),
        "document": Key(TEXT, "Before each document; {number} counts from 1, {index} from 0."),
        "end": Key(TEXT, "Behind each document."),
        "gap": Key(TEXT, "Between two documents."),
        "separator": Key(TEXT, "Between two blocks."),
        "stripped": Key(FLAG, "The prompt ends without the blanks of its cue."),
        "ordered": Key(FLAG, "Documents of demonstrations stand in the run's order, too."),
        "unlisted": Key(TEXT, "Behind the name of a review without highlights."),
        "swapped": Key(FLAG, "Of nested mentions that end together, the outer one's id comes first."),
        "verbatim": Key(FLAG, "Nothing is tidied, as in the official code."),
    }
)
TEMPLATE = {
    "instruction": Key(TEXT, "What the prompt begins with; {n} is the number of documents."),
    "context_header": Key(TEXT, "The line above the documents."),
    "response_header": Key(TEXT, "The line that the prompt ends with."),
    "omission": Key(TEXT, "Stands where a document was cut to the model's limit."),
    "query_header": Key(TEXT, "The line above the query."),
    "inner_header": Key(TEXT, "Before each of several documents; {number} counts from 1, {title} is its title."),
    "block": Key(BLOCK, "How demonstrations and the instance look, where prompts are drawn anew in each run."),
}
GRANULARITY = {
    "units": Key(TEXT, "The units of a context (preprocessing/windows/units.py).", needed=True),
    "lengths": Key(ListOf(WHOLE), "Lengths of windows, in units.", needed=True),
    "full": Key(FLAG, "The whole context is observed too.", needed=True),
    "more": Key(MapOf(ListOf(WHOLE), inline=True), "Further lengths, by the size of a context."),
}
WINDOWS = Table(
    {
        **GRANULARITY,
        "other": Key(ListOf(Table(GRANULARITY, inline=True)), "Granularities to compare with."),
        "unknown": Key(TEXT, 'How a problem is left unanswered: "word", "letter", "" where that is not offered.'),
        "extractor": Key(TEXT, "What of a reply is the answer (scoring/reading/dolce_answers.py)."),
        "scenario": Key(TEXT, "What the paper's dip test said: cow, pig or mixed."),
    }
)
SPLITS = Table(
    {name: Key(TEXT, f"What upstream calls the split {name}.") for name in ("train", "validation", "test")}, inline=True
)
SAMPLE = Table(
    {
        "size": Key(WHOLE, "So many inputs at most."),
        "by": Key(TEXT, "A field of the metadata, for `strata`."),
        "strata": Key(MapOf(WHOLE, inline=True), "So many at most of each value of `by`."),
        "order_by": Key(TEXT, "Those with the highest value of this field instead of a random choice."),
        "unique_by": Key(TEXT, "At most one of each value of this field."),
        "group_by": Key(TEXT, "Inputs with one value of this field together, so that no two splits share one."),
    },
    inline=True,
)
PAPER = Table(
    {
        "examples": Key(WHOLE, "Inputs of the test split."),
        "asked": Key(WHOLE, "Inputs of all runs together, where they are drawn."),
        "mean_words": Key(NUMBER, "Mean white-space words of its inputs."),
        "samples": Key(WHOLE, "Inputs of all splits."),
        "tokens_in": Key(NUMBER, "Mean tokens of inputs."),
        "tokens_out": Key(NUMBER, "Mean tokens of outputs."),
        "documents": Key(NUMBER, "Mean documents of an input."),
        "suite": Key(TEXT, "The suite that it took the task from."),
        "task": Key(TEXT, "The task's name there."),
        "median_length": Key(NUMBER, "Median tokens of contexts."),
    },
    inline=True,
)
JUDGES = Table(
    {
        "metric": Key(Choice(tuple(JUDGED)), "The metric.", needed=True),
        "faithfulness": Key(TEXT, "The checkpoint that says whether highlights entail an answer."),
        "coverage": Key(TEXT, "The checkpoint that says whether an answer covers them."),
    },
    inline=True,
)
TASK = Table(
    {
        "dataset": Key(
            TEXT,
            "What reads the raw files: jsonl (JSON Lines of examples), another module of preprocessing/datasets, "
            "package.module, or a name of an installed package (entry points scrollwork.datasets).",
            needed=True,
        ),
        "short": Key(TEXT, "The head of its column in the leaderboard.", needed=True),
        "max_new_tokens": Key(Between(1, 10**6, WHOLE), "How many tokens an answer may have.", needed=True),
        "splits": Key(SPLITS, "What upstream calls each split.", needed=True),
        "raw": Key(
            MapOf(TEXTS),
            "By role, ordered patterns below the raw folder: the first that matches anything is used, with all its "
            "matches. {split} and {option} are filled in; a pattern with {test} is for that split only; "
            "ARCHIVE.zip!MEMBER is a member of a zip.",
            needed=True,
        ),
        **TEMPLATE,
        "options": Key(ANY_TABLE, "Passed to the data set's module; `--set TASK.OPTION=VALUE` changes one."),
        "sample": Key(SAMPLE, "Which inputs are taken; all by default."),
        "paper": Key(PAPER, "What the paper prints, for comparison only."),
        "seeded": Key(FLAG, "The data set makes random choices: its module gets the seed."),
        "one_source": Key(FLAG, "All splits are cut from the same files; validation takes what test leaves."),
        "shards": Key(
            Between(1, MOST_SHARDS, WHOLE),
            "How many parts prompts, answers and scores come in; curation and sample, if they can.",
        ),
        "query_ends": Key(TEXT, "How the query of a released input without offsets ends: blank_line, or options."),
        "mention_ids": Key(ListOf(WHOLE, exactly=2), "Lowest and highest id of a mention."),
        "proxy": Key(TEXT, "What must be said of a metric that stands in for the benchmark's own."),
        "empty_answer": Key(TEXT, "What is scored in place of an empty answer."),
        "judged": Key(JUDGES, "The benchmark's own metric, where a run names the models that judge."),
        "windows": Key(WINDOWS, "Of a suite that observes its contexts through windows."),
        "subset": Key(TEXT, "A flag in the metadata: examples that have it are scored by themselves too."),
        "metric": Key(Choice((*MODULES, *JUDGED), ELSEWHERE), "How answers are scored.", needed=True),
        "kind": Key(Choice(KINDS), "What sort of task it is; qa and nli have a closed-book arm.", needed=True),
    }
)
PROMPTS = Table(
    {
        "task": Key(MapOf(Table(TEMPLATE)), "By task, strings in place of the task's own."),
        "layout": Key(ListOf(ListOf(Choice(PIECES))), "As of the suite."),
        "max_new_tokens": Key(MapOf(WHOLE), "By task, how many tokens an answer may have."),
        "truncation": Key(Choice(POLICIES), "As of the suite."),
    }
)
RUNS = Table(
    {
        "count": Key(WHOLE, "How many runs.", needed=True),
        "shots": Key(WHOLE, "Demonstrations in a prompt.", needed=True),
        "instances": Key(WHOLE, "Inputs of a run at most.", needed=True),
    }
)
EXTENDS = "extends"
SUITE = Table(
    {
        "name": Key(
            TEXT, "What the suite is called in folders, tables and files; not that of a bundled suite.", needed=True
        ),
        "title": Key(TEXT, "What people read.", needed=True),
        "default_splits": Key(TEXTS, "The splits that are asked where nobody says otherwise.", needed=True),
        "seed": Key(WHOLE, "Seed of random choices.", needed=True),
        "temperature": Key(NUMBER, "Of decoding; 0 is greedy.", needed=True),
        "chat_sentence": Key(TEXT, "A sentence that chat models get behind the instruction."),
        "validation_size": Key(WHOLE, "Inputs of the split validation at most, of each task."),
        "citation": Key(TEXT, "The paper."),
        "release": Key(
            TEXTS, "Where the official release may lie below the raw folder; {task} and {split} are filled in."
        ),
        "submission": Key(TEXT, "File name of the leaderboard's CSV."),
        "submission_order": Key(TEXTS, "Order of the tasks in it, where that is not the suite's."),
        "in_sample": Key(TEXTS, "The tasks that the bundled sample has, where these are not all."),
        "design": Key(
            Choice(DESIGNS, (PACKAGED, lambda: installed_entry_points(entry_points.DESIGNS))),
            "The experiment: each input once (fixed), in several runs, or through windows.",
        ),
        "layout": Key(
            ListOf(ListOf(Choice(PIECES))), "Order of a prompt's pieces, in groups with a blank line between them."
        ),
        "runs": Key(RUNS, "Of a suite that draws its prompts anew in each run."),
        "truncation": Key(Choice(POLICIES), "How a prompt is cut to a model's limit.", needed=True),
        "task": Key(MapOf(TASK), "The tasks, in official order.", needed=True),
        "prompts": Key(MapOf(PROMPTS), "Further sets of instructions, chosen by name (--prompts SET)."),
    }
)
# A suite that adds tasks to another: all else is that one's, so that its own tasks stay what they are.
EXTENDING = Table(
    {
        EXTENDS: Key(TEXT, "The suite that gets these tasks too; the average stays that of its own.", needed=True),
        **{name: SUITE.keys[name] for name in ("name", "title", "citation", "task")},
    }
)

# ---- as JSON Schema, for editors
FOLDER = Path(__file__).resolve().parents[1] / "config" / "schema"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def suite_schema() -> dict[str, Any]:
    """Of a suite file."""
    return {"$schema": DRAFT, "title": "A suite file of scrollwork", **SUITE.schema()}


def models_schema() -> dict[str, Any]:
    """Of a file of models: a table each, whose keys are those of its provider. A table without a provider is put over
    ours of that name; what a provider from elsewhere reads, nobody knows here."""
    families = (
        (list(HOSTED), tables.KEYS),
        (list(LOCAL), local_tables.KEYS),
        *(([name], keys) for name, keys in TABLES.items()),
    )
    model = {
        "type": "object",
        "properties": {"provider": {"type": "string", "description": provider_means(list(PROVIDERS))}},
        "allOf": [
            {"if": {"properties": {"provider": {"enum": names}}, "required": ["provider"]}, "then": table_schema(keys)}
            for names, keys in families
        ],
    }
    title = "Models of scrollwork (config/models.toml, --models FILE)"
    return {"$schema": DRAFT, "title": title, "type": "object", "additionalProperties": model}


def table_schema(keys: Any) -> dict[str, Any]:
    """The schema of a table with these keys."""
    known: dict[str, Key] = dict(keys)
    return Table(known).schema()


def provider_means(names: list[str]) -> str:
    """What a provider may be."""
    return f"What answers: {', '.join(names)}."


def schema_files() -> dict[str, str]:
    """The files of config/schema/, by name, as they are to be."""
    made = {"suite.schema.json": suite_schema(), "models.schema.json": models_schema()}
    return {name: json.dumps(schema, indent=1, ensure_ascii=False) + "\n" for name, schema in made.items()}
