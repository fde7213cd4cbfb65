"""The page of a whole run: bytes against the zstd Parquet of the same data, and seconds in Chromium.

4,378 inputs of ten tasks with as many documents as ZeroSCROLLS has, of the paper's lengths, answered by five models.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.kit.measure import cost, python
from benchmarks.kit.prose import Prose
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part, Prompt
from scrollwork.records.response import Response
from scrollwork.records.score import Aggregate, Coverage, Score
from scrollwork.storage.artifacts.artifact import Artifact, Artifacts
from scrollwork.storage.artifacts.manifest import Ingredients

CONFIG = Path(__file__).resolve().parents[1] / "config"
SUITE = tomllib.loads((CONFIG / "suites" / "zeroscrolls.toml").read_text(encoding="utf-8"))
PUBLISHED = tomllib.loads((CONFIG / "published" / "zeroscrolls.toml").read_text(encoding="utf-8"))
MODELS = ("alpha", "beta", "gamma", "delta", "epsilon")
DOCUMENTS = {"qmsum": 35, "squality": 52, "quality": 115, "qasper": 400, "narrative_qa": 355}  # else one an input
ANSWER_WORDS = {"rouge_geo": 150, "f1": 6, "accuracy": 1, "es": 1, "concordance": 12}
INSTRUCTION = "You are given a document and a question. Answer the question in a few words of the document.\n\n"
MAKE = "from benchmarks.report import make; make(__import__('sys').argv[1])"


def tasks(small: bool) -> dict[str, dict[str, Any]]:
    """Task tables; small: a twentieth of the inputs."""
    sizes = {name: dict(task["paper"]) for name, task in SUITE["task"].items()}
    return {
        name: {
            "metric": SUITE["task"][name]["metric"],
            "inputs": size["examples"] // (20 if small else 1),
            "documents": max(1, DOCUMENTS.get(name, size["examples"]) // (20 if small else 1)),
            "words": size["mean_words"],
        }
        for name, size in sizes.items()
    }


def write(home: Path, small: bool) -> int:
    """The artifacts of such a run; bytes of their Parquet."""
    artifacts = Artifacts(str(home))
    total = 0
    for place, (task, size) in enumerate(tasks(small).items()):
        prose = Prose(7, place)
        made: list[Artifact] = []
        documents = [
            Document.of("\n\n".join(prose.paragraphs(prose.around(size["words"]))), title="", source_file="none")
            for _ in range(size["documents"])
        ]
        made.append(stored(artifacts, "curate", task, "documents", Document, iter(documents)))
        lengths = [(one.document_id, len(one.text)) for one in documents]
        del documents
        words = ANSWER_WORDS[size["metric"]]
        examples = [
            Example(
                *(task, "test", f"{task}-{number}", (lengths[number % len(lengths)][0],), (prose.words(words),)),
                query=prose.words(12),
                suite="zeroscrolls",
            )
            for number in range(size["inputs"])
        ]
        made.append(stored(artifacts, "sample", task, "examples", Example, iter(examples)))
        made.append(stored(artifacts, "prompt", task, "prompts", Prompt, prompts(task, examples, dict(lengths))))
        for model in MODELS:
            rows = responses(task, model, examples, Prose(8, place, MODELS.index(model)), words)
            made.append(stored(artifacts, "generate", f"{task}.{model}", "responses", Response, rows))
            scored = scores(task, model, size["metric"], examples, Prose(9, place, MODELS.index(model)))
            made.append(stored(artifacts, "score", f"{task}.{model}", "scores", Score, scored))
        total += sum(part.bytes for artifact in made for part in artifact.manifest.files)
    return total


def stored(artifacts: Artifacts, stage: str, slot: str, table: str, row: type[Any], rows: Iterator[Row]) -> Artifact:
    """One artifact of one table."""
    writing = artifacts.write(Ingredients(stage, slot, {}, {}, {}, {}))
    with writing as writer:
        out = writer.table(table, row)
        for one in rows:
            out.add(one)
        writer.facts = {"members": [slot.partition(".")[2]]}
    return writing.artifact


def prompts(task: str, examples: list[Example], lengths: dict[str, int]) -> Iterator[Prompt]:
    """Instruction, document, question."""
    for one in examples:
        (document_id,) = one.document_ids
        parts = (
            Part("instruction", INSTRUCTION),
            Part("document", document_id=document_id, start=0, end=lengths[document_id]),
            Part("query", f"\n\nQuestion:\n{one.query}\n\nAnswer:\n"),
        )
        where = ("zeroscrolls", task, "test", one.example_id, 0, "plain", "full")
        yield Prompt(*where, parts, document_id, 7000, lengths[document_id], 0, False, 1024)


def responses(task: str, model: str, examples: list[Example], prose: Prose, words: int) -> Iterator[Response]:
    """Answers of about the usual length."""
    for one in examples:
        text = prose.words(max(1, prose.around(words)))
        key = Document.of(model + one.example_id + text, source_file="none").document_id
        where = ("zeroscrolls", task, "test", one.example_id, 0, model, "full", key)
        yield Response(
            *where, text, "complete", 9000 + prose.below(4000), 0, words, f"{model}-2026-01-01", 1, 2_500_000
        )


def scores(task: str, model: str, metric: str, examples: list[Example], prose: Prose) -> Iterator[Score]:
    """Any values."""
    names = ("rouge1", "rouge2", "rougeL", "rougeLsum", "per_instance_mean") if metric == "rouge_geo" else (metric,)
    for one in examples:
        values = {name: prose.below(10_000_000) / 1e5 for name in names}
        where = ("zeroscrolls", task, "test", one.example_id, 0, model, "full", metric)
        yield Score(*where, values[names[-1]], values, {}, None)


def make(home: str) -> None:
    """The page over those artifacts, beside them."""
    from scrollwork.tasks.report.behind_scores import ScoredTask
    from scrollwork.tasks.report.ledger import Ledger
    from scrollwork.tasks.report.pages import put_page

    artifacts = Artifacts(home)
    small = bool(os.environ.get("SCROLLWORK_BENCHMARK_SMALL"))

    def found(stage: str, slot: str) -> Artifact:
        (artifact,) = artifacts.versions(stage, slot)
        return artifact

    scored_tasks, rows = [], []
    for task, size in tasks(small).items():
        curated, sample, asked = (found(stage, task) for stage in ("curate", "sample", "prompt"))
        for place, model in enumerate(MODELS):
            answers, scored = (found(stage, f"{task}.{model}") for stage in ("generate", "score"))
            metric = size["metric"]
            labels = (task, "test", model, "full", metric)
            scored_tasks.append(ScoredTask(*labels, "plain", curated, (sample,), (asked,), (answers,), (scored,)))
            coverage = Coverage(size["inputs"], size["inputs"], size["inputs"], 0, 0, 0, 0)
            value = 40.0 + place
            rows.append(
                Aggregate(
                    "zeroscrolls", *labels, value, value, value - 1, value + 1, None, 1, {metric: value}, coverage
                )
            )
    listed = [
        {"name": name, "short": task["short"], "metric": task["metric"], "paper": task["paper"]}
        for name, task in SUITE["task"].items()
    ]
    params = {"suite": "zeroscrolls", "title": "ZeroSCROLLS", "tasks": listed, "published": PUBLISHED}
    params |= {"models": list(MODELS), "failures": []}
    put_page(Path(home) / "report.html", Ledger(params, rows), scored_tasks)


def browsed(page: Path, rounds: int = 5) -> Iterator[str]:
    """Seconds in Chromium: the leaderboard, the list, examples of every task with their documents."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "reporting"))
    from browser import CHROMIUM, NONE, browser  # the driver of the tests

    if CHROMIUM is None:
        yield f"report: not opened: {NONE}"
        return
    boards, lists, answers, documents = [], [], [], []
    with browser() as tab:
        tab.size(1400)
        for _ in range(rounds):
            tab.blank()
            began = time.perf_counter()
            tab.open(page.as_uri(), "document.querySelector('table.board tbody tr') !== null")
            boards.append(time.perf_counter() - began)
            tab.wait("document.querySelectorAll('#examples tbody tr').length > 0", 60)
            lists.append(time.perf_counter() - began)
        for group in range(len(SUITE["task"])):
            tab.run(f"group.value = '{group}'; group.dispatchEvent(new Event('change'))")
            name = tab.run(f"JSON.parse(core.textContent).groups[{group}].task")
            tab.wait(f"document.querySelector('#examples tbody button')?.textContent.startsWith('{name}')")
            for row in range(0, tab.run("document.querySelectorAll('#examples tbody tr').length"), 12):
                for tab_name, times in (("answers", answers), ("document", documents)):
                    target = f"/{row}/{tab_name}"
                    began = time.perf_counter()
                    tab.run(
                        f"document.getElementById('tab-{tab_name}').click()" if tab_name == "document" else OPEN % row
                    )
                    tab.wait(f"(document.body.dataset.opened || '').endsWith('{target}')", 30)
                    tab.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                    times.append(time.perf_counter() - began)
                tab.run("document.getElementById('tab-answers').click(); document.getElementById('close').click()")
    yield f"report, leaderboard shown: {median(boards):.2f} s (worst {max(boards):.2f}; at most 3)"
    yield f"report, list of examples: {median(lists):.2f} s (worst {max(lists):.2f})"
    yield f"report, an example: {median(answers):.2f} s (worst of {len(answers)} {max(answers):.2f}; at most 0.5)"
    yield f"report, its document: {median(documents):.2f} s (worst {max(documents):.2f}; at most 0.5)"


