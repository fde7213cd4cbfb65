"""A home on S3, over the real protocol: what it holds, what reading it sends, and how many requests that takes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

import scrollwork as sw
from scrollwork.storage.artifacts.artifact import Artifacts
from scrollwork.storage.errors import DamagedArtifact, StorageError
from scrollwork.storage.location import Location
from tests.remote.bucket import BUCKET, Sent, Server, Start, asked, with_variables

pytestmark = pytest.mark.slow

URL = f"s3://{BUCKET}/shared/home"
TASKS, MODELS = ("qmsum", "space_digest"), ("bm25", "naive")
FRAMES = ("scores", "answers", "judgements", "aggregates", "comparisons", "examples", "documents", "calls")


SEAM = (
    "run",
    "seam",
    "--sample",
    "--task",
    "musique",
    "--runs",
    "2",
    "--model",
    "lead",
    "--engine",
    "inline",
    "--quiet",
)


@dataclass(frozen=True)
class Pair:
    """The same runs in a folder and in a bucket. sent: requests of the first run into the bucket, and of the same again."""

    local: Path
    store: str
    first: list[Sent]
    again: list[Sent]

    def remote(self) -> sw.Home:
        """The home in the bucket."""
        return sw.open(URL, store=self.store)


@pytest.fixture(scope="module")
def pair(started: Server, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Built by `sw.run` and by the command."""
    folder = tmp_path_factory.mktemp("pair")
    local, store = folder / "home", f"sqlite:///{folder / 'answers.db'}"
    with pytest.MonkeyPatch.context() as patch:
        with_variables(patch, started.variables)
        patch.chdir(folder)
        sent = []
        for home, own in ((str(local), ""), (URL, store), (URL, store)):
            with started.counted() as during:
                done = sw.run("zeroscrolls", home=home, store=own, sample=True, tasks=TASKS, models=MODELS)
            assert done.failures.is_empty()
            sent.append(during)
        assert not sent[0]
        for home, own in ((str(local), f"sqlite:///{local / 'responses.db'}"), (URL, store)):
            asked(home, own, folder, *SEAM, **started.variables)
    return Pair(local, store, sent[1], sent[2])


def test_a_home_in_a_bucket_has_other_keys_or_bytes(pair: Pair, s3: Server) -> None:
    there = {name: data for name, data in s3.objects("shared/home/artifacts").items() if not name.endswith("/run.json")}
    files = (path for path in (pair.local / "artifacts").rglob("*") if path.is_file() and path.name != ".lock")
    here = {path.relative_to(pair.local / "artifacts").as_posix(): path for path in files if path.name != "run.json"}
    assert there.keys() == here.keys()
    assert [name for name, data in there.items() if data != here[name].read_bytes()] == []
    assert sum(name.endswith("/manifest.json") for name in there) > 30


def test_a_frame_of_a_bucket_holds_other_values(pair: Pair, s3: Server) -> None:
    remote, local = pair.remote(), sw.open(pair.local)
    for name in FRAMES:
        assert getattr(remote, name)().collect().equals(getattr(local, name)().collect()), name
    assert remote.prompts(text=True).collect().equals(local.prompts(text=True).collect())
    same = ("suite", "models", "tasks", "splits")
    ours = remote.runs().collect()
    assert ours.select(same).unique(maintain_order=True).equals(local.runs().collect().select(same))
    assert ours["reused"].to_list()[1] == ours["built"].to_list()[0], "the second run found all"


def test_an_idle_run_asks_for_things_again(pair: Pair) -> None:
    """Of each artifact its manifest and a list of its files; of the report its parts; of each snapshot of answers its pointer
    and its failures; the run's note."""
    number = len({one.path.rsplit("/", 2)[-2] for one in pair.again if one.path.endswith("/manifest.json")})
    assert number >= 18
    assert [one.method for one in pair.again if one.method != "GET"] == ["PUT"], "the note of the run"
    assert len(pair.again) <= 3 * number, f"{len(pair.again)} requests for {number} artifacts"
    paths = [one.path for one in pair.again]
    assert [one for one in set(paths) if paths.count(one) > 1] == []


def test_a_first_run_reads_what_it_wrote(pair: Pair) -> None:
    """Parts are read from this machine's copies, but for the report's, which are looked at before its page is shown."""
    read = {one.path for one in pair.first if one.method == "GET" and one.path.endswith((".parquet", ".html"))}
    assert read
    assert all("/report/" in path for path in read)
    written = sum(one.method == "PUT" for one in pair.first)
    assert len(pair.first) < 2.6 * written, f"{len(pair.first)} requests, {written} of them writes"


def test_a_frame_asks_for_things_again(pair: Pair, s3: Server, own_cache: Path) -> None:
    artifacts = sum(name.endswith("manifest.json") for name in s3.objects("shared/home/artifacts"))
    with s3.counted() as first:
        home = pair.remote()
        scores = home.scores("zeroscrolls")
    with s3.counted() as second:
        answers = home.answers("zeroscrolls")
    with s3.counted() as read:
        assert len(scores.collect())
    assert len(answers.collect())
    assert len(first) <= 1.4 * artifacts, f"{len(first)} requests for {artifacts} artifacts"
    assert len({one.path for one in first if "list-type" not in one.path}) == sum(
        "list-type" not in one.path for one in first
    )
    assert len(second) == 1, "a list of the runs, which may have become more"
    assert len(read) == 4, "the parts of its scores"
    with s3.counted() as once_more:
        assert len(scores.collect())
    assert once_more == [], "this machine has copies"


