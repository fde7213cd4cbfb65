"""Logs of inspect_ai, format version 2: .eval archives and .json files, read without inspect_ai.

Checked with logs of inspect_ai 0.3.50 and 0.3.285. Only what a Log holds is kept: an archive's summaries are read, many
at a time, not its samples, unless a field is asked for that summaries lack. docs/logs.md has the rules.

What the format does that a reader must know:
- A killed run has no header and no summaries.json, but its journal has both in pieces.
- Summaries keep 5,120 characters of a prompt: the digests are then of that part.
- Samples that were invalidated are not marked in summaries: such logs are read sample by sample.
- Names of members contain ids as they are ("samples/../x_epoch_1.json"): they are never used as paths, and the id is
  taken from inside the sample.
- A log may be merged from shards; it is read as any other. The shards themselves (X.shards/<k>/) are not put together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.log import NOT_READ, Log, LogError, ReadOptions, log_error
from scrollwork.exchange.logs.gather import read_each, with_notes
from scrollwork.exchange.logs.inspect_ai.blocks import Blocks, Places
from scrollwork.exchange.logs.inspect_ai.header import Header, header_of
from scrollwork.exchange.logs.inspect_ai.prompts import MissingField
from scrollwork.exchange.logs.inspect_ai.rows import Rows
from scrollwork.exchange.logs.inspect_ai.zip_members import FIRST, Archive, Member
from scrollwork.exchange.logs.json_pieces import Reader, ahead, file_pieces, parsed, summaries

HEADER, START, SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
JOURNAL = re.compile(r"_journal/summaries/(\d{1,9})\.json")
SAMPLE = b"samples/"
CHUNKED = "/sample.json"  # a sample in several members; its summary is whole
OF_SAMPLE = {"id", "uuid", "epoch", "input", "target", "choices", "sandbox", "setup"}  # what a sample has of its own
MOST_HEADER = 1 << 28  # bytes: the ids of millions of samples
HEAD = 4096  # bytes by which a file is recognized
MOST_FILES = 1000  # of a folder that are looked at
FIRST_KEYS = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"(?:error|eval|invalidated)":')
ARCHIVED = (b"_journal/", b"header.json", b"summaries.json", SAMPLE)  # what the first member of such an archive may be


def recognizes(path: Path) -> bool:
    """Return whether a file is a log of inspect_ai, or a folder holds one, by how the files begin."""
    return bool(_logs_in(path)) if path.is_dir() else _begins_like_a_log(path)


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Read a log, or each log of a folder (not of folders within it), in the order of the names.

    The task's name in full has the arguments of the run. A file that is no such log, is damaged or cut, has another
    version, or has no scores is named in notes of the others. Raises LogError where there are no others.
    """
    files = _logs_in(path) if path.is_dir() else [path]
    if not files:
        raise log_error(path, "", "the folder holds no log of inspect_ai (.eval or .json)")
    logs = read_each(files, lambda file: [_read_file(file, options)])
    strange = sorted(set(path.glob("*.eval")) - set(files)) if path.is_dir() else []
    return with_notes(logs, [f"{NOT_READ}{file}: does not begin as a log of inspect_ai" for file in strange])


def _read_file(path: Path, options: ReadOptions) -> Log:
    with path.open("rb") as stream:
        begins = stream.read(len(FIRST))
    return _read_archive(path, options) if begins == FIRST else _read_json(path, options)


def _logs_in(folder: Path) -> list[Path]:
    files = sorted(one for one in folder.iterdir() if one.suffix in (".eval", ".json") and one.is_file())[:MOST_FILES]
    return [one for one in files if _begins_like_a_log(one)]


