"""GovReport (Huang et al. 2021): reports of two US agencies with expert summaries. SCROLLS 3.1, ZeroSCROLLS 3.1.1.

CRS files hold one tree of sections, GAO files a list of them; split_ids/ says which report is of which split. The
authors' copy on the Hugging Face Hub has the same objects as JSON Lines, a file an agency and split.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from preprocessing.errors import MalformedFile, MalformedRecord, MissingFile
from preprocessing.raw import RawFiles, Record, each, filtered
from records.base import Row
from records.document import Document, measured
from records.example import Example
from records.words import words_in

DEPTH = 100  # no report nests sections deeper: a cycle or a bomb


def curate(raw: RawFiles, task: str, split: str, *, scrolls_filter: bool) -> Iterator[Row]:
    """Reports as documents, their summaries as references, in the order of the id files.

    scrolls_filter: leave out what SCROLLS (3.1) leaves out; see `unfit`.
    """
    for agency, lines_of in (("crs", crs), ("gao", gao)):
        convert = partial(report, lines_of, scrolls_filter, task, split)
        yield from each(listed(raw, agency), convert, task=task, split=split)


def listed(raw: RawFiles, agency: str) -> Iterator[Record | MalformedRecord]:
    """The agency's reports: all of its JSON Lines, else those that the id files name, where a file is a record."""
    if any(name.endswith(".jsonl") for name, _ in raw.roles.get(agency, ())):
        yield from raw.records(agency)
        return
    files = {Path(name).stem: (name, place) for name, place in raw.roles.get(agency, ())}
    own = [path for path in raw.files("ids") if Path(path[0]).name.startswith(f"{agency}_")]
    if files and not own:
        raise MissingFile(raw.dataset, "", "", f"no split_ids/{agency}_*.ids beside the other agency's", "missing file")
    for id_file in own:
        for number, line in enumerate(raw.text(id_file).split("\n"), start=1):
            if report_id := line.strip():
                try:
                    yield raw.object(files[report_id])
                except KeyError:
                    problem = f"names {report_id!r}, and there is no {agency}/{report_id}.json"
                    yield MalformedRecord(id_file[0], f"line {number}", "", problem, "missing file")
                except MalformedFile as error:
                    yield error.of_record()


def crs(record: Record) -> tuple[list[str], list[str]]:
    """(lines of the report, lines of its summary), none blank, of the Congressional Research Service."""
    return section_lines(record.record("reports")), [line for line in record.texts("summary") if line.strip()]


def gao(record: Record) -> tuple[list[str], list[str]]:
    """(lines of the report, lines of its summary), none blank, of the Government Accountability Office."""
    body = [line for part in record.records("report") for line in section_lines(part)]
    return body, [line for part in record.records("highlight") for line in section_lines(part, titles=False)]


def unfit(report_text: str, words: int, summary: str) -> str:
    """Why SCROLLS leaves a report out, "" where it keeps it (SCROLLS 3.1; strict bounds, fact sheet 3.2).

    words: white-space words of the report. Left out: under 2 or over 1,000 times those of the summary, or the summary
    stands in the report verbatim.
    """
    summary_words = words_in(summary.encode("utf-8"))
    if words < 2 * summary_words:
        return f"report of {words:,} words under twice its summary of {summary_words:,}"
    if words > 1000 * summary_words:
        return f"report of {words:,} words over 1,000 times its summary of {summary_words:,}"
    return "summary stands in the report verbatim" if summary in report_text else ""


def report(
    lines_of: Callable[[Record], tuple[list[str], list[str]]],
    scrolls_filter: bool,
    task: str,
    split: str,
    record: Record,
) -> Iterator[Row]:
    """One report: document and example."""
    body, summary = ("\n".join(lines) for lines in lines_of(record))
    if not body:
        raise record.error("report", "has no text", "empty field")
    if not summary:
        raise record.error("summary", "has no text", "empty field")
    document_id, words = measured(body)
    if scrolls_filter and (reason := unfit(body, words, summary)):
        yield filtered(record, "SCROLLS filter", reason, task=task, split=split)
        return
    yield Document(document_id, record.text("title", empty=True), body, words, record.file, record.where)
    yield Example(
        task=task,
        split=split,
        example_id=record.text("id"),
        document_ids=(document_id,),
        references=(summary,),
    )


def section_lines(section: Record, titles: bool = True, depth: int = 0) -> list[str]:
    """Title and paragraphs of a section, then those of its subsections, blank ones left out."""
    if depth > DEPTH:
        raise section.error("subsections", f"nests deeper than {DEPTH}", "nesting")
    lines = [section.text("section_title", empty=True)] if titles else []
    lines = [line for line in [*lines, *section.texts("paragraphs")] if line.strip()]
    if "subsections" in section.data:
        for part in section.records("subsections"):
            lines += section_lines(part, titles, depth + 1)
    return lines
