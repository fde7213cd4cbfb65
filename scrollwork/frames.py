"""Scan the tables of artifacts as polars LazyFrames: nothing of a part is read before a frame is collected.

Local parts are scanned by polars, those of a remote home by fsspec. Mappings, which are lists of key and value in our
Parquet (Arrow maps in that of older versions, which polars scans as such lists), stay so, and components of a score
become a column each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from io import BytesIO
from threading import Lock
from typing import Any, cast

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.extras import with_own_way
from scrollwork.readings.home_artifacts import KEY, Names, Placed
from scrollwork.records.base import Row, optional, types_of
from scrollwork.records.comparison import FEW_CLUSTERS, NO_WIDTH, few_clusters
from scrollwork.records.prompt import Part as PromptPart
from scrollwork.records.prompt import render
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.artifacts.checked import open_part
from scrollwork.storage.artifacts.manifest import Part
from scrollwork.storage.artifacts.parts import TextReader
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.location import Location

try:
    import polars as polars
except ModuleNotFoundError as error:
    line = with_own_way("polars is not installed: pip install 'scrollwork[frames]'")
    raise ModuleNotFoundError(line, name="polars") from error

FORM = "format_ok"  # the flag that our metrics share: the answer has the form that was asked for
FIRST = (*KEY, "profile")


def schema_of(row: type[Row]) -> dict[str, polars.DataType]:
    """Return the polars types of the stored columns of a row class, by name."""
    return dict(polars.DataFrame(row.schema().empty_table()).schema)


def rows_frame(row: type[Row], rows: Iterable[Row]) -> polars.DataFrame:
    """Return rows as a frame with the types of their class."""
    from scrollwork.storage.artifacts.columns import to_batch

    return polars.DataFrame(to_batch(row, rows))


def rows_of(given: polars.DataFrame | polars.LazyFrame | Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """Return the rows of a frame, or rows that were given as such. Raises UsageError for a frame of pandas."""
    refuse_pandas(given)
    frame = given.collect() if isinstance(given, polars.LazyFrame) else given
    return frame.iter_rows(named=True) if isinstance(frame, polars.DataFrame) else frame


def refuse_pandas(given: object) -> None:
    """Raise UsageError, saying how it is converted, for a frame of pandas."""
    if type(given).__name__ == "DataFrame" and type(given).__module__.partition(".")[0] == "pandas":
        raise UsageError(
            "a polars frame is wanted, not one of pandas: give pl.from_pandas(frame), of `import polars as pl`"
        )


def scan(placed: Sequence[Placed], table: str, row: type[Row], components: Iterable[str] = ()) -> polars.LazyFrame:
    """Scan a table of several artifacts as one frame, in order, with the page's names of splits and models.

    row: class of its rows. components: names of the numbers of scores that get a column each. Sizes and times of parts
    are compared with what was written, and a part that has others is hashed. Raises DamagedArtifact.
    """
    schema = schema_of(row)
    groups: dict[Names, list[tuple[Location, Part]]] = {}
    for one in placed:
        groups.setdefault(one.names, []).extend(checked_parts(one.artifact, table))
    frames = [named(scan_parts(parts, schema), names, schema) for names, parts in groups.items()]
    whole = polars.concat(frames or [named(scan_parts([], schema), Names(), schema)])
    columns = flat_columns(schema, components)
    filled = [polars.col(name).fill_null(value) for name, value in defaults_of(row).items()]
    return whole.with_columns(filled).select(*in_order(columns, whole.collect_schema().names()))


def checked_parts(artifact: Artifact, table: str) -> list[tuple[Location, Part]]:
    """List the parts of a table, each with its folder. Raises DamagedArtifact for one that is missing or was changed: a
    part is hashed if its size or time is not the written one. Remote parts are checked when they are read."""
    found = [part for part in artifact.manifest.files if part.table == table]
    for part in found if artifact.folder.local is not None else ():
        try:
            artifact.check_part(part, rehash=False)
        except DamagedArtifact as damage:
            problem = f"{damage.problem}; `scrollwork verify` lists what is damaged, the run of it builds it again"
            raise DamagedArtifact(damage.folder, damage.part, problem) from damage
    return [(artifact.folder, part) for part in found]


def scan_parts(parts: Sequence[tuple[Location, Part]], schema: Mapping[str, polars.DataType]) -> polars.LazyFrame:
    """Scan parts with the same schema. Columns that an old part lacks are null."""
    if not parts:
        return polars.LazyFrame(schema=dict(schema))
    local = [folder.local / part.name for folder, part in parts if folder.local is not None]
    if not local:
        return polars.concat([scan_remote(folder, part, schema) for folder, part in parts])
    # no globs, no columns from folders' names: a slot may hold "[" and "="
    return polars.scan_parquet(
        local, schema=dict(schema), missing_columns="insert", glob=False, hive_partitioning=False
    )


def scan_remote(folder: Location, part: Part, schema: Mapping[str, polars.DataType]) -> polars.LazyFrame:
    """Scan a remote part. It is read as a whole when the frame is collected, and its digest is checked then."""
    from polars.io.plugins import register_io_source

    def read(
        columns: list[str] | None, predicate: polars.Expr | None, most: int | None, _: int | None
    ) -> Iterator[polars.DataFrame]:
        with open_part(folder, part) as checked:
            data = BytesIO(checked.whole())
        frame = polars.scan_parquet(data, schema=dict(schema), missing_columns="insert")
        frame = frame if most is None else frame.head(most)
        frame = frame if predicate is None else frame.filter(predicate)
        yield (frame if columns is None else frame.select(columns)).collect()

    return register_io_source(read, schema=dict(schema), is_pure=True)


def named(frame: polars.LazyFrame, names: Names, schema: Mapping[str, polars.DataType]) -> polars.LazyFrame:
    """Give the rows of a scan the names of the page. schema: of the scan."""
    if names.models:
        frame = frame.filter(polars.col("model").is_in(names.models))
    changed = []
    if names.split:
        changed.append(polars.lit(names.split).alias("split"))
    if names.suffix and "model" in schema:
        changed.append(polars.col("model") + names.suffix)
    if "model" in schema and "example_id" in schema:  # an answer: to which prompt
        changed.append(polars.lit(names.profile).alias("profile"))
    if "request_key" in schema and "model" in schema:  # an answer's text
        changed.append(polars.lit(names.epoch).alias("epoch"))
    return frame.with_columns(changed) if changed else frame


def flat_columns(schema: Mapping[str, polars.DataType], components: Iterable[str]) -> dict[str, list[polars.Expr]]:
    """Return the columns that stand for a stored mapping or struct, by the stored name.

    A component whose name is that of another column is called component_NAME.
    """
    found: dict[str, list[polars.Expr]] = {}
    if "components" in schema:
        taken = {*schema, *FIRST, FORM}
        found["components"] = [
            value_of("components", schema, name).alias(f"component_{name}" if name in taken else name)
            for name in dict.fromkeys(components)
        ]
    if "flags" in schema:
        found["flags"] = [value_of("flags", schema, FORM).alias(FORM), polars.col("flags")]
    if "coverage" in schema:
        inner = cast("polars.Struct", schema["coverage"]).fields
        found["coverage"] = [polars.col("coverage").struct.field(field.name) for field in inner]
    return found


def value_of(column: str, schema: Mapping[str, polars.DataType], key: str) -> polars.Expr:
    """Return the value of a key in a column of mappings, null where it has none."""
    entry = cast("polars.Struct", cast("polars.List", schema[column]).inner).to_schema()
    return polars.col(column).cast(polars.Map(entry["key"], entry["value"])).map.get(key)


def in_order(flat: Mapping[str, list[polars.Expr]], names: Sequence[str]) -> Iterator[polars.Expr]:
    """Yield the columns of a frame: the key of an answer first, then the others in their stored order."""
    for name in (*(one for one in FIRST if one in names), *(one for one in names if one not in FIRST)):
        yield from flat.get(name, [polars.col(name)])


def defaults_of(row: type[Row]) -> dict[str, Any]:
    """Return the values of columns that parts of older versions lack, where these are not null."""
    kinds = types_of(row)
    scalars = (str, int, float, bool)
    return {
        one.name: one.default
        for one in fields(row)
        if one.default is not MISSING and optional(kinds[one.name]) is None and isinstance(one.default, scalars)
    }


def interval_note(*, of_score: bool) -> polars.Expr:
    """Return the column that says why an interval cannot be trusted, from that of clusters; null where it can.

    of_score: of a score, whose interval has no width where all values are equal; False: of a difference.
    """
    told = {clusters: few_clusters(clusters) for clusters in range(1, FEW_CLUSTERS)}
    found = polars.col("clusters").replace_strict(told, default=None, return_dtype=polars.String())
    if of_score:
        equal = polars.when(polars.col("low") == polars.col("high")).then(polars.lit(NO_WIDTH))
        found = polars.coalesce(found, equal)
    return found.alias("interval_note")


def with_text(frame: polars.LazyFrame, texts: Callable[[str], str]) -> polars.LazyFrame:
    """Add the column `text` to a scan of prompts: their rendered texts. texts: returns a document's text by id.

    The texts are made when the frame is collected, and only those of its rows.
    """
    one_at_a_time = Lock()

    def rendered(parts: polars.Series) -> polars.Series:
        with one_at_a_time:  # polars may call it in several threads, and the reader keeps row groups
            made = [render(tuple(PromptPart(**part) for part in one), texts) for one in parts.to_list()]
        return polars.Series(made, dtype=polars.String)

    made = polars.col("parts").map_batches(rendered, return_dtype=polars.String, is_elementwise=True).alias("text")
    return frame.with_columns(made)


class Texts:
    """The texts of a table of documents, by id. The table is opened at the first text.

    curated: the artifact that has them, None if it is not in the home any more; `prompts` is named then. Raises
    DamagedArtifact, KeyError for an unknown id.
    """

    def __init__(self, curated: Artifact | None, prompts: Artifact) -> None:
        self._curated, self._prompts = curated, prompts
        self._reader: TextReader | None = None

    def __call__(self, document_id: str) -> str:
        """Return the text of a document."""
        if self._curated is None:
            problem = "is not in this home any more: run `scrollwork build` again"
            raise DamagedArtifact(str(self._prompts.folder), f"documents of its prompts ({document_id})", problem)
        if self._reader is None:
            self._reader = self._curated.texts()
        return self._reader(document_id)
