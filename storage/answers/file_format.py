"""The file format of `store export` and of backups: Parquet (zstd), with one row for each answer and its attempts.

Rows are sorted by request key, so equal stores give equal bytes. The footer holds the version of the format and the
sha256 of the rows, so that nothing is imported from a damaged or edited file. Texts are escaped as in the databases
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
NOT_IN_2 = ("service_tier", "fingerprint", "output_limit")  # columns that files of version 1 and 2 do not have
NULL_SINCE_2 = ("latency_s", "attempts")  # columns that may be NULL since version 2
GROUP_BYTES = 8 << 20  # about how much text a row group holds


@dataclass(frozen=True)
class Try(Row):
    """An attempt in the file, within the row of its answer, which has the request key."""

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
    """An answer in the file. tries: its attempts. created: unix seconds. The other fields are those of StoredAnswer."""

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
    """What was written to a file: numbers of answers and attempts, and the sha256 of the rows that the footer holds."""

    answers: int
    attempts: int
    sha256: str


def write_file(folder: Location, name: str, rows: Iterable[AnswerRow]) -> Exported:
    """Write a file of answers completely or not at all. rows: sorted by request key.

    Raises StorageFull if there is no space left.
    """
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
    """Yield the rows in groups of about GROUP_BYTES of text each."""
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
    """Return the bytes of a row that enter the sha256 of a file of this version."""
    without = {1: (*NOT_IN_1, *NOT_IN_2), 2: NOT_IN_2}.get(version, ())
    values = {name: value for name, value in asdict(row).items() if name not in without}
    return canonical_json(values).encode("utf-8") + b"\n"


def stored_digest(row: AnswerRow) -> str:
    """Return the digest that the answer's row has in a store."""
    values = asdict(row)
    return row_digest("responses", {n: unescape_text(v) if isinstance(v, str) else v for n, v in values.items()})


def stored_line(key: str, digest: str | None) -> bytes:
    """Return the bytes of an answer that enter `stored` of the footer.

    By `stored`, a file is compared with a store without reading texts. digest: of the row in the store, None if the
    store has no such answer.
    """
    return f"{key} {digest}\n".encode()


def _schema_of(version: str) -> pa.Schema | None:
    """Return the Arrow schema of a file of this version, None for an unknown version."""
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
    """Read the footer: {what, schema, answers, sha256, stored}; a value that an older file lacks is "".

    Raises ForeignFile if it is not a file of answers, has an unknown version, or cannot be read. The rows are not read.
    """
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
    """Yield the rows of the file, one list for each row group. Raises ForeignFile if a row group is damaged.

    The sha256 of the rows is not checked.
    """
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
