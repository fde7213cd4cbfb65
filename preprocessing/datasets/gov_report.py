"""GovReport (Huang et al. 2021): reports of two US agencies with expert summaries. SCROLLS 3.1, ZeroSCROLLS 3.1.1.

CRS files hold one tree of sections, GAO files a list of them; split_ids/ lists the reports of each split. The authors'
copy on the Hugging Face Hub has the same objects as JSON Lines, one file per agency and split.
"""

from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord, MissingFile
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records, drop_by_filter
from scrollwork.records.base import Row
from scrollwork.records.document import Document, text_id_and_words
from scrollwork.records.example import Example
from scrollwork.records.words import words_in

BY_RECORD = ("crs", "gao")
DEPTH = 100  # no report nests sections more deeply; a hostile file might


def curate(raw: RawFiles, task: str, split: str, *, scrolls_filter: bool) -> Iterator[Row]:
    """Yield reports as documents, their summaries as references, in the order of the id files.

    scrolls_filter: leave out what SCROLLS (3.1) leaves out; see `why_left_out`.
    """
    lines_of = {"crs": crs, "gao": gao}
    for agency, records in reports(raw):
        convert = partial(report, lines_of[agency], scrolls_filter, task, split)
        yield from convert_records(records, convert, task=task, split=split)


def reports(raw: RawFiles) -> Iterator[tuple[str, Iterable[Record | MalformedRecord]]]:
    """Yield each agency with its reports: all of its JSON Lines, else those that the id files name.

    Of several shares, each has a stretch of both agencies' lists; where one agency has JSON Lines, the share in which
    the other's files begin has all of them.
    """
    in_lines = {agency: any(name.endswith(".jsonl") for name, _ in raw.roles.get(agency, ())) for agency in BY_RECORD}
    if not any(in_lines.values()):
        listed = raw.own((agency, line) for agency in BY_RECORD for line in listed_reports(raw, agency))
        yield from ((agency, [opened(raw, line)]) for agency, line in listed)
        return
    for agency in BY_RECORD:
        if in_lines[agency]:
            yield agency, raw.records(agency)
        elif raw.begins(agency):
            yield agency, (opened(raw, line) for line in listed_reports(raw, agency))


def opened(raw: RawFiles, listed: tuple[str, Path] | MalformedRecord) -> Record | MalformedRecord:
    """Return the report of a file, or why there is none."""
    if isinstance(listed, MalformedRecord):
        return listed
    try:
        return raw.object(listed)
    except MalformedFile as error:
        return error.of_record()


def listed_reports(raw: RawFiles, agency: str) -> Iterator[tuple[str, Path] | MalformedRecord]:
    """Yield the files that the agency's id files name, in their order, and what is wrong with a line of these."""
    files: dict[str, list[tuple[str, Path]]] = defaultdict(list)
    for name, place in raw.roles.get(agency, ()):
        files[Path(name).stem].append((name, place))
    own = [path for path in raw.files("ids") if Path(path[0]).name.startswith(f"{agency}_")]
    if files and not own:
        raise MissingFile(raw.dataset, "", "", f"no split_ids/{agency}_*.ids beside the other agency's", "missing file")
    seen: set[str] = set()
    for id_file in own:
        for where, line in enumerate(raw.bytes(id_file).removeprefix(BOM_UTF8).split(b"\n"), start=1):
            if line.strip():
                try:
                    report_id = line.decode("utf-8").strip()
                    yield file_of(report_id, files.get(report_id, []), agency, seen)
                except UnicodeDecodeError:
                    yield MalformedRecord(id_file[0], f"line {where}", "", "is not UTF-8", "invalid UTF-8")
                except LookupError as error:
                    problem, reason = error.args
                    yield MalformedRecord(id_file[0], f"line {where}", "", problem, reason)


def file_of(report_id: str, found: Sequence[tuple[str, Path]], agency: str, seen: set[str]) -> tuple[str, Path]:
    """Return the one file of a listed report, and add it to `seen`. Raises LookupError(problem, reason)."""
    if report_id in seen:
        raise LookupError(f"names {report_id!r} a second time", "duplicate id")
    seen.add(report_id)
    if not found:
        raise LookupError(f"names {report_id!r}, and there is no {agency}/{report_id}.json", "missing file")
    if len(found) > 1:
        raise LookupError(f"names {report_id!r}, and there are {found[0][0]} and {found[1][0]}", "duplicate id")
    return found[0]


def crs(record: Record) -> tuple[list[str], list[str]]:
    """Return (lines of the report, lines of its summary), none blank, of the Congressional Research Service."""
    return section_lines(record.record("reports")), [line for line in record.texts("summary") if line.strip()]


def gao(record: Record) -> tuple[list[str], list[str]]:
    """Return (lines of the report, lines of its summary), none blank, of the Government Accountability Office."""
    body = [line for part in record.records("report") for line in section_lines(part)]
    return body, [line for part in record.records("highlight") for line in section_lines(part, titles=False)]


def why_left_out(report_text: str, words: int, summary: str) -> str:
    """Return why SCROLLS leaves a report out, "" if it does not (SCROLLS 3.1; strict bounds, fact sheet 3.2).

    words: white-space words of the report. Left out: under 2 or over 1,000 times those of the summary, or the report
    contains the summary verbatim.
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
    """Yield one report: document and example."""
    body, summary = ("\n".join(line for line in lines if line.strip()) for lines in lines_of(record))
    fields = ("reports", "summary") if lines_of is crs else ("report", "highlight")
    for field, text in zip(fields, (body, summary), strict=True):
        if not text:
            raise record.error(field, "has no text", "empty field")
    document_id, words = text_id_and_words(body)
    if scrolls_filter and (reason := why_left_out(body, words, summary)):
        yield drop_by_filter(record, "SCROLLS filter", reason, task=task, split=split)
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
    """Return the title and paragraphs of a section, then those of its subsections, without blank ones."""
    if depth > DEPTH:
        raise section.error("subsections", f"nests deeper than {DEPTH}", "nesting")
    lines = [section.text("section_title", empty=True)] if titles else []
    lines = [line for line in [*lines, *section.texts("paragraphs")] if line.strip()]
    if "subsections" in section.data:
        for part in section.records("subsections"):
            lines += section_lines(part, titles, depth + 1)
    return lines
