"""The card (README.md) of an exported suite: YAML that `datasets` reads, and text for people."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import SAMPLE

MARK = "built by scrollwork"
LICENCES = {"CC BY 4.0": "cc-by-4.0", "MIT": "mit", "Apache-2.0": "apache-2.0", "BSD-3-Clause": "bsd-3-clause"}
CATEGORIES = {"summarization": "summarization", "qa": "question-answering", "nli": "text-classification"}
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True)
class Licence:
    """A data set behind a task: title, licence as its publisher states it, paper."""

    title: str
    licence: str
    paper: str


@dataclass(frozen=True)
class Split:
    """An exported split. arrow_bytes: uncompressed, as `datasets` counts. curate, sample: shortened content keys; of
    sample one for each run."""

    name: str
    inputs: int
    rows: int
    without_output: int
    arrow_bytes: int
    file_bytes: int
    dropped: int
    raw_files: int
    raw_digest: str
    curate: str
    sample: str


@dataclass
class Config:
    """A task: its columns with types, its splits, the licences of its data sets (a dict as an ordered set)."""

    name: str
    kind: str
    columns: Mapping[str, str]
    splits: list[Split] = field(default_factory=list)
    licences: dict[Licence, None] = field(default_factory=dict)


class Rows(Protocol):
    """The parts of the card that the module of the rows writes (exchange/hf_rows.py)."""

    COLUMNS: Mapping[str, str]
    WITHHELD: str

    def row_sentence(self, request: Request) -> str: ...
    def scoring_lines(self, request: Request, tasks: Sequence[str]) -> list[str]: ...


def card(request: Request, configs: list[Config], rows: Rows) -> str:
    """The text of README.md. Equal artifacts give equal text: it has no date and no path of this machine."""
    return "\n".join([*_head(request, configs), "", *_body(request, configs, rows), ""])


def quoted(text: str) -> str:
    """Any text as a quoted YAML scalar."""
    return '"' + "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else _escape(c) for c in text) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\{character}" if character in '"\\' else f"\\u{code:04X}" if code < 1 << 16 else f"\\U{code:08X}"


def _head(request: Request, configs: list[Config]) -> Iterator[str]:
    rows = sum(split.rows for config in configs for split in config.splits)
    yield from ("---", f"pretty_name: {quoted(request.config.title)}")
    yield from ("language:", "- en")
    yield from ("license:", *(f"- {name}" for name in _licence_ids(configs)))
    categories = dict.fromkeys(CATEGORIES.get(config.kind, "text-generation") for config in configs)
    yield from ("task_categories:", *(f"- {name}" for name in categories))
    yield from ("size_categories:", f"- {next((name for most, name in SIZES if rows < most), 'n>1M')}")
    yield from ("tags:", "- long-context", "- scrollwork")
    yield "configs:"
    for config in configs:
        yield from (f"- config_name: {quoted(config.name)}", "  data_files:")
        for split in config.splits:
            path = f"{config.name}/{split.name}-00000-of-00001.parquet"
            yield from (f"  - split: {quoted(split.name)}", f"    path: {quoted(path)}")
    yield "dataset_info:"
    for config in configs:
        yield from _info(config)
    yield "---"


def _info(config: Config) -> Iterator[str]:
    yield from (f"- config_name: {quoted(config.name)}", "  features:")
    for name, kind in config.columns.items():
        inner = re.fullmatch(r"list<(\w+)>", kind)
        yield from (f"  - name: {quoted(name)}", f"    list: {inner[1]}" if inner else f"    dtype: {kind}")
    yield "  splits:"
    for split in config.splits:
        yield from (f"  - name: {quoted(split.name)}", f"    num_bytes: {split.arrow_bytes}")
        yield f"    num_examples: {split.rows}"
    yield f"  download_size: {sum(split.file_bytes for split in config.splits)}"
    yield f"  dataset_size: {sum(split.arrow_bytes for split in config.splits)}"


def _licence_ids(configs: list[Config]) -> list[str]:
    """The hub's names of the licences; "other" where it has none, "unknown" where nothing is stated."""
    found = set()
    for config in configs:
        for licence in config.licences:
            text = licence.licence
            named = {name for known, name in LICENCES.items() if known in text}
            rest = ";" in text or not named
            found |= named | ({"unknown" if text.startswith("none stated") else "other"} if rest else set())
    return sorted(found)