def test_a_run_of_another_machine_is_not_seen(pair: Pair, s3: Server) -> None:
    """What fsspec keeps of listings must not hide it."""
    folder = Location(f"s3://{BUCKET}/listed")
    other = s3.client("s3")
    for number in range(3):
        assert folder.names() == [f"{one}.json" for one in range(number)]
        assert not folder.exists(f"{number}.json")
        other.put_object(Bucket=BUCKET, Key=f"listed/{number}.json", Body=b"x" * number)
        assert folder.sizes()[f"{number}.json"] == folder.size_and_time(f"{number}.json")[0] == number


def test_two_builders_at_once_both_write_the_manifest(s3: Server) -> None:
    folder = Location(f"s3://{BUCKET}/raced")
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: folder.create("manifest.json", b"%d" % number), range(8)))
    assert made.count(True) == 1
    assert folder.read("manifest.json") == b"%d" % made.index(True)


@pytest.mark.parametrize("damage", ["cut", "replaced", "gone"])
def test_a_damaged_part_is_read(pair: Pair, s3: Server, own_cache: Path, damage: str) -> None:
    client, prefix = s3.client("s3"), "shared/home/artifacts"
    (name,) = [one for one in s3.objects(prefix) if "score/zeroscrolls.qmsum.test.bm25" in one and "/scores-" in one]
    key = f"{prefix}/{name}"
    whole = client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    frame = pair.remote().scores("zeroscrolls", models=["bm25"], tasks=["qmsum"])
    if damage == "gone":
        client.delete_object(Bucket=BUCKET, Key=key)
    else:
        client.put_object(Bucket=BUCKET, Key=key, Body=whole[:-9] if damage == "cut" else bytes(len(whole)))
    try:
        why = {"cut": "the manifest says", "replaced": "has other bytes than", "gone": "is missing"}[damage]
        part = name.rsplit("/", 1)[-1]
        with pytest.raises(DamagedArtifact, match=rf"(?s)s3://.*{part} .*{why}"):
            frame.collect()
        done = asked(URL, pair.store, pair.local.parent, "verify", status=1, **s3.variables)
        assert part in done.out + done.err
    finally:
        client.put_object(Bucket=BUCKET, Key=key, Body=whole)
    assert isinstance(frame.collect(), pl.DataFrame)


NO_KEYS = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_EC2_METADATA_DISABLED": "true"}


@pytest.mark.parametrize(
    ("home", "own", "why"),
    [
        ("s3://no-such-bucket/home", {}, "bucket does not exist"),
        (f"s3://{BUCKET}/nothing", {}, "is no home of scrollwork"),
        (URL, {**NO_KEYS, "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}, "credentials"),
        (URL, {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "Could not connect"),
        ("s4://bucket/home", {}, "Protocol not known"),
    ],
)
def test_a_home_that_cannot_be_opened_is_unnamed(
    s3: Server, tmp_path: Path, home: str, own: dict[str, str], why: str
) -> None:
    done = asked(home, "sqlite:///answers.db", tmp_path, "verify", status=None, **{**s3.variables, **own})
    assert done.status in (1, 2)
    assert f"scrollwork: {home}" in done.err
    assert why in done.err
    assert "Traceback" not in done.err


def test_a_server_that_goes_away_is_waited_for_without_end(
    pair: Pair, s3: Server, start: Start, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start()
    client = server.client("s3")
    for name, data in s3.objects("shared/home").items():
        client.put_object(Bucket=BUCKET, Key=f"shared/home/{name}", Body=data)
    with_variables(monkeypatch, server.variables)
    frame = pair.remote().scores("zeroscrolls")
    everything = Artifacts(f"{URL}/artifacts").everything()
    assert next(everything).manifest.key
    server.stop()
    with pytest.raises(StorageError, match=rf"{URL}/artifacts/score/.*: Could not connect"):
        frame.collect()
    with pytest.raises(StorageError, match=rf"{URL}/artifacts"):
        list(Artifacts(f"{URL}/artifacts").everything())


def test_results_in_a_bucket_are_compared_by_a_later_run(s3: Server, tmp_path: Path) -> None:
    url, store = f"s3://{BUCKET}/results/home", f"sqlite:///{tmp_path / 'answers.db'}"
    results = [
        sw.run(
            "zeroscrolls",
            models=["bm25", sw.model(lambda prompt, end=end: prompt[-end:], name="mine", revision=str(end))],
            sample=True,
            tasks="squality",
            limit=4,
            home=url,
            store=store,
        )
        for end in (200, 900)
    ]
    stored = sw.open(url).scores(models=["mine@200", "mine@900"]).group_by("model").agg(pl.col("value").mean())
    own = {name: pytest.approx(mean) for name, mean in stored.collect().rows()}
    (row,) = sw.compare(*results, models=["mine@200", "mine@900"]).table.to_dicts()
    assert {row["a"]: row["mean_a"], row["b"]: row["mean_b"]} == own
    alone = sw.compare(results[0]).table.select("a", "b", "mean_b").row(0)
    assert alone == ("bm25", "mine", own["mine@200"]), "the first result's own, not the newest run's"
