"""What the tests of hosted models share: the loopback vendors as a program, which outlives a client that is killed, the
command with a model there, and what its store holds."""

from __future__ import annotations

import json
import sqlite3
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from tests.conftest import PROJECT, Scrollwork, environment, start
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY

ASKS = ("/v1/chat/completions", "/v1/responses", "/v1/completions", "/v1/messages")
KEYS = {"OPENAI_API_KEY": OPENAI_KEY, "ANTHROPIC_API_KEY": ANTHROPIC_KEY}
UNDER_WAY_S = 0.25  # before a kill: what the vendor has finished then may be on its way into the store


@dataclass(frozen=True)
class Vendors:
    """The program: its address (without /v1) and the log that it writes."""

    url: str
    log: Path
    _rows: list[dict[str, Any]] = field(default_factory=list)  # of the log, as far as it was read

    def set(self, **settings: Any) -> None:
        """Change settings while it runs."""
        self._post("/_control", settings)

    @property
    def usage(self) -> dict[str, int]:
        """Tokens charged so far."""
        found: dict[str, int] = self._post("/_stats", {})["usage"]
        return found

    def requests(self) -> list[dict[str, Any]]:
        """Requests for answers, in the order in which they came, with `status` and `ended` of those that ended."""
        rows = self._read()
        asked = {row["n"]: {**row} for row in rows if row["event"] == "began" and row["path"] in ASKS}
        for row in rows:
            if row["event"] == "ended" and row["request"] in asked:
                asked[row["request"]].update(status=row["status"], fault=row["fault"], ended=row["time"])
        return list(asked.values())

    def wait_for(self, count: int, timeout_s: float = 60.0) -> bool:
        """Until so many requests came; False when they did not."""
        deadline = time.monotonic() + timeout_s
        while self.log.read_bytes().count(b'"event": "began"') < count:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def _read(self) -> list[dict[str, Any]]:
        """The rows of the log. Those who wait ask many times a second: each line is parsed once."""
        with self.log.open("rb") as stream:
            lines = islice(stream, len(self._rows), None)
            self._rows.extend(json.loads(line) for line in lines if line.endswith(b"\n"))
        return self._rows

    def _post(self, path: str, value: Any) -> Any:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(self.url + path, json.dumps(value).encode()), timeout=30) as reply:
            return json.load(reply)


@contextmanager
def vendors(folder: Path, **settings: Any) -> Iterator[Vendors]:
    """The vendors in a process of their own."""
    log = folder / "requests.jsonl"
    settings.setdefault("latency_s", 0.02)
    command = ["-m", "tests.servers.vendor", "--log", str(log), "--settings", json.dumps(settings)]
    with (folder / "vendor-said.txt").open("w") as said:
        process = start(command, cwd=PROJECT, env=environment(PYTHONPATH=str(PROJECT)), stdin=DEVNULL, stderr=said)
    try:
        assert process.stdout is not None
        yield Vendors(process.stdout.readline().strip(), log)
    finally:
        process.kill()
        process.communicate()


def table(name: str, url: str, **more: Any) -> str:
    """A model's table as TOML. The server has a name, so that a request's key does not depend on its port."""
    given = {"provider": "openai", "id": "g", "server": "loopback", "base_url": f"{url}/v1", **more}
    if given["provider"] == "anthropic":
        given["base_url"] = url
    return f"[{name}]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in given.items())


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


def hosted(work: Scrollwork, tables: str, **env: str) -> Scrollwork:
    """The command with keys in its environment; tables: of models, written beside its home."""
    work.home.parent.mkdir(parents=True, exist_ok=True)
    (work.home.parent / "own.toml").write_text(tables)
    return work.with_(env={**KEYS, **work.env, **env})


def of_model(work: Scrollwork, *models: str) -> tuple[str, ...]:
    """Arguments: the models of `hosted`, the first of which is named by the caller."""
    return ("--models", str(work.home.parent / "own.toml"), *(word for name in models for word in ("--model", name)))


def rows(home: Path, question: str, name: str = "responses.db") -> list[tuple[Any, ...]]:
    """What the store of a home says."""
    with sqlite3.connect(f"file:{home / name}?mode=ro", uri=True, timeout=30) as store:
        return store.execute(question).fetchall()


def answered(home: Path) -> set[str]:
    """Request keys of the answers; none where there is no store yet."""
    if not (home / "responses.db").is_file():
        return set()
    try:
        return {key for (key,) in rows(home, "SELECT request_key FROM responses")}
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        return set()


def twice(requests: list[dict[str, Any]]) -> dict[str, int]:
    """Bodies that came more than once, and how often."""
    counted = Counter(row["digest"] for row in requests)
    return {digest: count for digest, count in counted.items() if count > 1}


def everything_written(home: Path) -> bytes:
    """All bytes below a home."""
    return b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())
