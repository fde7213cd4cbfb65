"""Built suites as files for other tools. Here: a folder that `datasets.load_dataset` opens."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.exchange.hf_card import MARK, Config, Licence, Split, card
from scrollwork.exchange.prompted import Prompted, prompted
from scrollwork.fetching.sources import Catalogue, load_catalogue
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.preprocessing.prompts.template import Template, official_rows
from scrollwork.readings.results import Results
from scrollwork.records.example import Example
from scrollwork.records.raw_file import RawFile
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.folder import whole_folder
from scrollwork.suites.parts import Part
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import SAMPLE, TaskConfig

if TYPE_CHECKING:
    import pyarrow as pa

    from scrollwork.flows.chains import Chain

ROWS = 16  # records in one row group: each holds its whole document
KEY = 20  # characters of a content key that the card prints
CARD = "README.md"
PARQUET = re.compile(r"[^/]+/[^/]+-00000-of-00001\.parquet")
REFUSED = re.compile(r"[<>:/\\|?*\[\]{}\s]|^\.|^$")  # in names of configurations, by `datasets` or by file systems
RUN_FIELDS = dict.fromkeys(("id", "pid", "input", "output"), "string") | {"run": "int32", "sha256": "string"}
INVENTED = Licence("bundled sample of scrollwork, invented texts", "Apache-2.0", "")


@dataclass(frozen=True)
class Source:
    """What a split is written from. samples: one, or one a run. columns: of its rows, with their types."""

    task: TaskConfig
    split: str
    curated: Artifact
    samples: Sequence[Artifact]
    columns: Mapping[str, str]
    rows: Iterable[dict[str, Any]]


def export_hf(chain: Chain, out: Path) -> list[Path]:
    """Official records (fact sheet 2) as Parquet, one configuration a task, and a card; the files, which stand there
    whole or not at all, in place of an earlier export. Of a suite that draws its prompts a row is a prompt of a run.

    Raises UsageError for a suite that observes windows, StageFailed for a task that is not built (or, of runs, cannot
    be), StorageError where other files stand in the folder.
    """
    request = chain.request
    chain.design.refuse_ids(request.config, "export hf", runs=True)
    catalogue = load_catalogue()
    built = run_sources(chain) if request.run_count else sources(chain)
    configs: dict[str, Config] = {}
    with whole_folder(out, ours) as folder:
        for one in built:
            task = one.task
            if task.name not in configs:
                configs[task.name] = Config(task.name, task.kind, one.columns)
            raw = list(one.curated.rows("raw_files", RawFile))
            configs[task.name].splits.append(write_split(folder, one, raw))
            configs[task.name].licences.update(dict.fromkeys(licences(request, catalogue, raw)))
        (folder / CARD).write_text(card(request, list(configs.values())), encoding="utf-8")
    return [*(out / name / file_name(split.name) for name, c in configs.items() for split in c.splits), out / CARD]


def ours(folder: Path, path: str) -> bool:
    """Whether a file in a folder is of an earlier export."""
    try:
        marked = MARK in (folder / CARD).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return marked and (path == CARD or PARQUET.fullmatch(path) is not None)


def file_name(split: str) -> str:
    """The file of a split in the folder of its configuration."""
    return f"{split}-00000-of-00001.parquet"


def sources(chain: Chain) -> list[Source]:
    """The splits of a suite whose prompts are drawn once, as built. Raises UsageError, StageFailed."""
    request, results, found = chain.request, Results(chain), []
    for task in request.chosen_tasks():
        for split in request.splits_of(task):
            curated, sampled = _artifacts(results, chain, task, split)
            rows = records(task, sampled.rows("examples", Example), curated.texts())
            found.append(Source(task, split, curated, [sampled], fields(task), rows))
    return found


def run_sources(chain: Chain) -> list[Source]:
    """The splits of a suite that draws its prompts in runs, built where they do not stand. Raises StageFailed."""
    request = chain.request
    made, failed = prompted(chain.other(replace(request, arms=())))
    if failed:
        raise StageFailed("; ".join(failed))
    found = []
    for task in request.chosen_tasks():
        for split in request.splits_of(task):
            wanted = {"task": task.name, "split": split}
            own = [one for one in made if wanted.items() <= dict(one.node.labels).items()]
            samples = [one.sample for one in own]
            found.append(Source(task, split, own[0].curated, samples, RUN_FIELDS, run_records(own)))
    return found


def run_records(runs: Iterable[Prompted]) -> Iterator[dict[str, Any]]:
    """The prompts of a task, run after run, whole."""
    for one in runs:
        for prompt, text, example in one.rows():
            yield {
                "id": example.example_id,
                "pid": f"{example.example_id}_{one.run}",
                "input": text,
                "output": example.references[0] if example.references else None,
                "run": one.run,
                "sha256": prompt.prompt_sha256,
            }


def records(task: TaskConfig, examples: Iterator[Example], text_of: Any) -> Iterator[dict[str, Any]]:
    """The official records of a task, one a reference."""
    template = Template(**task.template)
    for example in examples:
        yield from official_rows(example, template, text_of)


def fields(task: TaskConfig) -> dict[str, str]:
    """The columns of the released records in their order, with their types: ZeroSCROLLS fact sheet 2; SCROLLS has the
    first four."""
    columns = dict.fromkeys(("id", "pid", "input", "output"), "string")
    if task.template.get("response_header"):
        names = ("document_start_index", "document_end_index", "query_start_index", "query_end_index")
        columns |= dict.fromkeys(names, "int32") | {"truncation_seperator": "string"}
    if task.template.get("inner_header"):
        columns["inner_docs_start_indices"] = "list<int32>"
    return columns


def schema(columns: Mapping[str, str]) -> pa.Schema:
    """The same for Parquet. Every column may be null; of the official ones `output` is where answers are private."""
    import pyarrow as pa

    types = {"string": pa.string(), "int32": pa.int32(), "list<int32>": pa.list_(pa.int32())}
    return pa.schema([pa.field(name, types[kind]) for name, kind in columns.items()])


def write_split(folder: Path, source: Source, raw: list[RawFile]) -> Split:
    """Write the records of one split as a stream; what the card says of it. Equal artifacts give equal bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / source.task.name / file_name(source.split)
    path.parent.mkdir(exist_ok=True)
    columns = schema(source.columns)
    count, without, size = 0, 0, 0
    with pq.ParquetWriter(path, columns, compression="zstd", compression_level=3) as writer:
        for group in grouped(source.rows):
            batch = pa.RecordBatch.from_pylist(group, schema=columns)
            writer.write_batch(batch)
            count += len(group)
            without += sum(row["output"] is None for row in group)
            size += batch.nbytes
    listed = "".join(f"{file.sha256}  {file.path}\n" for file in sorted(raw, key=lambda file: file.path))
    return Split(
        name=source.split,
        inputs=sum(sample.facts["examples"] for sample in source.samples),
        rows=count,
        without_output=without,
        arrow_bytes=size,
        file_bytes=path.stat().st_size,
        dropped=sum(source.curated.facts["dropped"].values()),
        raw_files=len(raw),
        raw_digest=hashlib.sha256(listed.encode()).hexdigest(),
        curate=source.curated.content[:KEY],
        sample=" ".join(sample.content[:KEY] for sample in source.samples),
    )


