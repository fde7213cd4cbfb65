"""Hub data sets as sources: pinned commits, the hub's own digests, and everything that a hub can say instead of a file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrollwork.fetching.fetch import Fetcher
from scrollwork.fetching.raw_states import Row
from scrollwork.fetching.sources import load_catalogue, needs
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import build
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.results import Results
from scrollwork.records.example import Example
from scrollwork.storage.downloads.web import Patience
from scrollwork.storage.errors import DownloadError
from scrollwork.suites.parts import parts
from scrollwork.suites.request import Request
from tests.hubserver import COMMIT, Hub, Repo, hub_serving, sha256
from tests.preprocessing.raw_kit import story

QUICK = Patience(connect_s=2, stall_s=0.5, attempts=2, backoff_s=0.01, longest_s=1)
TEST = "squality/hub/test"


def parquet(records: list[dict[str, Any]]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), stream, row_group_size=1)
    return stream.getvalue()


def records(*numbers: int) -> list[dict[str, Any]]:
    return [story(f"p{number}", f"Story {number}. " * 20) for number in numbers]


def stories(*numbers: int) -> bytes:
    return parquet(records(*numbers))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hub_serving() as served:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        files = {
            "data/dev-00000-of-00001.parquet": stories(1),
            "data/test-00000-of-00002.parquet": stories(2),
            "data/test-00001-of-00002.parquet": stories(3),
            "README.md": b"# small, so no large file\n",
        }
        served.repos["writer/stories"] = Repo(files)
        yield served


class Place:
    """A home, and a list of sources with one table of hub files."""

    def __init__(self, folder: Path, entry: str = "", *, revision: str = COMMIT, repo: str = "writer/stories") -> None:
        self.home, self.raw, self.own = folder / "home", folder / "home/raw", folder / "own.toml"
        entry = entry or f'path = "data/test-*.parquet"\nstrip = "data/"\ninto = "{TEST}/"'
        self.own.write_text(f'[squality]\nhub = "{repo}"\nrevision = "{revision}"\n[[squality.files]]\n{entry}\n')

    def fetcher(self) -> Fetcher:
        request = Request("zeroscrolls", str(self.home), str(self.raw), tasks=("squality",))
        return Fetcher(request, load_catalogue(str(self.own)), patience=QUICK, private=True)

    def fetch(self) -> list[Row]:
        return self.fetcher().fetch()


FILES = {f"{TEST}/test-0000{n}-of-00002.parquet": "present" for n in (0, 1)}


def states(rows: list[Row]) -> dict[str, str]:
    return {row.file.path: row.file.state for row in rows}


def only(rows: list[Row]) -> Row:
    (row,) = rows
    return row


def test_files_of_a_commit_come_with_the_hubs_digests_and_are_not_asked_for_again(tmp_path: Path, hub: Hub) -> None:
    place = Place(tmp_path)
    assert states(place.fetch()) == FILES
    rows = {row.file.path: row for row in place.fetcher().rows()}
    for path in FILES:
        assert rows[path].file.sha256 == sha256(hub.repos["writer/stories"].files[f"data/{Path(path).name}"])
        assert f"/datasets/writer/stories/resolve/{COMMIT}/data/" in rows[path].url
    asked = len(hub.asked)
    assert states(place.fetch()) == FILES
    assert len(hub.asked) == asked


def test_listing_goes_over_all_its_pages_and_keeps_only_what_is_wanted(tmp_path: Path, hub: Hub) -> None:
    hub.page = 1
    place = Place(tmp_path)
    assert states(place.fetch()) == FILES
    assert sum("/tree/" in path for path in hub.paths()) == 5  # a folder and four files
    noted = json.loads((place.raw / ".sources.json").read_text())["listings"]
    assert [sorted(files) for files in noted.values()] == [[f"data/{Path(path).name}" for path in FILES]]


def test_list_asks_no_hub_and_says_where_the_files_are(tmp_path: Path, hub: Hub) -> None:
    row = only(Place(tmp_path).fetcher().rows())
    assert (row.file.state, row.file.path) == ("missing", f"{TEST}/test-*.parquet")
    assert row.url == f"{hub.url}/datasets/writer/stories/tree/{COMMIT}"
    assert hub.asked == []


def test_small_file_is_verified_by_its_git_digest(tmp_path: Path, hub: Hub) -> None:
    place = Place(tmp_path, f'path = "README.md"\ninto = "{TEST}/"')
    assert states(place.fetch()) == {f"{TEST}/README.md": "present"}
    (place.raw / f"{TEST}/README.md").write_bytes(b"# small, so no large fil!\n")
    assert "is not git blob" in only(place.fetcher().rows()).why
    assert states(place.fetch()) == {f"{TEST}/README.md": "present"}


def test_bytes_other_than_the_hub_lists_are_refused(tmp_path: Path, hub: Hub) -> None:
    repo = hub.repos["writer/stories"]
    listed = json.dumps(repo.entries()).encode()
    repo.files["data/test-00000-of-00002.parquet"] = stories(4)
    hub.tree = [listed]
    place = Place(tmp_path)
    found = states(place.fetch())
    assert sorted(found.values()) == ["corrupt", "present"]
    assert not (place.raw / f"{TEST}/test-00000-of-00002.parquet").exists()


def test_known_digest_needs_no_listing_and_wins_over_the_hub(tmp_path: Path, hub: Hub) -> None:
    path = "data/test-00000-of-00002.parquet"
    data = hub.repos["writer/stories"].files[path]
    entry = f'path = "{path}"\nstrip = "data/"\ninto = "{TEST}/"\nsha256 = "{{}}"'
    place = Place(tmp_path, entry.format(sha256(data)))
    assert states(place.fetch()) == {f"{TEST}/test-00000-of-00002.parquet": "present"}
    assert not any("/tree/" in asked for asked in hub.paths())
    other = Place(tmp_path / "home", entry.format("0" * 64))
    assert only(other.fetch()).file.state == "corrupt"


def test_cut_download_goes_on_at_the_second_host(tmp_path: Path, hub: Hub) -> None:
    hub.cut_after = 100
    assert states(Place(tmp_path).fetch()) == FILES
    ranges = [headers["range"] for _, path, headers in hub.asked if "/cdn/" in path and "range" in headers]
    assert ranges == ["bytes=100-"]


def test_busy_hub_is_asked_again(tmp_path: Path, hub: Hub) -> None:
    hub.busy = 1
    assert states(Place(tmp_path).fetch()) == FILES


def test_hub_that_stays_busy_leaves_the_files_missing_with_the_reason(tmp_path: Path, hub: Hub) -> None:
    hub.busy = 9
    row = only(Place(tmp_path).fetch())
    assert row.file.state == "missing"
    assert "HTTP 429; 2 tries in vain" in row.why


def test_renamed_data_set_is_followed(tmp_path: Path, hub: Hub) -> None:
    hub.renamed["writer/tales"] = "writer/stories"
    assert states(Place(tmp_path, repo="writer/tales").fetch()) == FILES


def test_commit_that_is_not_there_is_dead_and_named(tmp_path: Path, hub: Hub) -> None:
    row = only(Place(tmp_path, revision="0" * 40).fetch())
    assert row.file.state == "dead"
    assert f"has no commit {'0' * 40}" in row.why


def test_unknown_data_set_is_told_from_a_login_by_its_name(tmp_path: Path, hub: Hub) -> None:
    row = only(Place(tmp_path, repo="writer/nothing").fetch())
    assert row.file.state == "manual"
    assert "there is no data set" in row.why
    assert "or it is private" in row.why


def test_pattern_that_matches_nothing_is_dead_and_named(tmp_path: Path, hub: Hub) -> None:
    row = only(Place(tmp_path, f'path = "train/*.parquet"\ninto = "{TEST}/"').fetch())
    assert row.file.state == "dead"
    assert "has no file train/*.parquet" in row.why


def test_gated_data_set_tells_what_to_do_and_opens_with_a_token(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.repos["writer/stories"].gated = "hf_secret"
    place = Place(tmp_path)
    rows = place.fetch()
    assert {row.file.state for row in rows} == {"manual"}
    assert all("accept its terms" in row.why and "HF_TOKEN" in row.why for row in rows)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    assert states(place.fetch()) == FILES


def test_token_is_sent_to_the_hub_and_to_no_host_that_it_redirects_to(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    place = Place(tmp_path)
    place.fetch()
    sent = {
        path.startswith(hub.cdn.removeprefix("http://")): headers.get("authorization") for _, path, headers in hub.asked
    }
    assert sent == {False: "Bearer hf_secret", True: None}
    assert "hf_secret" not in (place.raw / ".sources.json").read_text()


def test_token_goes_unencrypted_to_another_machine(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.lan:8080")
    with pytest.raises(UsageError, match="others could read HF_TOKEN") as caught:
        Place(tmp_path).fetch()
    assert "hf_secret" not in str(caught.value)


def test_token_that_no_header_can_carry_is_refused_without_showing_it(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_sec\nret")
    with pytest.raises(DownloadError, match="HF_TOKEN holds characters") as caught:
        Place(tmp_path).fetch()
    assert "ret" not in str(caught.value).replace("characters", "")
    assert hub.asked == []


@pytest.mark.parametrize(
    "path", ["data/../../evil.parquet", "/evil.parquet", "data/.sources.json", "data/a\\b", "data/x.part"]
)
def test_evil_name_in_a_listing_writes_nothing(tmp_path: Path, hub: Hub, path: str) -> None:
    hub.tree = [json.dumps([{"type": "file", "path": path, "size": 4, "oid": "0" * 40}]).encode()]
    row = only(Place(tmp_path, f'path = "**"\ninto = "{TEST}/"').fetch())
    assert "cannot be the name of a raw file" in row.why
    assert not [
        file for file in tmp_path.rglob("*") if "evil" in file.name or "\\" in file.name or file.suffix == ".part"
    ]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"<html>welcome</html>", "is no list of files"),
        (b'{"error": "x"}', "is no list of files"),
        (b"[" * 100_000, "is no list of files"),
        (b'[{"type": "file", "path": "data/test-1.parquet"}]', "is not understood"),
        (b'[{"type": "file", "path": "data/test-1.parquet", "size": 1, "oid": "main"}]', "is not understood"),
        (b'["data/test-1.parquet"]', "is not understood"),
    ],
)
def test_listing_that_is_none_is_named(tmp_path: Path, hub: Hub, answer: bytes, why: str) -> None:
    hub.tree = [answer]
    row = only(Place(tmp_path).fetch())
    assert row.file.state == "missing"
    assert why in row.why


@pytest.mark.parametrize("after", ["http://[", "ftp://127.0.0.1/next", "http://127.0.0.1:99999/"])
def test_next_page_at_no_address_is_named(tmp_path: Path, hub: Hub, after: str) -> None:
    hub.next_page = after
    row = only(Place(tmp_path).fetch())
    assert row.file.state == "missing"
    assert row.why


def test_listing_that_goes_in_a_circle_ends(tmp_path: Path, hub: Hub) -> None:
    hub.next_page = f"{hub.url}/api/datasets/writer/stories/tree/{COMMIT}?recursive=true&expand=false"
    assert "does not end" in only(Place(tmp_path).fetch()).why


def test_changed_revision_fetches_the_other_bytes_and_keeps_the_old_ones_aside(tmp_path: Path, hub: Hub) -> None:
    Place(tmp_path).fetch()
    later = "2" * 40
    files = {name: stories(index + 5) for index, name in enumerate(hub.repos["writer/stories"].files)}
    hub.repos["writer/stories"] = Repo(files, commit=later)
    place = Place(tmp_path, revision=later)
    assert states(place.fetch()) == FILES
    path = place.raw / f"{TEST}/test-00000-of-00002.parquet"
    assert path.read_bytes() == files["data/test-00000-of-00002.parquet"]
    assert path.with_name(path.name + ".corrupt").exists()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('hub = "writer/stories"\nrevision = "main"', "a branch or tag can change under you"),
        ('hub = "writer/stories"', "must be a commit, 40 hexadecimal digits"),
        (f'hub = "writer/stories"\nrevision = "{COMMIT[:12]}"', "must be a commit"),
        (f'hub = "../../evil"\nrevision = "{COMMIT}"', "must be the name of a data set"),
        (f'hub = "a/../b"\nrevision = "{COMMIT}"', "must be the name of a data set"),
        (f'hub = "https://huggingface.co/x"\nrevision = "{COMMIT}"', "must be the name of a data set"),
    ],
)
def test_revision_that_is_no_commit_is_refused(tmp_path: Path, table: str, said: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f'[squality]\n{table}\nfiles = [{{ path = "a.parquet" }}]\n')
    with pytest.raises(UsageError, match=said):
        load_catalogue(str(own))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (f'path = "*.parquet", sha256 = "{"0" * 64}"', "no digest of its own"),
        ('path = "*.zip", members = ["a"]', "no `members`"),
        ('path = "data/a.parquet", strip = "other/"', "must begin with `strip`"),
        ('path = "../a.parquet"', "must lie below the raw folder"),
        ('path = "a.parquet", into = "../x/"', "must lie below the raw folder"),
    ],
)
def test_wrong_hub_entry_is_named(tmp_path: Path, entry: str, said: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f'[squality]\nhub = "a/b"\nrevision = "{COMMIT}"\nfiles = [{{ {entry} }}]\n')
    with pytest.raises(UsageError, match=said):
        load_catalogue(str(own))


def test_addresses_of_the_public_hub_go_to_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9/")
    urls = [url for source in load_catalogue().sources for url in source.urls]
    assert not any("huggingface.co/" in url for url in urls)
    moved = [url for url in urls if url.startswith("http://127.0.0.1:9/datasets/")]
    assert (
        "http://127.0.0.1:9/datasets/alexfabbri/multi_news/resolve/713d9814275decacf84b5b7dbe7a4cd3d21fc8d9/data/test.tgt"
        in moved
    )


def test_endpoint_that_is_no_url_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "hub.example")
    with pytest.raises(DownloadError, match=r"HF_ENDPOINT=hub\.example: must be"):
        load_catalogue()


def test_hub_alternative_stands_in_place_of_what_gives_an_earlier_pattern() -> None:
    request = Request("zeroscrolls", "/nowhere", "/nowhere/raw", tasks=("musique",))
    (need,) = needs(request, load_catalogue(), ("musique-hub",))
    assert [source.path for source in need.sources] == ["musique/musique_ans_v1.0_dev.jsonl"]
    (need,) = needs(request, load_catalogue())
    assert [source.path for source in need.sources] == ["musique/musique_data_v1.0.zip"]


def built(home: Path, raw: Path) -> list[Example]:
    request = Request("zeroscrolls", str(home), str(raw), tasks=("squality",))
    chain = Chain(request)
    assert build(chain).failed == []
    artifact = Results(chain).artifact(chain.sample(parts(request)[0]))
    assert artifact is not None
    return list(artifact.rows("examples", Example))


def test_parquet_from_the_hub_builds_what_the_json_lines_that_it_mirrors_build(tmp_path: Path, hub: Hub) -> None:
    place = Place(tmp_path)
    place.fetch()
    lines = tmp_path / "plain/squality/v1-2/txt/test.jsonl"
    lines.parent.mkdir(parents=True)
    lines.write_text("".join(json.dumps(record) + "\n" for record in records(2, 3)))
    examples = built(place.home, place.raw)
    assert [example.example_id for example in examples] == ["p2_1", "p3_1"]
    assert examples == built(tmp_path / "other", tmp_path / "plain")
