"""The columns of a CSV, JSON or Parquet file that a plain table of scores needs; the others are not kept."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.analysis.logs.log import BEGINNING, LogError, ReadOptions, beginning_of, digest_of, log_error
from scrollwork.exchange.logs.columns import at_path, label_of, left_out
from scrollwork.exchange.logs.json_rows import Broken, head_of, json_lines, list_items, raw_errors
from scrollwork.exchange.logs.tables.numbers import Column, column_of_texts, column_of_values, looks_like_numbers
from scrollwork.exchange.logs.tables.roles import NO_METRIC, Roles, roles_of
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.preprocessing.raw.json_objects import kind_name
from scrollwork.preprocessing.raw.parquet import PARQUET, opened

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 16 << 20  # bytes parsed at once; no row may be longer
ROWS = 16_384  # of Parquet, decoded at once
MOST_COLUMNS = 1000  # of JSON rows
LONG = 200  # characters: a longer text is no number
DELIMITERS = ",\t;"
GZIP, ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"  # how packed files begin


class Table:
    """A table's columns. texts: by name, "" for what is missing. numbers: by name, those that may be metrics.

    beginnings: digests of the prompts' beginnings, where the texts are there. notes: sentences on what was not read.
    """

    def __init__(self, roles: Roles, texts: dict[str, list[str]], numbers: dict[str, Column], notes: list[str]) -> None:
        self.roles, self.texts, self.numbers, self.notes = roles, texts, numbers, notes
        self.beginnings: list[str] | None = None
        if roles.prompt and is_text(roles.prompt):
            both = [digests.split(" ") for digests in texts[roles.prompt]]
            texts[roles.prompt], self.beginnings = [each[0] for each in both], [each[-1] for each in both]


def is_parquet(path: Path) -> bool:
    """Return whether a file begins as Parquet does; False for one that cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(PARQUET)) == PARQUET
    except OSError:
        return False


def csv_header(path: Path) -> tuple[list[str], str]:
    """Return the columns that a text file's first line names, and what separates them; ([], "") if it is no CSV."""
    try:
        text = head_of(path).decode("utf-8", "ignore")
    except LogError:
        return [], ""
    if not text or "\0" in text or text.lstrip()[:1] in ("{", "[", "<", ""):
        return [], ""
    line = text.splitlines()[0]
    delimiter = max(DELIMITERS, key=line.count)
    try:
        columns = next(csv.reader(io.StringIO(text), delimiter=delimiter), [])
    except csv.Error:
        return [], ""
    return (columns, delimiter) if all(map(str.isprintable, columns)) else ([], "")


def read_csv(path: Path, options: ReadOptions) -> Table:
    """Read a CSV in UTF-8: with or without byte-order mark, CRLF or LF, texts in quotes with line breaks.

    A line with more or fewer cells than columns is left out and named. Raises LogError.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    header, delimiter = csv_header(path)
    roles = roles_of(path, header, options)
    uneven: list[str] = []

    def note(row: Any) -> str:
        uneven.append(
            f"{row.actual_columns} cell{'s' * (row.actual_columns != 1)} in {printable(row.text or '', 60)!r}"
        )
        return "skip"

    def batches(columns: list[str], on_uneven: Callable[[Any], str]) -> Iterator[pa.RecordBatch]:
        kinds = dict.fromkeys(columns, pa.string())
        with (
            opened(str(path), path) as stream,
            arrow_csv.open_csv(
                stream,
                arrow_csv.ReadOptions(block_size=BLOCK),
                arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=on_uneven),
                arrow_csv.ConvertOptions(
                    column_types=kinds, include_columns=columns, null_values=[""], strings_can_be_null=True
                ),
            ) as reader,
        ):
            yield from reader

    with arrow_errors(path, "CSV"):
        asked = [*roles.texts, *roles.metrics, *roles.others]
        head = next(batches(asked, lambda row: "skip"), None)
        some = [name for name in roles.others if head is not None and looks_like_numbers(head.column(name))]
        table = of_batches(roles, batches([*roles.texts, *roles.metrics, *some], note), some, "empty")
    if uneven:
        table.notes.append(left_out(uneven, f"having other than {len(header)} cells", "line"))
    if not ends_with_a_line(path):
        table.notes.append("the last line has no line end: if the file was cut, its last cell is not whole")
    return table


def ends_with_a_line(path: Path) -> bool:
    """Return whether a file's last byte ends a line; True for a packed one, which cannot be unpacked if it is cut."""
    with path.open("rb") as stream:
        packed = stream.read(4).startswith((GZIP, ZSTANDARD))
        stream.seek(-1, io.SEEK_END)
        return packed or stream.read(1) in b"\r\n"