def _body(request: Request, configs: list[Config], rows: Rows) -> Iterator[str]:
    yield from (f"# {request.config.title}, {MARK}", "")
    yield f"One configuration a task: `load_dataset(FOLDER, {json.dumps(configs[0].name)})`."
    yield from ("", "## Sizes and licences", "")
    yield from table(
        ("task", "split", "inputs", "rows", "bytes", "data set", "licence as its publisher states it"),
        ((c.name, s.name, s.inputs, s.rows, s.file_bytes, *_joined(c.licences)) for c in configs for s in c.splits),
    )
    sentence = rows.row_sentence(request)
    yield from ("", f"{sentence} The texts keep the licences of their publishers.", "", "## Columns", "")
    columns = {name: kind for config in configs for name, kind in config.columns.items()}
    yield from table(("column", "type", "what it holds"), ((f"`{n}`", k, rows.COLUMNS[n]) for n, k in columns.items()))
    yield from rows.scoring_lines(request, [config.name for config in configs])
    yield from ("", "## How it was built", "")
    yield f"scrollwork {version('scrollwork')}, `{command(request)}`"
    yield from ("", "Equal keys, equal rows: `scrollwork verify KEY` goes from an artifact back to the raw files.", "")
    yield from table(
        ("task", "split", "raw files", "sha256 of their `sha256sum` list", "records left out", "curate", "sample"),
        (
            (c.name, s.name, s.raw_files, s.raw_digest[:16], s.dropped, s.curate, s.sample)
            for c in configs
            for s in c.splits
        ),
    )
    yield from ("", "## What is not in it", "", *_absent(configs, rows.WITHHELD))
    yield from ("", "## Papers", "", *_papers(request, configs))


def _joined(licences: Iterable[Licence]) -> tuple[str, str]:
    return "; ".join(one.title for one in licences), "; ".join(one.licence for one in licences)


def _absent(configs: list[Config], withheld: str) -> Iterator[str]:
    private = [(c, s) for c in configs for s in c.splits if s.without_output]
    for config, split in private:
        yield f"- References of {split.without_output:,} rows of {config.name}, {split.name}: they are not published."
    if not private:
        yield f"- No reference is missing.{withheld}"
    yield "- Records that the benchmark's rules leave out or that were malformed (counted above), metadata, raw files."


def _papers(request: Request, configs: list[Config]) -> Iterator[str]:
    cited = [request.config.citation]
    cited += [licence.paper for config in configs for licence in config.licences]
    yield from (f"- {paper}" for paper in dict.fromkeys(cited) if paper)


def command(request: Request, kind: str = "hf", more: Sequence[str] = ()) -> str:
    """The command that makes this export, without paths of this machine. more: further options and their values."""
    words = ["scrollwork", "export", kind, request.suite]
    words += ["--sample"] if Path(request.raw) == SAMPLE else []
    for flag, values in (("--task", request.tasks), ("--split", request.splits)):
        words += [word for value in values for word in (flag, value)]
    words += ["--limit", str(request.limit)] if request.limit else []
    words += ["--seed", str(request.seed)] if request.seed is not None else []
    words += request.design.command_words(request)
    for name, value in sorted((request.options or {}).items()):
        words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return shlex.join([*words, *more, "--out", "FOLDER"])


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    """The lines of a Markdown table; numbers have thousands separators and are right-aligned."""
    listed = list(rows)
    right = [all(isinstance(row[at], int) for row in listed) for at in range(len(head))]
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---:' if one else '---' for one in right)} |"
    for row in listed:
        cells = (f"{cell:,}" if isinstance(cell, int) else _cell(str(cell)) for cell in row)
        yield f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """Escape a text for a table cell."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;")
