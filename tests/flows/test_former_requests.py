"""An answer that was paid before anything was known of its model's family is not asked again in other words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import Scrollwork
from tests.survival.hosted import Vendors, answered, hosted, of_model, rows, table, vendors


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vendors]:
    with vendors(tmp_path_factory.mktemp("vendors")) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize(
    ("provider", "model_id"), [("openai", "gpt-6-luna"), ("anthropic", "claude-sonnet-5-5"), ("openai", "gpt-6.2-sol")]
)
def test_paid_answer_is_asked_again_as_its_family_is_asked_today(
    provider: str, model_id: str, scrollwork: Scrollwork, served: Vendors
) -> None:
    """The server is of nobody that is known; then the table says whose models it passes on."""
    served.set(plan={})
    work = hosted(scrollwork, table("m", served.url, provider=provider, id=model_id))
    before = len(served.requests())
    work.run("--task", "space_digest", *of_model(work), model="m")
    assert len(served.requests()) - before == 6
    first = sorted(row[0] for row in rows(work.home, "SELECT request_key FROM responses"))
    known = table("m", served.url, provider=provider, id=model_id, vendor=provider)
    (work.home.parent / "own.toml").write_text(known)
    work = hosted(scrollwork, known)
    done = work.run("--task", "space_digest", *of_model(work), "--json", model="m")
    assert len(served.requests()) - before == 6, "what was paid is asked again"
    assert done.document["tasks"][0]["coverage"]["answered"] == 6
    work.run("--task", "space_digest", "--task", "qmsum", *of_model(work), model="m")
    new = served.requests()[before + 6 :]
    assert len(new) == len(answered(work.home)) - 6 > 0
    assert set(first) <= {row[0] for row in rows(work.home, "SELECT request_key FROM responses")}