OPEN = "delete document.body.dataset.opened; document.querySelector('[data-row=\"%d\"]')?.click()"


def main(small: bool = False) -> Iterator[str]:
    """Size, CPU, memory; seconds in a browser."""
    with tempfile.TemporaryDirectory(prefix="scrollwork-report-") as place:
        parquet = write(Path(place), small)
        took = cost(python(MAKE, place), {"SCROLLWORK_BENCHMARK_SMALL": "1"} if small else None)
        page = Path(place) / "report.html"
        files = [page, *Path(place, "report.files").glob("*/*.js")]
        size = sum(path.stat().st_size for path in files)
        most = 1.6 * parquet + 300_000
        verdict = "ok" if size <= most else "OVER"
        yield f"report: {parquet / 1e6:.1f} MB of Parquet to {size / 1e6:.1f} MB in {len(files)} files"
        yield f"report, size: 300 kB and {(size - 300_000) / parquet:.2f} of the Parquet (at most 1.6): {verdict}"
        yield f"report, built in {took.wall_s:.0f} s, {took.cpu_s:.0f} s of CPU, {took.peak_mb:.0f} MB of memory"
        yield f"report, page itself: {page.stat().st_size / 1e3:,.0f} kB"
        yield from browsed(page)


if __name__ == "__main__":
    for line in main("--small" in sys.argv):
        print(line, flush=True)