def grouped(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rows in groups; one empty group where there are none."""
    group: list[dict[str, Any]] = []
    for row in rows:
        group.append(row)
        if len(group) == ROWS:
            yield group
            group = []
    yield group


def licences(request: Request, catalogue: Catalogue, raw: list[RawFile]) -> list[Licence]:
    """What upstream states of the data sets that the raw files are of."""
    if Path(request.raw) == SAMPLE:
        return [INVENTED]
    folders = dict.fromkeys(file.path.partition("/")[0] for file in raw)
    known = {source.path.partition("/")[0]: source for source in reversed(catalogue.sources)}
    return [
        Licence(known[name].title, known[name].licence or "none stated", known[name].paper)
        if name in known
        else Licence(name, "none stated", "")
        for name in folders
    ]


def _artifacts(results: Results, chain: Chain, task: TaskConfig, split: str) -> tuple[Artifact, Artifact]:
    if REFUSED.search(task.name):
        raise UsageError(f"{task.name!r} cannot be the name of a configuration")
    part = Part(chain.request, task, split)
    curated, sampled = results.artifact(chain.curate(part)), results.artifact(chain.sample(part))
    if curated is None or sampled is None:
        raise StageFailed(f"{task.name}, split {split}: not built; run `scrollwork build {chain.request.suite}` first")
    return curated, sampled
