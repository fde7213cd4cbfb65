"""Fetching a suite's raw files from a server on the loopback: states, archives, stories, memory."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrollwork.fetching.fetch import Fetcher
from scrollwork.fetching.raw_states import Row
from scrollwork.fetching.sources import load_catalogue
from scrollwork.storage.downloads.web import Patience
from scrollwork.suites.request import Request
from tests.fileserver import FileServer, body, serving, status

QUICK = Patience(connect_s=2, stall_s=0.5, attempts=2, backoff_s=0.01, longest_s=1)
MEETING = b'{"meeting_transcripts": []}\n'
BOOK = b"It was a dark and stormy night.\r\n" * 1000
QUALITY = {f"QuALITY.v1.0.1.htmlstripped.{split}": f"{split}\n".encode() for split in ("train", "dev", "test")}


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as files:
        yield files


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def zip_of(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return stream.getvalue()


class Place:
    """A home and a list of sources of one table."""

    def __init__(self, folder: Path, server: FileServer, task: str, table: str, files: str) -> None:
        self.home, self.raw, self.task, self.server = folder / "home", folder / "home/raw", task, server
        self.own = folder / "own.toml"
        self.own.write_text(f'[hosts]\n[{table}]\nbase = "{server.url}/"\n{files}')

    def fetcher(self, **more: Any) -> Fetcher:
        request = Request("zeroscrolls", str(self.home), str(self.raw), tasks=(self.task,))
        return Fetcher(request, load_catalogue(str(self.own)), patience=QUICK, private=True, **more)

    def fetch(self, **more: Any) -> list[Row]:
        return self.fetcher(**more).fetch()

    @property
    def origins(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.raw / ".sources.json").read_text())
        return value

    def files(self) -> list[str]:
        return sorted(path.relative_to(self.raw).as_posix() for path in self.raw.rglob("*") if path.is_file())


def states(rows: list[Row]) -> dict[str, str]:
    return {row.file.path: row.file.state for row in rows}


TEST = "qmsum/data/ALL/jsonl/test.jsonl"


@pytest.fixture
def qmsum(tmp_path: Path, server: FileServer) -> Place:
    return Place(tmp_path, server, "qmsum", "qmsum", 'files = [{ path = "data/ALL/jsonl/test.jsonl" }]')


URL = "/data/ALL/jsonl/test.jsonl"


def test_listing_writes_nothing_and_asks_nobody(qmsum: Place) -> None:
    rows = qmsum.fetcher().rows()
    assert states(rows) == {TEST: "missing"}
    assert rows[0].url == qmsum.server.url + URL
    assert qmsum.server.asked == []
    assert not qmsum.raw.exists()


def test_fetched_file_is_present_and_not_asked_for_again(qmsum: Place) -> None:
    qmsum.server.on(URL, body(MEETING))
    rows = qmsum.fetch()
    assert states(rows) == {TEST: "present"}
    assert rows[0].file.sha256 == sha(MEETING)
    note = qmsum.origins["files"][TEST]
    assert note == {"url": qmsum.server.url + URL, "sha256": sha(MEETING), "bytes": len(MEETING), "etag": '"v1"'}
    assert states(qmsum.fetch()) == {TEST: "present"}
    assert len(qmsum.server.asked) == 1


def test_file_without_published_digest_that_changed_is_seen_and_fetched_again(qmsum: Place) -> None:
    qmsum.server.on(URL, body(MEETING))
    qmsum.fetch()
    (qmsum.raw / TEST).write_bytes(b"changed")
    (row,) = qmsum.fetcher().rows()
    assert row.file.state == "corrupt"
    assert "has changed since it came" in row.why
    assert states(qmsum.fetch()) == {TEST: "present"}
    assert (qmsum.raw / TEST).read_bytes() == MEETING
    assert (qmsum.raw / f"{TEST}.corrupt").read_bytes() == b"changed"


def test_file_that_a_person_put_there_is_trusted_and_remembered(qmsum: Place) -> None:
    (qmsum.raw / TEST).parent.mkdir(parents=True)
    (qmsum.raw / TEST).write_bytes(b"mine")
    assert states(qmsum.fetch()) == {TEST: "present"}
    assert qmsum.server.asked == []
    assert qmsum.origins["files"][TEST]["sha256"] == sha(b"mine")


def test_dead_address_is_remembered_and_asked_again_by_the_next_fetch(qmsum: Place) -> None:
    qmsum.server.on(URL, status(404))
    assert states(qmsum.fetch()) == {TEST: "dead"}
    assert states(qmsum.fetcher().rows()) == {TEST: "dead"}
    qmsum.server.on(URL, body(MEETING))
    assert states(qmsum.fetch()) == {TEST: "present"}


def test_confirm_page_tells_where_to_get_it_and_where_to_put_it(tmp_path: Path, server: FileServer) -> None:
    entry = f'{{ path = "data/ALL/jsonl/test.jsonl", url = "{server.url}/drive" }}'
    files = f'page = "https://drive.example/x"\nfiles = [{entry}]'
    place = Place(tmp_path, server, "qmsum", "qmsum", files)
    server.on("/drive", body(b"<html>Download anyway?</html>", Content_Type="text/html"))
    (row,) = place.fetch()
    assert row.file.state == "manual"
    assert "Open https://drive.example/x in a browser" in row.why
    assert f"put it at raw/{TEST}" in row.why


def test_wrong_digest_is_corrupt_and_no_stage_reads_it(tmp_path: Path, server: FileServer) -> None:
    files = f'files = [{{ path = "data/ALL/jsonl/test.jsonl", sha256 = "{sha(MEETING)}" }}]'
    place = Place(tmp_path, server, "qmsum", "qmsum", files)
    server.on(URL, body(b"other"))
    assert states(place.fetch()) == {TEST: "corrupt"}
    assert place.files() == [".sources.json", ".sources.json.lock", f"{TEST}.corrupt"]
    server.on(URL, body(MEETING))
    assert states(place.fetch()) == {TEST: "present"}


def test_interrupted_download_says_how_much_has_come(qmsum: Place) -> None:
    part = qmsum.raw / f"{TEST}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"half")
    (row,) = qmsum.fetcher().rows()
    assert (row.file.state, row.why) == ("missing", "4 bytes of it have come")


def test_unfinished_files_are_no_raw_files(qmsum: Place) -> None:
    from scrollwork.pipeline.raw_files import matching_files

    folder = qmsum.raw / "musique"
    folder.mkdir(parents=True)
    for ending in ("", ".part", ".part-info", ".corrupt"):
        (folder / f"musique_ans_v1.0_dev.jsonl{ending}").write_text("x")
    assert matching_files(str(qmsum.raw), "musique/*ans*v1.0*.json*") == ("musique/musique_ans_v1.0_dev.jsonl",)


# ---- archives

MEMBERS = 'members = ["QuALITY.v1.0.1.htmlstripped.dev", "QuALITY.v1.0.1.htmlstripped.test"]'


def quality(tmp_path: Path, server: FileServer, more: str = "") -> Place:
    files = f'[[quality.files]]\npath = "q.zip"\n{MEMBERS}\n{more}'
    return Place(tmp_path, server, "quality", "quality", files)


UNPACKED = {f"quality/QuALITY.v1.0.1.htmlstripped.{split}": "present" for split in ("dev", "test")}


def test_archive_is_unpacked_remembered_and_removed(tmp_path: Path, server: FileServer) -> None:
    data = zip_of(QUALITY)
    server.on("/q.zip", body(data))
    place = quality(tmp_path, server, f'sha256 = "{sha(data)}"')
    assert states(place.fetch()) == UNPACKED
    assert place.files() == [".sources.json", ".sources.json.lock", *UNPACKED]
    assert place.origins["archives"]["quality/q.zip"]["sha256"] == sha(data)
    assert place.origins["files"][next(iter(UNPACKED))]["archive"] == "quality/q.zip"
    assert states(place.fetch()) == UNPACKED
    assert len(server.asked) == 1


def test_damaged_member_is_taken_from_the_archive_again(tmp_path: Path, server: FileServer) -> None:
    server.on("/q.zip", body(zip_of(QUALITY)))
    place = quality(tmp_path, server)
    place.fetch()
    damaged = place.raw / next(iter(UNPACKED))
    damaged.write_text("edited")
    assert "corrupt" in states(place.fetcher().rows()).values()
    assert states(place.fetch()) == UNPACKED
    assert damaged.with_name(damaged.name + ".corrupt").read_text() == "edited"


def test_archive_that_a_person_put_there_is_unpacked_and_kept(tmp_path: Path, server: FileServer) -> None:
    place = quality(tmp_path, server)
    (place.raw / "quality").mkdir(parents=True)
    (place.raw / "quality/q.zip").write_bytes(zip_of(QUALITY))
    assert states(place.fetcher().rows()) == {"quality/q.zip": "missing"}
    assert states(place.fetch()) == UNPACKED
    assert server.asked == []
    assert (place.raw / "quality/q.zip").exists()


def test_members_that_a_person_put_there_need_no_archive(tmp_path: Path, server: FileServer) -> None:
    place = quality(tmp_path, server)
    for path in UNPACKED:
        (place.raw / path).parent.mkdir(parents=True, exist_ok=True)
        (place.raw / path).write_text("mine")
    assert states(place.fetch()) == UNPACKED
    assert server.asked == []


def test_unpacking_that_was_killed_half_way_is_not_taken_for_done(tmp_path: Path, server: FileServer) -> None:
    server.on("/q.zip", body(zip_of(QUALITY)))
    place = quality(tmp_path, server)
    fetcher = place.fetcher()
    place.raw.mkdir(parents=True)
    fetcher.origins.note_archive("quality/q.zip", unpacked=False)
    for path in UNPACKED:  # as if both had been moved, but nobody knows that these were all
        (place.raw / path).parent.mkdir(parents=True, exist_ok=True)
        (place.raw / path).write_text("half")
    (place.raw / ".tmp-unpack-000").mkdir()
    assert states(place.fetcher().rows()) == {"quality/q.zip": "missing"}
    assert states(place.fetch()) == UNPACKED
    assert (place.raw / next(iter(UNPACKED))).read_bytes() == b"dev\n"


@pytest.mark.parametrize("name", ["../evil.test", "/evil.test"])
def test_evil_archive_leaves_nothing_in_the_raw_folder(tmp_path: Path, server: FileServer, name: str) -> None:
    server.on("/q.zip", body(zip_of({**QUALITY, name: b"evil"})))
    place = quality(tmp_path, server)
    (row,) = place.fetch()
    assert row.file.state == "corrupt"
    assert "leads out of the folder" in row.why
    assert not list(tmp_path.rglob("evil*"))
    assert not list(place.raw.rglob("QuALITY*"))


def test_member_with_a_wrong_digest_refuses_the_archive(tmp_path: Path, server: FileServer) -> None:
    server.on("/q.zip", body(zip_of(QUALITY)))
    more = f'member_sha256 = {{ "QuALITY.v1.0.1.htmlstripped.dev" = "{sha(b"x")}" }}'
    (row,) = quality(tmp_path, server, more).fetch()
    assert row.file.state == "corrupt"
    assert "published is" in row.why


# ---- stories

HEADER = ["document_id", "set", "kind", "story_url", "story_file_size"]
STORIES = """[[narrative_qa.files]]
path = "documents.csv"
[[narrative_qa.files]]
path = "qaps.csv"
[[narrative_qa.files]]
path = "tmp/{document_id}.content"
rows.table = "narrativeqa/documents.csv"
rows.url = "story_url"
rows.size = "story_file_size"
rows.split = "set"
rows.pages = { kind = ["movie"] }
[[narrative_qa.files]]
path = "all.zip"
alternative = "copy"
members = ["*.content"]
into = "narrativeqa/tmp/"
"""


@pytest.fixture
def stories(tmp_path: Path, server: FileServer) -> Place:
    place = Place(tmp_path, server, "narrative_qa", "narrative_qa", 'folder = "narrativeqa/"\n' + STORIES)
    stream = io.StringIO()
    table = csv.writer(stream)
    table.writerow(HEADER)
    for name, split, kind in [
        ("book", "test", "gutenberg"),
        ("film", "test", "movie"),
        ("dead", "test", "gutenberg"),
        ("busy", "test", "gutenberg"),
        ("blocked", "test", "gutenberg"),
        ("tiny", "test", "movie"),
        ("other", "train", "gutenberg"),
    ]:
        table.writerow([name, split, kind, f"{server.url}/{name}", "60000"])
    server.on("/documents.csv", body(stream.getvalue().encode()))
    server.on("/qaps.csv", body(b"document_id\n"))
    page = b"<html><pre>" + BOOK + b"</pre></html>"
    server.on("/book", body(BOOK, Content_Type="text/plain"))
    server.on("/film", body(page, Content_Type="text/html"))
    server.on("/busy", status(429, Retry_After="7200"))
    server.on("/blocked", body(page, Content_Type="text/html"))
    server.on("/tiny", body(b"<html>moved</html>", Content_Type="text/html"))
    server.on("/all.zip", body(zip_of({f"{n}.content": BOOK for n in ("book", "film", "dead", "busy", "other")})))
    return place


def test_stories_come_by_their_addresses_and_each_failure_is_told(stories: Place) -> None:
    rows = {Path(row.file.path).stem: row for row in stories.fetch()}
    assert {name: row.file.state for name, row in rows.items()} == {
        "documents": "present",
        "qaps": "present",
        "book": "present",
        "film": "present",
        "dead": "dead",
        "busy": "missing",
        "blocked": "manual",  # a page in place of a book
        "tiny": "dead",  # fewer bytes than any story has
    }
    assert "come back in 7,200 s" in rows["busy"].why
    assert (stories.raw / "narrativeqa/tmp/book.content").read_bytes() == BOOK
    assert stories.server.count("/other") == 0, "a story of a split that nobody asked for"


def test_fixed_copy_stands_in_for_dead_pages(stories: Place) -> None:
    stories.fetch()
    rows = stories.fetch(alternatives=("copy",))
    assert {row.file.state for row in rows} == {"present"}
    assert (stories.raw / "narrativeqa/tmp/dead.content").read_bytes() == BOOK
    left = {row.file.path for row in stories.fetcher().rows() if row.file.state != "present"}
    assert left == {"narrativeqa/tmp/blocked.content", "narrativeqa/tmp/tiny.content"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("document_id,set\nx,test\n", "column 'story_url' is missing"),
        (",".join(HEADER) + "\n../x,test,movie,http://h/x,1\n", "line 2: document_id '../x' cannot be the name"),
    ],
)
def test_broken_table_of_stories_is_named(stories: Place, text: str, why: str) -> None:
    stories.server.on("/documents.csv", body(text.encode()))
    (row,) = [row for row in stories.fetch() if row.file.state != "present"]
    assert row.file.state == "corrupt"
    assert why in row.why


def test_story_hosts_do_not_wait_for_each_other(stories: Place) -> None:
    text = stories.own.read_text().replace("[hosts]", '[hosts]\n"127.0.0.1" = { at_once = 1, pause_s = 0.05 }')
    stories.own.write_text(text)
    stories.fetch()
    times = [asked.at for asked in stories.server.asked]
    # the pauses are the asker's: a busy machine may bring one request late, so all of them are measured together
    assert times[-1] - times[0] >= 0.05 * (len(times) - 2)
    assert len(times) > 4
    assert stories.server.most_at_once == 1


# ---- what cannot be downloaded


def test_what_only_a_person_can_get_says_so_until_it_is_there(tmp_path: Path, server: FileServer) -> None:
    place = Place(tmp_path, server, "book_sum_sort", "nothing", "files = []")
    (row,) = place.fetch()
    assert (row.file.state, row.tasks) == ("manual", ("book_sum_sort",))
    assert "collection scripts" in row.why
    summary = place.raw / "booksum/finished_summaries/shmoop/Emma/section_0_part_0.txt"
    summary.parent.mkdir(parents=True)
    summary.write_text("{}")
    assert states(place.fetch()) == {"booksum/finished_summaries/shmoop/Emma/section_0_part_0.txt": "present"}


def test_two_fetches_write_their_memory_together(qmsum: Place, tmp_path: Path, server: FileServer) -> None:
    server.on(URL, body(MEETING))
    first = qmsum.fetcher()
    qmsum.fetch()
    qmsum.raw.mkdir(exist_ok=True)
    first.origins.note_file("other", sha256="0" * 64)
    first.origins.save()
    assert set(qmsum.origins["files"]) == {TEST, "other"}
