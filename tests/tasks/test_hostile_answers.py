"""An answer of any characters reaches the snapshot; the store keeps it as it came."""

from types import SimpleNamespace

import pytest

from scrollwork.readings.verify import check_answers
from scrollwork.records.response import Response
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.artifacts.artifact import Artifacts
from scrollwork.tasks.generate.pending import AskedCall
from scrollwork.tasks.generate.snapshot import Asking, answers_digest, write_rows
from tests.storage.artifact_kit import ingredients
from tests.storage.store_kit import HOSTILE, answer, key


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answer_ends_the_run_or_is_changed_in_the_store(tmp_path, text):
    store = ResponseStore(tmp_path / "responses.db")
    store.add([answer(1, text)])
    session = SimpleNamespace(store=store)
    node = SimpleNamespace(
        label={"suite": "s", "task": "t", "split": "test", "arm": "full"}.get, params={"settings": {}}
    )
    asking = Asking(SimpleNamespace(members=["naive:seed=0"]), [AskedCall("e", 0, "naive:seed=0", key(1), 100)])
    writing = Artifacts(str(tmp_path / "artifacts")).write(ingredients(), "ab" * 32)
    with writing as writer:
        writer.content = write_rows(node, asking, session, writer)
    assert writing.artifact.content == answers_digest(asking.asked, session)
    (row,) = writing.artifact.rows("responses", Response)
    assert row.text == text.encode("utf-8", "replace").decode()
    assert check_answers(writing.artifact) == []
    assert store.answers([key(1)])[key(1)].text == text
    store.close()
