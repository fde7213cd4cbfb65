"""Whole pages of invented runs: documents, prompts, answers and scores, without artifacts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from boards import TASKS, params, row

from scrollwork.records.document import Document
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part, Prompt
from scrollwork.records.response import Failure, Response
from scrollwork.records.score import Score
from scrollwork.reporting.boards.board import board
from scrollwork.reporting.page.answers import ANSWER, ANSWERED, FAILED, FAILURE, SCORE, Answered
from scrollwork.reporting.page.assembly import PAGE, WHOLE, Made, assemble
from scrollwork.reporting.page.chunks import Spool
from scrollwork.reporting.page.content import Content, Findings
from scrollwork.reporting.page.documents import Documents
from scrollwork.reporting.page.examples import Group

TASK = "qasper"
TEXT = "".join(f"Sentence {number} of an invented document with some words.\n" for number in range(60))
KEY = "0" * 64


def example(number: int, document: Document, reference: str = "forty-two", metadata: str = "{}") -> Example:
    where = (TASK, "test", f"q{number}", (document.document_id,), (reference,), f"What is {number}?")
    return Example(*where, metadata=metadata)


def prompt(one: Example, document: Document, kept: int = 0) -> Prompt:
    """Of the whole document, or of its first `kept` characters."""
    length = len(document.text)
    end = kept or length
    cut = (Part("document", document_id=document.document_id, start=end, end=length),) if kept else ()
    parts = (
        Part("instruction", "Answer the question.\n\n"),
        Part("document", document_id=document.document_id, start=0, end=end),
        Part("query", f"\n\nQuestion: {one.query}\nAnswer:"),
    )
    return Prompt(
        *("zeroscrolls", TASK, "test", one.example_id, 0, "plain", "full"),
        parts=parts,
        prompt_sha256=KEY,
        words=100,
        kept_chars=end,
        dropped_chars=length - end,
        truncated=bool(kept),
        max_new_tokens=128,
        dropped=cut,
    )


def response(
    one: Example, model: str, text: str, finish: str = "complete", tries: int = 1, cost: int | None = 2_000_000
) -> Response:
    where = ("zeroscrolls", TASK, "test", one.example_id, 0, model, "full", KEY)
    return Response(*where, text, finish, 1000, 200, 30, f"{model}-2026", tries, cost)


def failure(one: Example, model: str, message: str) -> Failure:
    where = ("zeroscrolls", TASK, "test", one.example_id, 0, model, "full", KEY)
    return Failure(*where, "terminal", 400, message, 3)


def answered(row: Response | Failure, score: Score | None = None) -> Answered:
    """As the page reads it: the values of its columns."""
    if isinstance(row, Failure):
        return FAILED, tuple(row.to_dict()[name] for name in FAILURE), None
    values = tuple(row.to_dict()[name] for name in ANSWER)
    return ANSWERED, values, tuple(score.to_dict()[name] for name in SCORE) if score else None


def score(answer: Response, value: float, parsed: str | None = None) -> Score:
    whose = {name: getattr(answer, name) for name in ("suite", "task", "split", "example_id", "draw", "model", "arm")}
    return Score(**whose, metric="f1", value=value, components={"f1": value}, flags={}, parsed=parsed)


def written(
    folder: Path,
    answers: Mapping[str, Sequence[str | None]],
    *,
    kept: int = 0,
    whole: int = WHOLE,
    findings: Findings | None = None,
    text: str = TEXT,
    reference: str = "forty-two",
    metadata: str = "{}",
    name: str = "report",
    values: Sequence[float] = (20.0, 21.0),
    foreign: str = "",
) -> Path:
    """A page of models that answered a task; None: the call failed with a message. The model's n-th answer scores
    10 n, the second model's half of it. kept: characters of the document in the prompts, 0 for all. name: of the page
    without its ending. values: the models' scores of every task.
    foreign: stands in ids, titles, queries, options, failures too."""
    models = list(answers)
    count = len(next(iter(answers.values())))
    rows = [row(task, model, values[place], inputs=count) for task in TASKS for place, model in enumerate(models)]
    asked = params(models)
    content = board(rows, asked)
    chunks: dict[str, str] = {}
    spool = Spool(lambda part, data: chunks.__setitem__(part, data.decode("ascii")))
    document = Document.of(text, title=f"An invented document{foreign}", source_file="none")
    documents = Documents(spool)
    documents.add(document.document_id, document.title, document.text)
    group = Group("g0", TASK, "test", documents, spool)
    examples = [example(number, document, reference, metadata) for number in range(count)]
    if foreign:
        fields = {"titles": (foreign,), "options": (foreign, foreign), "query": foreign}
        examples = [replace(one, example_id=f"{one.example_id}{foreign}", **fields) for one in examples]
    group.examples(examples, {document.document_id: document.words})
    prompts = group.prompts("plain", "full", (prompt(one, document, kept) for one in examples))
    usage, lines = {}, [line.model for line in content.sections[0].lines]
    for place, model in enumerate(models):

        def said(model: str = model, part: int = place + 1) -> Iterator[Answered]:
            for number, (one, text) in enumerate(zip(examples, answers[model], strict=True)):
                if text is None:
                    yield answered(failure(one, model, f"content refused <b>by</b> the provider{foreign}"))
                else:
                    came = response(one, model, text)
                    yield answered(came, score(came, min(100.0, 10.0 * number) / part, text))

        line = lines.index(model)
        usage["test", line], _ = group.answers(line, prompts, [model], said(), {one.example_id for one in examples})
    groups = (group.close(),)
    documents.close()
    own = Content(groups, usage, findings or Findings())
    target = folder / f"{name}.html"

    def write(part: str, data: bytes) -> None:
        path = target if part == PAGE else folder / made_folder(spool, name) / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    made: Made = assemble(content, asked, own, spool, lambda part: chunks[part], f"{name}.files", write, whole)
    assert made.folder in ("", made_folder(spool, name))
    return target


def made_folder(spool: Spool, name: str) -> str:
    return f"{name}.files/{spool.digest()[:16]}"
