"""Exports of what hosted models answered: tokens, ids of models, answers out of their tags; no key and no address."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrollwork.records.response import Response
from scrollwork.storage.home import Home
from tests.conftest import Scrollwork
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY
from tests.servers.texts import SAYS
from tests.servers.vendor import Vendor, running

TASK = ("--task", "space_digest")
MODELS = {"gpt": "openai/g", "compatible:org/tiny": "org/tiny", "claude": "anthropic/claude-old"}


@pytest.fixture(scope="module")
def vendor() -> Iterator[Vendor]:
    with running() as served:
        yield served


@pytest.fixture
def work(scrollwork: Scrollwork, vendor: Vendor, tmp_path: Path) -> Scrollwork:
    """The command in a home in which three hosted models are scored."""
    (tmp_path / "own.toml").write_text(
        f'[gpt]\nprovider = "openai"\nid = "g"\nbase_url = "{vendor.url}/v1"\ncontext = 1500\ntokenizer = "words"\n'
        f'[claude]\nprovider = "anthropic"\nid = "claude-old"\nbase_url = "{vendor.url}"\nprefill = true\n'
    )
    made = scrollwork.with_(env={"OPENAI_API_KEY": OPENAI_KEY, "ANTHROPIC_API_KEY": ANTHROPIC_KEY})
    made("run", "zeroscrolls", "--sample", *TASK, *asked(vendor, tmp_path, *MODELS), "--engine", "inline", "--quiet")
    return made


def asked(vendor: Vendor, folder: Path, *models: str) -> list[str]:
    """The options that name models as they ran."""
    spot = ["--base-url", f"{vendor.url}/v1"] if "compatible:org/tiny" in models else []
    return ["--models", str(folder / "own.toml"), *(word for name in models for word in ("--model", name)), *spot]


@pytest.mark.slow
def test_export_holds_a_key_or_lacks_tokens(work: Scrollwork, vendor: Vendor, tmp_path: Path) -> None:
    for kind in ("inspect", "lm-eval", "eee"):
        options = asked(vendor, tmp_path, *MODELS)
        work("export", kind, "zeroscrolls", "--sample", *TASK, *options, "--out", str(tmp_path / kind))
        for path in (tmp_path / kind).rglob("*.*"):
            data = path.read_bytes()
            if path.suffix == ".eval":
                with zipfile.ZipFile(path) as archive:
                    data = b"".join(archive.read(name) for name in archive.namelist())
            for secret in (OPENAI_KEY, ANTHROPIC_KEY, vendor.url, str(tmp_path), str(work.home)):
                assert secret.encode() not in data, (path, secret)
    assert sorted(path.parent.relative_to(tmp_path / "inspect").as_posix() for path in (tmp_path / "inspect").rglob("*.eval")) == sorted(MODELS.values())  # fmt: skip
    rows = [json.loads(line) for path in (tmp_path / "eee").rglob("*_samples.jsonl") for line in path.open()]
    assert {row["model_id"] for row in rows} == set(MODELS.values())
    came = {
        row.request_key: row
        for artifact in Home(str(work.home)).artifacts.everything()
        if artifact.manifest.ingredients.stage == "generate"
        for row in artifact.rows("responses", Response)
    }
    assert len(rows) == len(came) == 18
    for row in rows:
        own = came[row["metadata"]["request_key"]]
        assert own.input_tokens
        assert row["token_usage"]["input_tokens"] == own.input_tokens
        assert row["token_usage"]["total_tokens"] == own.input_tokens + (own.output_tokens or 0)
        assert row["output"]["raw"] == [own.text]


@pytest.mark.slow
def test_tag_is_submitted_with_the_answer(
    work: Scrollwork, vendor: Vendor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SAYS, "tagged", "70%</percentage_of_positive_reviews> because most are glad")
    vendor.set(plan={"share": 1.0, "kinds": ["says:tagged"], "most": 1})
    work = work.with_(home=tmp_path / "other")
    options = ("--sample", *TASK, *asked(vendor, tmp_path, "claude"))
    work("run", "zeroscrolls", *options, "--engine", "inline", "--quiet")
    out = tmp_path / "out.csv"
    work("export", "submission", "zeroscrolls", *options, "--out", str(out), status=1)
    with out.open(newline="", encoding="utf-8") as stream:
        assert {row["Prediction"] for row in csv.DictReader(stream)} == {"70%"}
    work("export", "inspect", "zeroscrolls", *options, "--out", str(tmp_path / "logs"))
    (path,) = (tmp_path / "logs").rglob("*.eval")
    with zipfile.ZipFile(path) as archive:
        said = [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
    assert {one["output"]["completion"] for one in said} == {SAYS["tagged"]}  # a log has what was said
