"""LongBench (Bai et al. 2024): its English tasks. Dolce's suites (dolce.md 8).

Two layouts: the release, JSON Lines with `context` and `input`; and rendered prompts, a JSON object of records with
`origin_prompt` and `gold`, whose prompt is split again (longbench_prompts.py). `gold` is a list of answers, or an
object with `answers` and `all_classes` if the task has classes.
"""

from collections.abc import Iterator
from functools import partial

from scrollwork.preprocessing.datasets.longbench_prompts import FORMS, take_apart
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.preprocessing.raw.members import named_parts, whole_object
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata


def curate(raw: RawFiles, task: str, split: str, *, form: str) -> Iterator[Row]:
    """Yield contexts as documents, problems as examples; ids are the release's, or the numbers of rendered prompts.

    form: the task's name in LongBench, which determines how its prompts were rendered. Raises ValueError for another
    name.
    """
    if form not in FORMS:
        raise ValueError(f"longbench.form must be one of {', '.join(FORMS)}, is {form!r}")
    for path in raw.files():
        if path[0].lower().endswith(".json"):
            for name, record in named_parts(path[0], "prompt", whole_object(raw, path).data):
                yield from convert_records(
                    [record], partial(rendered_record, name, form, task, split), task=task, split=split
                )
        else:
            alone = RawFiles(raw.dataset, {"records": (path,)})
            yield from convert_records(
                alone.records(), partial(released_record, form, task, split), task=task, split=split
            )


def released_record(form: str, task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield the rows of a record of the release."""
    query = question_of(form, record.optional_text("input"))
    yield from rows(record, record.text("_id"), record.text("context"), query, record, "answers", (task, split))


def rendered_record(name: str, form: str, task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield the rows of a rendered prompt."""
    prompt = record.text("origin_prompt")
    try:
        context, query = take_apart(prompt, FORMS[form])
    except ValueError as error:
        raise record.error("origin_prompt", f"is no prompt of {form}: {error}", "another prompt") from None
    if not context.strip():
        raise record.error("origin_prompt", "has no context", "empty field")
    known = isinstance(record.data.get("gold"), dict)  # answers together with the possible classes
    golds, field = (record.record("gold"), "answers") if known else (record, "gold")
    yield from rows(record, name, context, question_of(form, query), golds, field, (task, split))


def question_of(form: str, text: str) -> str | None:
    """Return the question, without the few-shot cue that it ends with; None if the task asks none."""
    query = text.strip()
    for cue in FORMS[form].cues:
        query = query.removesuffix(cue).rstrip()
    return query or None


def rows(
    record: Record, name: str, context: str, query: str | None, golds: Record, field: str, of: tuple[str, str]
) -> Iterator[Row]:
    """Yield the context, then the problem. golds, field: where its references are, and its classes beside them."""
    document = Document.of(context, source_file=record.file, source_record=record.where)
    references = tuple(dict.fromkeys(text.strip() for text in golds.texts(field) if text.strip()))
    if not references:
        raise golds.error(field, "has no text", "empty field")
    classes = golds.texts("all_classes") if golds.data.get("all_classes") is not None else []
    yield document
    yield Example(
        task=of[0],
        split=of[1],
        example_id=name,
        document_ids=(document.document_id,),
        query=query,
        references=references,
        options=tuple(classes),
        metadata=metadata(),
    )
