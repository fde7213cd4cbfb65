"""`export hf`: write a built suite as a folder that `datasets.load_dataset` opens."""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.exchange import hf_rows
from scrollwork.exchange.hf_card import MARK, Config, Licence, Split, card
from scrollwork.exchange.hf_rows import Source
from scrollwork.fetching.sources import Catalogue, load_catalogue
from scrollwork.records.raw_file import RawFile
from scrollwork.storage.folder import whole_folder
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import SAMPLE

if TYPE_CHECKING:
    import pyarrow as pa

    from scrollwork.flows.chains import Chain

ROWS = 16  # records in one row group: each holds its whole document
KEY = 20  # characters of a content key on the card
CARD = "README.md"
PARQUET = re.compile(r"[^/]+/[^/]+-00000-of-00001\.parquet")
INVENTED = Licence("bundled sample of scrollwork, invented texts", "Apache-2.0", "")


def export_hf(chain: Chain, out: Path) -> list[Path]:
    """Write the official records (ZeroSCROLLS fact sheet 2) as Parquet, one configuration a task, with a card. Returns
    the paths.

    The folder is written whole or not at all, and replaces an earlier export. In a suite that draws its prompts (SEAM)
    a row is a prompt of a run. Raises UsageError for a suite of windows (Dolce), StageFailed for a task that is not
    built, StorageError if the folder holds other files.
    """
    request = chain.request
    chain.design.refuse_ids(request.config, "export hf", runs=True)
    catalogue = load_catalogue()
    rows = importlib.import_module(chain.design.modules.get("export hf", hf_rows.__name__))
    configs: dict[str, Config] = {}
    with whole_folder(out, is_ours) as folder:
        for one in rows.sources(chain):
            task = one.task
            if task.name not in configs:
                configs[task.name] = Config(task.name, task.kind, one.columns)
            raw = list(one.curated.rows("raw_files", RawFile))
            configs[task.name].splits.append(write_split(folder, one, raw))
            configs[task.name].licences.update(dict.fromkeys(licences(request, catalogue, raw)))
        (folder / CARD).write_text(card(request, list(configs.values()), rows), encoding="utf-8")
    return [*(out / name / file_name(split.name) for name, c in configs.items() for split in c.splits), out / CARD]


def is_ours(folder: Path, path: str) -> bool:
    """Whether a file in a folder is part of an earlier export."""
    try:
        marked = MARK in (folder / CARD).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return marked and (path == CARD or PARQUET.fullmatch(path) is not None)


def file_name(split: str) -> str:
    """The file of a split in the folder of its configuration."""
    return f"{split}-00000-of-00001.parquet"


def schema(columns: Mapping[str, str]) -> pa.Schema:
    """Arrow schema of columns. All are nullable; of the official ones, only `output` is null, where it is private."""
    import pyarrow as pa

    types = {"string": pa.string(), "int32": pa.int32()}
    types |= {f"list<{name}>": pa.list_(kind) for name, kind in types.items()}
    return pa.schema([pa.field(name, types[kind]) for name, kind in columns.items()])


def write_split(folder: Path, source: Source, raw: list[RawFile]) -> Split:
    """Write the records of one split, ROWS at a time; returns its entry of the card. Equal artifacts, equal bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / source.task.name / file_name(source.split)
    path.parent.mkdir(exist_ok=True)
    columns = schema(source.columns)
    count, without, size = 0, 0, 0
    with pq.ParquetWriter(path, columns, compression="zstd", compression_level=3) as writer:
        for group in row_groups(source.rows):
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


def row_groups(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rows in groups of ROWS; the last group may be empty."""
    group: list[dict[str, Any]] = []
    for row in rows:
        group.append(row)
        if len(group) == ROWS:
            yield group
            group = []
    yield group


def licences(request: Request, catalogue: Catalogue, raw: list[RawFile]) -> list[Licence]:
    """The licences, as upstream states them, of the data sets that the raw files belong to."""
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
