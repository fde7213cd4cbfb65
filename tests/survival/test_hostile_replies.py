"""Replies that mean harm, from a server to the screen: stored as they came, scored, shown as text, in bounded time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from scrollwork.reporting.page.page import script
from scrollwork.storage.answers.store import ResponseStore
from tests.conftest import SUITE, Done, Scrollwork
from tests.servers.texts import SAYS
from tests.survival.hosted import Vendors, answered, hosted, of_model, table, vendors

TASKS = ("qmsum", "qasper", "quality", "space_digest", "book_sum_sort")  # one a metric
HARM = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
RAW = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]|<script|<img")


def without_own_scripts(page: bytes) -> bytes:
    """The page without the house's script, the opening tag of its data, and blocks of base64: what is left came from
    outside, or is markup."""
    own = script().encode()
    assert page.count(own) == 1
    page = page.replace(b"<script>" + own + b"</script>", b"").replace(
        b'<script type="application/json" id="core">', b"", 1
    )
    return re.sub(rb'<script type="text/plain" id="chunk-[\w.~-]+">[A-Za-z0-9+/=]*</script>', b"", page)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


def harmless(*done: Done) -> None:
    """What was said holds nothing that a terminal acts on."""
    for one in done:
        assert HARM.search(one.out + one.err) is None, HARM.search(one.out + one.err)
        assert len(one.err) < 20_000


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_hostile_reply_is_changed_or_acted_on(provider: str, scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={"share": 1.0, "kinds": [f"says:{name}" for name in SAYS], "most": 1})
    work = hosted(scrollwork, table("gpt", served.url, provider=provider))
    command = (*(word for task in TASKS for word in ("--task", task)), *of_model(work))
    done = work.run(*command, model="gpt")
    assert done.seconds < 90
    met = {row["fault"] for row in served.requests()}
    assert met == {f"says:{name}" for name in SAYS}, "each text must come"
    assert len(served.requests()) == len(answered(work.home)), "each is taken at once"

    store = ResponseStore(work.home / "responses.db")
    texts = {key: answer.text for key, answer in store.answers(sorted(answered(work.home))).items()}
    store.close()
    assert set(texts.values()) == set(SAYS.values())
    parts = (work.home / "artifacts" / "generate").glob("*/*/responses-*.parquet")
    shot = {row["request_key"]: row["text"] for part in parts for row in pq.read_table(part).to_pylist()}
    assert shot == {key: text.encode("utf-8", "replace").decode() for key, text in texts.items()}

    page = (work.home / "reports" / f"{SUITE}.html").read_bytes()
    assert RAW.search(without_own_scripts(page)) is None
    shown = [done, work("status"), work("verify"), work.run(*command, "--json", model="gpt")]
    harmless(*shown)
    assert {row["coverage"]["answered"] for row in shown[-1].document["tasks"]} == {
        row["coverage"]["expected"] for row in shown[-1].document["tasks"]
    }
    kept = work.home.parent / "answers.jsonl"
    work("store", "export", "--out", str(kept))
    other = work.with_(home=work.home.parent / "other")
    other("store", "import", str(kept))
    assert answered(other.home) == set(texts)


def test_hostile_failure_reaches_the_screen(scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={"always": "400-hostile"})
    work = hosted(scrollwork, table("gpt", served.url))
    command = ("--task", "qmsum", *of_model(work))
    done = work.run(*command, model="gpt", status=1)
    assert "generate qmsum, gpt: HTTP 400: " in done.err
    assert "(9 calls ended without an answer after them)" in done.err
    harmless(done, work("status"), work("status", "--json"))
    page = (work.home / "reports" / f"{SUITE}.html").read_bytes()
    assert RAW.search(without_own_scripts(page)) is None
