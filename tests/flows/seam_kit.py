"""What the tests of SEAM's runs share: a vendor that answers from a script and keeps what it was asked, and what a run
left in its home, read without the house's own readers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.conftest import Done, Scrollwork
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY
from tests.servers.endpoints import NAMES
from tests.servers.shapes import finish, texts
from tests.servers.texts import plain
from tests.servers.vendor import Out, Vendor, running
from tests.survival.hosted import toml

TASKS = ("multi_news", "open_asp", "fuse_reviews", "musique", "sci_co", "ecb_plus")
COREFERENCE = ("sci_co", "ecb_plus")
KEYS = {"OPENAI_API_KEY": OPENAI_KEY, "ANTHROPIC_API_KEY": ANTHROPIC_KEY}
REFUSED = 400
Reply = str | tuple[str, str] | int  # text, text with the reason why it ended, status of a refusal
Row = dict[str, Any]


class Scripted(Vendor):
    """reply(model, prompt): what is answered. asked: (path, body) of every request for an answer, in order."""

    reply: Callable[[str, str], Reply]

    def __init__(self, log_file: str = "", **settings: Any) -> None:
        super().__init__(log_file, **settings)
        self.asked: list[tuple[str, Row]] = []

    async def generate(self, path: str, vendor: str, body: Row, fault: str, key: str, out: Out) -> None:
        self.asked.append((path, body))
        said = self.reply(body["model"], plain(body["messages"][-1]["content"]))
        if isinstance(said, int):
            error = {"message": "no", "type": "invalid_request_error"}
            await out.json(said, {"type": "error", "error": error}, {})
            return
        text, reason = said if isinstance(said, tuple) else (said, "")
        answer = self.batch_answer(path, body)[1]
        texts(NAMES[path], answer, text)
        if reason:
            finish(NAMES[path], answer, reason)
        await out.json(200, answer, {})

    def prompts(self, model: str) -> list[str]:
        """What a model was asked, in order."""
        return [plain(body["messages"][-1]["content"]) for _, body in self.asked if body["model"] == model]


@contextmanager
def scripted() -> Iterator[Scripted]:
    """The vendor in a thread."""
    with running(Scripted) as app:
        assert isinstance(app, Scripted)
        app.reply = lambda model, prompt: ""
        yield app


def seam(work: Scrollwork, *arguments: str, tasks: tuple[str, ...] = (), runs: int = 1, **options: Any) -> Done:
    """`run seam` on the sample, inline, unless arguments say otherwise."""
    raw = () if "--raw" in arguments else ("--sample",)
    engine = () if "--engine" in arguments else ("--engine", "inline")
    named = [word for name in tasks for word in ("--task", name)]
    return work("run", "seam", *named, "--runs", str(runs), *raw, *engine, *arguments, **options)


def hosted(work: Scrollwork, url: str, *models: str, **more: Any) -> Scrollwork:
    """The command with keys, and a table of each model, of Anthropic where its name begins with claude."""
    tables = []
    for name in models:
        anthropic = name.startswith("claude")
        keys = {"provider": "anthropic" if anthropic else "openai", "id": name, "server": "loopback", **more}
        keys["base_url"] = url if anthropic else f"{url}/v1"
        tables.append(f"[{name}]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in keys.items()))
    work.home.parent.mkdir(parents=True, exist_ok=True)
    (work.home.parent / "own.toml").write_text("".join(tables))
    return work.with_(env={**work.env, **KEYS})


def asking(work: Scrollwork, *models: str) -> tuple[str, ...]:
    """Arguments that name models of `hosted`."""
    return ("--models", str(work.home.parent / "own.toml"), *(word for name in models for word in ("--model", name)))


# ---- what stands in a home


def folders(home: Path, stage: str, slot: str) -> list[Path]:
    """The finished artifacts of a slot; slot may hold a star."""
    return sorted(path.parent for path in (home / "artifacts" / stage).glob(f"{slot}/*/manifest.json"))


def rows(home: Path, stage: str, slot: str, table: str) -> list[Row]:
    """The rows of a table of the one artifact of a slot."""
    (folder,) = folders(home, stage, slot)
    return [
        {**row, **{name: mapping(row[name]) for name in ("components", "flags") if name in row}}
        for part in sorted(folder.glob(f"{table}-*.parquet"))
        for row in pq.read_table(part).to_pylist()
    ]


def mapping(entries: list[Row]) -> Row:
    """A stored mapping, which is a list of {key, value}."""
    return {one["key"]: one["value"] for one in entries}


def manifest(home: Path, task: str, run: int) -> bytes:
    """The manifest of a run."""
    (folder,) = folders(home, "sample", f"seam.{task}.test.{run}")
    (path,) = folder.glob("draw-*.json")
    data = path.read_bytes()
    assert path.stem == f"draw-{hashlib.sha256(data).hexdigest()[:12]}"
    return data


def examples(home: Path, task: str, run: int) -> list[Row]:
    """The examples of a run, metadata as `facts`."""
    found = rows(home, "sample", f"seam.{task}.test.{run}", "examples")
    return [{**row, "facts": json.loads(row["metadata"])} for row in found]


def rendered(home: Path, task: str, run: int, profile: str = "plain") -> dict[str, str]:
    """The text of every prompt of a run, by example."""
    documents = {row["document_id"]: row["text"] for row in rows(home, "curate", f"seam.{task}.test", "documents")}

    def text(part: Row) -> str:
        if part["text"] is not None:
            return str(part["text"])
        return str(documents[part["document_id"]][part["start"] : part["end"]])

    return {
        row["example_id"]: "".join(map(text, row["parts"]))
        for row in rows(home, "prompt", f"seam.{task}.test.{profile}.full.{run}", "prompts")
    }


def scores(home: Path, task: str, model: str, run: int = 0) -> dict[str, Row]:
    """Score rows by example."""
    found = rows(home, "score", f"seam.{task}.test.{model}.*.full.{run}.*", "scores")
    return {row["example_id"]: row for row in found}


def run_scores(home: Path, task: str, model: str) -> list[Row]:
    """RunScore rows of a model, by run."""
    found = rows(home, "aggregate", f"seam.{task}.test.{model}.*.full.*", "runs")
    return [row for row in found if row["model"] == model]
