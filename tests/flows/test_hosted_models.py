"""`run` against both vendors on the loopback, from the command line to the store: answers once paid are not asked again,
no key stays anywhere, and what is wrong is said before anything is sent."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY
from tests.servers.vendor import Vendor, running

TASKS = ("--task", "qmsum", "--task", "space_digest")


@pytest.fixture(scope="module")
def vendor() -> Iterator[Vendor]:
    with running() as served:
        yield served


@pytest.fixture
def work(scrollwork: Scrollwork, vendor: Vendor, tmp_path: Path) -> Scrollwork:
    """The command with keys in its environment, and a file of models at the loopback."""
    vendor.set(plan={}, rpm=0, tpm=0)
    (tmp_path / "own.toml").write_text(
        f'[gpt]\nprovider = "openai"\nid = "g"\nbase_url = "{vendor.url}/v1"\ncontext = 1500\ntokenizer = "words"\n'
        f'[claude]\nprovider = "anthropic"\nid = "claude-old"\nbase_url = "{vendor.url}"\nprefill = true\n'
    )
    return scrollwork.with_(env={"OPENAI_API_KEY": OPENAI_KEY, "ANTHROPIC_API_KEY": ANTHROPIC_KEY})


def models(vendor: Vendor, folder: Path) -> tuple[str, ...]:
    """gpt, claude and a compatible server."""
    spot = ("--model", "compatible:org/tiny", "--base-url", f"{vendor.url}/v1", "--model", "claude")
    return ("--models", str(folder / "own.toml"), *spot)


def test_answer_is_paid_twice_or_a_key_stays(work: Scrollwork, vendor: Vendor, tmp_path: Path) -> None:
    before = len(vendor.log.requests())
    arguments = (*TASKS, *models(vendor, tmp_path), "--json")
    first = work.run(*arguments, model="gpt")
    asked = vendor.log.requests()[before:]
    assert {row["path"] for row in asked} == {"/v1/chat/completions", "/v1/messages", "/v1/models"}
    assert [row["path"] for row in asked].count("/v1/models") == 1, "the server of one's own is asked for its context"
    assert len(asked) == len({(row["path"], row["digest"]) for row in asked}), "one request was sent twice"
    assert {row["key"] for row in asked} == {True, False}
    again = work.run(*arguments, model="gpt")
    assert len(vendor.log.requests()) == before + len(asked)
    written = b"".join(path.read_bytes() for path in work.home.rglob("*") if path.is_file())
    for text in (written, first.out.encode(), first.err.encode(), again.err.encode()):
        assert OPENAI_KEY.encode() not in text
        assert ANTHROPIC_KEY.encode() not in text


@pytest.mark.slow
def test_failure_is_scored_or_shows_the_key(work: Scrollwork, vendor: Vendor, tmp_path: Path) -> None:
    vendor.set(plan={"always": "403"})
    done = work.run(*TASKS, *models(vendor, tmp_path), model="gpt", status=None)
    assert done.status != 0
    written = b"".join(path.read_bytes() for path in work.home.rglob("*") if path.is_file())
    assert b"Your key [key] has no access" in written
    for key in (OPENAI_KEY, ANTHROPIC_KEY):
        assert key.encode() not in written + done.out.encode() + done.err.encode()


@pytest.mark.slow
def test_two_commands_with_one_store_pass_the_limit_of_the_account(
    work: Scrollwork, vendor: Vendor, tmp_path: Path
) -> None:
    """Each knows of 300 requests a minute; together they send one every 0.2 s."""
    table = (tmp_path / "own.toml").read_text()
    (tmp_path / "own.toml").write_text(table.replace("[gpt]", "[gpt]\nrpm = 300"))
    before = len(vendor.log.requests())
    store = f"sqlite:///{tmp_path / 'shared.db'}"
    given = ("--sample", "--models", str(tmp_path / "own.toml"), "--model", "gpt", "--engine", "inline")
    tasks = [("qmsum", "squality", "quality"), ("space_digest", "narrative_qa", "musique")]
    started = [
        work.with_(home=tmp_path / f"home{number}").start(
            "--store", store, "run", "zeroscrolls", *given, *(word for task in some for word in ("--task", task))
        )
        for number, some in enumerate(tasks)
    ]
    for process in started:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    times = [row["time"] for row in vendor.log.requests()[before:]]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert len(times) > 50
    assert min(map(sum, zip(*(gaps[n:] for n in range(10)), strict=False))) >= 1.7, gaps


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "compatible:tiny"), "base_url is missing: the address of the server up to /v1 (--base-url URL)"),
        (("--model", "openai"), "'openai' is a provider, not a model: write openai:ID"),
        (("--model", "llama-3-8b"), "base_url is missing"),
        (
            ("--model", "compatible:t", "--base-url", "http://u:pw-x7@h/v1"),
            "must not hold a user, a password or a query",
        ),
    ],
)
def test_wrong_hosted_model_runs(work: Scrollwork, arguments: tuple[str, ...], said: str) -> None:
    done = work("run", "zeroscrolls", "--sample", *TASKS, *arguments, "--engine", "inline", status=2)
    assert said in done.err
    assert "pw-x7" not in done.err


@pytest.mark.slow
def test_context_is_sent_whole_without_room_for_the_answer(work: Scrollwork, vendor: Vendor, tmp_path: Path) -> None:
    before = len(vendor.log.requests())
    work.run("--task", "squality", "--models", str(tmp_path / "own.toml"), "--model", "claude", model="gpt")
    asked = vendor.log.requests()[before:]
    cut, whole = (
        max(row["bytes"] for row in asked if row["path"] == path) for path in ("/v1/chat/completions", "/v1/messages")
    )
    assert cut < whole - 1000, "1,500 words with the answer's 512 leave 1,000 of the story"