def read_parquet(path: Path, options: ReadOptions) -> Table:
    """Read a Parquet file, a batch of rows at a time. Raises LogError."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    def plain(kind: pa.DataType) -> bool:
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)
        number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        return bool(text or number or pa.types.is_decimal(kind) or pa.types.is_null(kind))

    with arrow_errors(path, "Parquet"), pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        roles = roles_of(path, schema.names, options)
        names = [*roles.texts, *roles.metrics, *roles.others]
        other = [name for name in (*roles.texts, *roles.metrics) if not plain(schema.field(name).type)]
        if other:
            kind = printable(str(schema.field(other[0]).type), 60)
            raise log_error(path, "the columns", f"{other[0]!r} is {kind}, neither text nor number")
        names = [name for name in names if plain(schema.field(name).type)]
        others = [name for name in names if name in roles.others]
        return of_batches(roles, file.iter_batches(ROWS, columns=names), others, "null")


@contextmanager
def arrow_errors(path: Path, kind: str) -> Iterator[None]:
    """Turn what pyarrow raises into a LogError that names the file."""
    import pyarrow as pa

    with raw_errors(path):
        try:
            yield
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            if isinstance(error, OSError) and error.errno:  # of the system, not of the file's content
                raise
            raise log_error(path, "", f"is not whole {kind}: {printable(str(error), 300)}") from error


def of_batches(roles: Roles, batches: Iterator[pa.RecordBatch], others: list[str], missing: str) -> Table:
    """Collect batches of rows. others: columns besides those of the roles. missing: what a null is called."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts: dict[str, list[str]] = {name: [] for name in roles.texts}
    parts: dict[str, list[pa.Array]] = {name: [] for name in (*roles.metrics, *others)}
    for batch in batches:
        for name, found in texts.items():
            column = batch.column(name)
            if pa.types.is_floating(column.type) or pa.types.is_boolean(column.type):
                values = [label_of(value) for value in column.to_pylist()]
            else:
                values = pc.fill_null(pc.cast(column, pa.string()), "").to_pylist()
            found += map(prompt_digests, values) if name == roles.prompt and is_text(name) else values
        for name, kept in parts.items():
            kept.append(batch.column(name))
    numbers = {}
    for name, kept in parts.items():
        column = pa.chunked_array(kept, None if kept else pa.null()).combine_chunks()
        if name in roles.metrics or looks_like_numbers(column, least=1):
            numbers[name] = column_of_texts(column, missing)
    return Table(roles, texts, numbers, [])


def read_json(path: Path, options: ReadOptions) -> Table:
    """Read JSON Lines, or one JSON list of objects. What is no whole object is left out and named. Raises LogError."""
    columns: dict[str, list[Any]] = {}
    keepers: dict[str, Callable[[Any], Any]] = {}
    broken: list[str] = []
    length = 0
    asked = {options.id_field, options.cluster_field} - {""}
    listed = head_of(path).lstrip()[:1] == b"["
    kind = "item" if listed else "line"
    for number, row in list_items(path) if listed else json_lines(path):
        where = f"{kind} {number}"
        if not isinstance(row, dict):
            why = row.why if isinstance(row, Broken) else f"must be an object, is {kind_name(row)}"
            broken.append(f"{where} ({why})")
            continue
        for field in asked:
            if field not in row and (value := at_path(row, field)) is not None:
                row[field] = value
        for name, value in row.items():
            column = columns.get(name)
            if column is None:
                if len(columns) == MOST_COLUMNS:
                    raise log_error(path, where, f"there are more than {MOST_COLUMNS} fields: are their names ids?")
                column = columns[name] = []
                keepers[name] = keeper_of(name, asked)
            if len(column) < length:
                column += [None] * (length - len(column))
            column.append(keepers[name](value))
        length += 1
    if not length:
        raise log_error(path, broken[0] if broken else "", "there is no row: wanted is one JSON object a line")
    for column in columns.values():
        column += [None] * (length - len(column))
    roles = roles_of(path, list(columns), options)
    texts = {name: [label_of(value) for value in columns[name]] for name in roles.texts}
    numbers = {name: column_of_values(columns[name]) for name in roles.metrics}
    for name in roles.others:
        if looks_like_numbers(columns[name], least=1):
            numbers[name] = column_of_values(columns[name])
    return Table(roles, texts, numbers, [left_out(broken, "being no whole JSON", kind)] if broken else [])


def keeper_of(name: str, asked: Collection[str]) -> Callable[[Any], Any]:
    """Return what takes of a JSON value what a column keeps of it. asked: columns that the user names as labels."""
    if is_text(name):
        return lambda value: prompt_digests(value if isinstance(value, str) else json.dumps(value, sort_keys=True))
    return kept_label if name in asked or name.strip().lower() in NO_METRIC else kept_value


def kept_label(value: Any) -> Any:
    """Return an id or the like, None for a list or an object."""
    return None if isinstance(value, (dict, list)) else value


def kept_value(value: Any) -> Any:
    """Return a value that may be a score; of a long text its first characters, of a list or an object its kind."""
    if isinstance(value, str):
        return value[:LONG]
    return kind_name(value) if isinstance(value, (dict, list)) else value


def is_text(name: str) -> bool:
    """Return whether a column holds prompts themselves, not their digests."""
    return name.strip().lower() == "prompt"


def prompt_digests(text: str) -> str:
    """Return the digest of a prompt, and after a blank that of its beginning where it is longer; "" for none."""
    if len(text) > BEGINNING:
        return f"{digest_of(text)} {beginning_of(text)}"
    return digest_of(text) if text else ""
