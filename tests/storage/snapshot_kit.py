"""A home with a snapshot of answers of a hosted model, as `generate` writes it or as it did before schema 4."""

from dataclasses import dataclass, fields
from types import SimpleNamespace

from scrollwork.records.base import Row
from scrollwork.records.response import Failure, Response
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.home import Home
from scrollwork.tasks.generate.pending import AskedCall
from scrollwork.tasks.generate.snapshot import Asking, write_rows
from tests.storage.store_kit import answer, attempt, failure, key

LABELS = {"suite": "s", "task": "t", "split": "test", "arm": "full"}
NEW = ("cache_write_tokens", "reasoning_tokens", "masked", "provider", "asked_as", "digest", "exact_text")
TEXTS = ["an answer", "lone \ud800 surrogate", "NUL \0 and \x1a0000", "", "what?"]


def paid(number, text="an answer", **more):
    """An answer that was paid for, and its attempts."""
    given = {
        "provider": "openai",
        "model": "gpt",
        "cost_nano_usd": 1000 + number,
        "cache_write_tokens": 2,
        "reasoning_tokens": 1,
        "attempts": 2,
    }
    own = answer(number, text, **{**given, **more})
    tokens = {"input_tokens": own.input_tokens, "output_tokens": own.output_tokens}
    return own, [
        attempt(number, "transient", cost_nano_usd=0),
        attempt(number, tried=2, cost_nano_usd=own.cost_nano_usd, **tokens),
    ]


def filled(place):
    """A store with five paid answers and a failure."""
    store = ResponseStore(place)
    made = [paid(number, text) for number, text in enumerate(TEXTS)]
    store.add(
        [one for one, _ in made], [failure(100, "terminal", "no \ud800")], [t for _, tries in made for t in tries]
    )
    return store


def snapshot(home, store, numbers, provider="openai", name="one"):
    """What the store holds for these requests, written down in the home."""
    made = Ingredients("generate", f"s.t.test.{name}", {}, {"settings": {"provider": provider}}, {}, {})
    asked = [AskedCall(f"e{number}", 0, "gpt", key(number), 100) for number in numbers]
    node = SimpleNamespace(label=LABELS.get, params={"settings": {}})
    session = SimpleNamespace(store=store)
    content = write_rows(node, Asking(SimpleNamespace(members=["gpt"]), asked), session, NoWriter())
    writing = home.artifacts.write(made, sha256_of([made.key(), content]))
    with writing as writer:
        writer.content = write_rows(node, Asking(SimpleNamespace(members=["gpt"]), asked), session, writer)
    return writing.artifact


class NoWriter:
    """Takes rows and forgets them."""

    facts = None

    def table(self, *_):
        return SimpleNamespace(add=lambda row: None)


@dataclass(frozen=True)
class OldResponse(Row):
    """A row of a snapshot of da944ef."""

    suite: str
    task: str
    split: str
    example_id: str
    draw: int
    model: str
    arm: str
    request_key: str
    text: str
    finish_reason: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reported_model: str
    attempts: int | None = None
    cost_nano_usd: int | None = None


def old_snapshot(home, new):
    """The snapshot as it was written before schema 4, in its place."""
    rows = list(new.rows("responses", Response))
    lost = list(new.rows("failures", Failure))
    facts = new.facts
    made = Ingredients("generate", "s.t.test.old", {}, new.manifest.ingredients.params, {}, {})
    remove(new)
    writing = home.artifacts.write(made, sha256_of([made.key(), new.content]))
    with writing as writer:
        table = writer.table("responses", OldResponse)
        failures = writer.table("failures", Failure)
        for row in rows:
            table.add(OldResponse(**{f.name: getattr(row, f.name) for f in fields(OldResponse)}))
        for row in lost:
            failures.add(row)
        writer.facts, writer.content = facts, new.content
    return writing.artifact


def remove(artifact):
    for name in artifact.folder.names():
        artifact.folder.remove(name)


def home_beside(tmp_path, place):
    return Home(str(tmp_path / "beside"), place)