def _begins_like_a_log(path: Path) -> bool:
    """Return whether a file begins as inspect's archives and .json logs do."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except OSError:
        return False
    if head.startswith(FIRST):
        return head[30:].startswith(ARCHIVED)  # the first member's name
    return FIRST_KEYS.match(head) is not None


def _read_archive(path: Path, options: ReadOptions) -> Log:
    with Archive(path) as archive:
        members = archive.members(lambda name: not name.startswith(SAMPLE))
        top = members.get(HEADER) or members.get(START)
        if top is None:
            raise log_error(path, "", f"the archive has neither {HEADER} nor {START}: it is no log of inspect_ai")
        header = _header(archive, top)
        notes = _of_status(header)
        cluster = _cluster_path(header, options)
        pieces = _summary_members(members)
        if pieces and not header.invalidated:
            rows = _rows(path, header, True, options, cluster)
            try:
                blocks = Blocks(rows)
                for member in pieces:
                    with ahead(archive.pieces(member)) as unpacked:
                        places = Places(member.name, rows)
                        for row in summaries(unpacked, path, member.name, partial(blocks.add, places=places)):
                            rows.add(row, places.next())
                return rows.log(_of_count(header, rows, notes), bool(options.cluster_field))
            except MissingField:
                notes.append("fields that the summaries lack were read from the samples themselves")
        rows = _rows(path, header, False, options, cluster)
        for member in archive.members(lambda name: name.startswith(SAMPLE)).values():
            if member.name.endswith(CHUNKED):
                raise log_error(path, member.name, "the sample is stored in chunks, of which only summaries are read")
            if member.name.endswith(".json"):
                rows.add(_value(archive, member), member.name)
        if rows.invalidated:
            notes.append(f"{rows.invalidated:,} samples were invalidated and left out")
        return rows.log(_of_count(header, rows, notes), bool(options.cluster_field))


def _read_json(path: Path, options: ReadOptions) -> Log:
    """Read a log that is one JSON file, sample by sample."""
    held: dict[str, Any] = {}
    rows: Rows | None = None
    with path.open("rb") as stream:
        reader = Reader(file_pieces(stream), path)
        for key in reader.each_key():
            reader.colon()
            if key != "samples" or reader.peek() != "[":
                held[key] = reader.value()
                continue
            header = header_of(held, path)  # stands before the samples
            cluster = _cluster_path(header, options)
            rows = _rows(path, header, False, options, cluster)
            for number, sample in enumerate(reader.elements(), start=1):
                rows.add(sample, f"sample {number}")
            break  # what follows repeats the scores
    header = header_of(held, path)
    if rows is None:
        raise log_error(path, 'field "samples"', "is missing: the log has no samples (--no-log-samples?)")
    notes = _of_status(header)
    if rows.invalidated:
        notes.append(f"{rows.invalidated:,} samples were invalidated and left out")
    return rows.log(_of_count(header, rows, notes), bool(options.cluster_field))


def _rows(path: Path, header: Header, shortened: bool, options: ReadOptions, cluster: list[str]) -> Rows:
    return Rows(path, header, shortened, _path_of(options.id_field), cluster)


def _cluster_path(header: Header, options: ReadOptions) -> list[str]:
    """Return the keys that lead to a sample's cluster: the user's field, else the official one of its metadata."""
    if options.cluster_field or not header.cluster_field:
        return _path_of(options.cluster_field)
    return ["metadata", header.cluster_field]


def _path_of(field: str) -> list[str]:
    """Return the keys that lead to a field; a name alone that no sample has of its own is one of its metadata."""
    names = field.split(".") if field else []
    return ["metadata", *names] if len(names) == 1 and names[0] not in OF_SAMPLE else names


def _header(archive: Archive, member: Member) -> Header:
    return header_of(_value(archive, member, MOST_HEADER), archive.path)


def _value(archive: Archive, member: Member, *most: int) -> Any:
    try:
        return parsed(archive.read(member, *most))
    except LogError:
        raise
    except ValueError as error:
        raise log_error(archive.path, f"member {member.name[:200]!r}", f"is not JSON: {error}") from None


def _summary_members(members: Mapping[str, Member]) -> list[Member]:
    """Return the members with summaries: the one of a finished run, else the pieces of its journal in their order."""
    if SUMMARIES in members:
        return [members[SUMMARIES]]
    numbered = ((JOURNAL.fullmatch(name), member) for name, member in members.items())
    pieces = [(int(match[1]), member) for match, member in numbered if match]
    return [member for _, member in sorted(pieces, key=lambda piece: piece[0])]


def _of_status(header: Header) -> list[str]:
    return [] if header.status == "success" else [f'the run did not end well: its status is "{header.status[:40]}"']


def _of_count(header: Header, rows: Rows, notes: list[str]) -> list[str]:
    expected = len(header.sample_ids or ()) * max(header.epochs, 1)
    if expected > len(rows) + rows.invalidated:
        notes.append(f"{len(rows):,} of {expected:,} samples are in the log")
    return notes
