"""The file format of `store export` and backups: Parquet (zstd), one row for each answer with its attempts.

Rows are sorted by request key, so equal stores give equal bytes. The footer holds the schema version and the sha256 of
the rows, so a damaged or edited file is refused before any of it is imported. Texts are escaped as in the databases
(tables.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from scrollwork.records.base import InvalidRow, Row, canonical_json, from_batch
from scrollwork.records.response import FINISH_REASONS
from scrollwork.storage.answers.digests import row_digest
from scrollwork.storage.answers.rows import ASKED, ORIGINS, OUTCOMES
from scrollwork.storage.answers.tables import unescape_text
from scrollwork.storage.artifacts.columns import to_batch
from scrollwork.storage.errors import ForeignFile
from scrollwork.storage.location import Location

WHAT = "scrollwork answers"
VERSION = 3
NOT_IN_1 = ("masked", "origin")  # columns that files of version 1 do not have
NOT_IN_2 = ("service_tier", "fingerprint", "output_limit")
NULL_SINCE_2 = ("latency_s", "attempts")  # columns that may be NULL since version 2
GROUP_BYTES = 8 << 20  # of text in a row group


@dataclass(frozen=True)
class Try(Row):
    """An attempt in the file; its request key is that of its answer."""

    owner: str
    number: int
    started: float
    provider: str
    model: str
    outcome: str
    status: int | None
    message: str
    seconds: float
    input_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost_nano_usd: int | None

    def check(self) -> None:
        self.require(self.outcome in OUTCOMES, "outcome", f"{self.outcome!r} is none of {', '.join(OUTCOMES)}")


@dataclass(frozen=True)
class AnswerRow(Row):
    """An answer in the file. tries: its attempts. created: unix seconds."""

    request_key: str
    provider: str
    model: str
    text: str
    finish_reason: str
    input_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    reported_model: str
    latency_s: float | None
    attempts: int | None
    created: float
    cost_nano_usd: int | None
    tries: tuple[Try, ...]
    masked: bool = False
    origin: str = ASKED
    service_tier: str | None = None
    fingerprint: str | None = None
    output_limit: int | None = None

    def check(self) -> None:
        self.require(len(self.request_key) == 64, "request_key", "must be a sha256 in hex")
        self.require(self.finish_reason in FINISH_REASONS, "finish_reason", f"{self.finish_reason!r} is not known")
        self.require(self.origin in ORIGINS, "origin", f"{self.origin!r} is none of {', '.join(ORIGINS)}")


@dataclass(frozen=True)
class Exported:
    """What was written to a file. sha256: of its rows, as in the footer."""

    answers: int
    attempts: int
    sha256: str


def write_file(folder: Location, name: str, rows: Iterable[AnswerRow]) -> Exported:
    """Write a file of these answers, sorted by request key, whole or not at all. Raises StorageError."""
    digest, stored, count, tries = hashlib.sha256(), hashlib.sha256(), 0, 0
    with folder.temporary(name) as (stream, temporary):
        with pq.ParquetWriter(stream, AnswerRow.schema(), compression="zstd", compression_level=3) as writer:
            for group in _grouped(rows):
                writer.write_batch(to_batch(AnswerRow, group), row_group_size=len(group))
                for row in group:
                    digest.update(line_of(row, VERSION))
                    stored.update(stored_line(row.request_key, stored_digest(row)))
                    tries += len(row.tries)
                count += len(group)
            footer = {"what": WHAT, "schema": str(VERSION), "answers": str(count), "sha256": digest.hexdigest()}
            footer["stored"] = stored.hexdigest()
            writer.add_key_value_metadata({f"scrollwork.{name}": value for name, value in footer.items()})
        folder.publish(stream, temporary, name)
    return Exported(count, tries, digest.hexdigest())


def _grouped(rows: Iterable[AnswerRow]) -> Iterator[list[AnswerRow]]:
    """Yield rows in groups of about GROUP_BYTES of text."""
    group: list[AnswerRow] = []
    size = 0
    for row in rows:
        group.append(row)
        size += len(row.text) + 1000
        if size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def line_of(row: AnswerRow, version: int) -> bytes:
    """The bytes of a row that enter the sha256 of a file of this version."""
    without = {1: (*NOT_IN_1, *NOT_IN_2), 2: NOT_IN_2}.get(version, ())
    values = {name: value for name, value in asdict(row).items() if name not in without}
    return canonical_json(values).encode("utf-8") + b"\n"


def stored_digest(row: AnswerRow) -> str:
    """Compute the digest that the answer's row has in a store."""
    values = asdict(row)
    return row_digest("responses", {n: unescape_text(v) if isinstance(v, str) else v for n, v in values.items()})


def stored_line(key: str, digest: str | None) -> bytes:
    """The bytes of an answer that enter the footer's `stored`, by which a store is compared without reading texts."""
    return f"{key} {digest}\n".encode()


def _schema_of(version: str) -> pa.Schema | None:
    """The schema of a file of this version; None for an unknown version."""
    own = AnswerRow.schema()
    of_2 = pa.schema(field for field in own if field.name not in NOT_IN_2)
    if version != "1":
        return {"2": of_2, str(VERSION): own}.get(version)
    return pa.schema(
        field.with_nullable(field.nullable and field.name not in NULL_SINCE_2)
        for field in of_2
        if field.name not in NOT_IN_1
    )


def footer_of(folder: Location, name: str) -> dict[str, str]:
    """Read and check the footer: {what, schema, answers, sha256, stored}. Raises ForeignFile."""
    path = f"{folder}/{name}"
    try:
        with folder.open(name) as stream, pq.ParquetFile(stream, pre_buffer=False) as file:
            found = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
            schema = file.schema_arrow
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise ForeignFile(f"{path}: is no file of answers, or is torn ({_firstline_of(error)})") from error
    except OSError as error:
        reason = error.strerror or _firstline_of(error)
        raise ForeignFile(f"{path}: cannot be read as a file of answers ({reason})") from error
    said = {one: found.get(f"scrollwork.{one}", "") for one in ("what", "schema", "answers", "sha256", "stored")}
    if said["what"] != WHAT:
        raise ForeignFile(f"{path}: is a Parquet file of something else, not one of `scrollwork store export`")
    known = _schema_of(said["schema"])
    if known is None or not schema.equals(known):
        raise ForeignFile(
            f"{path}: schema {said['schema']!r} of a file of answers, this version reads 1 to {VERSION}. "
            "Import it with the scrollwork that wrote it"
        )
    return said


def groups_of(folder: Location, name: str) -> Iterator[list[AnswerRow]]:
    """Yield the rows of the file, a row group at a time. Raises ForeignFile."""
    path, number = f"{folder}/{name}", 0
    try:
        with folder.open(name) as stream, pq.ParquetFile(stream, pre_buffer=False) as file:
            for number in range(file.metadata.num_row_groups):
                table = file.read_row_group(number, use_threads=False).combine_chunks()
                group = [row for batch in table.to_batches() for row in from_batch(AnswerRow, batch)]
                yield group
    except (pa.ArrowException, InvalidRow, OSError, ValueError, TypeError) as error:
        raise ForeignFile(
            f"{path}: row group {number} is damaged ({_firstline_of(error)}). Nothing was imported"
        ) from error


def _firstline_of(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
