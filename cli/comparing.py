"""Command `compare` and its arguments: data, for `main.py`."""

from __future__ import annotations

from scrollwork.cli.declared import Command

COMPARE: Command = (
    "compare models by logs of any tool: paired items, intervals, tests, equivalence, power",
    "scrollwork compare logs/alpha.eval logs/beta.eval --by metadata.document_id --out compared.html",
    "scrollwork.cli.commands.compare",
    [
        (
            ["sources"],
            {
                "nargs": "+",
                "metavar": "LOG",
                "help": "logs of inspect_ai, lm-evaluation-harness, lighteval, HELM, Every Eval Ever, promptfoo, "
                "LongBench or L-Eval (a file or the folder of a run), CSV, JSON Lines or Parquet of id and score, "
                "or a home of scrollwork (its folder or s3://...); one is enough if it holds several models",
            },
        ),
        (
            ["--by"],
            {
                "default": "",
                "metavar": "COLUMN",
                "help": "what items belong to (their document), where the logs do not say or say otherwise: a "
                "column, a field of lm-eval's doc or of inspect's metadata (article_id), or a path "
                "(doc.source.article_id)",
            },
        ),
        (
            ["--id"],
            {"default": "", "metavar": "FIELD", "help": "the field that holds an item's own id, e.g. doc.id"},
        ),
        (
            ["--margin"],
            {
                "type": float,
                "default": None,
                "metavar": "POINTS",
                "help": "half the width of what counts as no difference, in points of 100 (default: 1); in the unit "
                "of the scores where they go neither to 1 nor to 100 (default there: none)",
            },
        ),
        (
            ["--allow-changed-prompts"],
            {"action": "store_true", "help": "compare also items that were asked with another prompt"},
        ),
        (
            ["--task"],
            {
                "dest": "tasks",
                "action": "append",
                "default": [],
                "metavar": "TASK",
                "help": "only this task, or NAME_IN_A=NAME_IN_B (repeat for several)",
            },
        ),
        (
            ["--metric"],
            {
                "dest": "metrics",
                "action": "append",
                "default": [],
                "metavar": "METRIC",
                "help": "only this metric, or NAME_IN_A=NAME_IN_B (repeat for several)",
            },
        ),
        (
            ["--model"],
            {
                "dest": "models",
                "action": "append",
                "default": [],
                "metavar": "MODEL",
                "help": "only this model, where the logs hold several (repeat for several)",
            },
        ),
        (
            ["--out"],
            {"default": "", "metavar": "FILE", "help": "also write a page (*.html) or Markdown (*.md)"},
        ),
    ],
)
