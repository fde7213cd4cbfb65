"""`fetch` of a hub data set through HF_ENDPOINT, `build` of it, `export hf`: as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.fetching.test_hub import FILES, Place, stories
from tests.hubserver import Repo, hub_serving

PRIVATE = "--allow-private-addresses"


def test_hub_data_set_is_fetched_built_and_exported(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub_serving() as hub:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        monkeypatch.setenv("HF_ENDPOINT", hub.url + "/")
        files = {"data/test-00000-of-00002.parquet": stories(2), "data/test-00001-of-00002.parquet": stories(3)}
        hub.repos["writer/stories"] = Repo(files)
        own = str(Place(tmp_path).own)
        only = ("zeroscrolls", "--task", "squality")
        status, out, _ = call("fetch", *only, "--sources", own, "--list", "--json")
        assert (status, [row["state"] for row in json.loads(out)]) == (0, ["missing"])
        status, out, _ = call("fetch", *only, "--sources", own, "--json", PRIVATE)
        assert (status, {row["path"]: row["state"] for row in json.loads(out)}) == (0, FILES)
    status, out, err = call("build", *only, "--engine", "inline", "--json")
    assert status == 0, err
    assert [(row["examples"], row["references"], row["errors"]) for row in json.loads(out)] == [(2, 8, 0)]
    status, out, _ = call("export", "hf", *only, "--out", "out", "--json")
    assert (status, json.loads(out)["files"]) == (0, ["out/squality/test-00000-of-00001.parquet", "out/README.md"])
    card = Path("out/README.md").read_text(encoding="utf-8")
    assert "| squality | test | 2 | 8 |" in card
    assert "| SQuALITY | CC BY 4.0; stories: Project Gutenberg licence |" in card


def test_revision_that_is_a_branch_is_a_wrong_call(call: Call, tmp_path: Path) -> None:
    own = str(Place(tmp_path, revision="main").own)
    status, _, err = call("fetch", "zeroscrolls", "--task", "squality", "--sources", own, PRIVATE)
    assert status == 2
    assert "must be a commit, 40 hexadecimal digits" in err


def test_export_beside_other_files_is_refused_in_one_line(call: Call, tmp_path: Path) -> None:
    call("build", "zeroscrolls", "--sample", "--task", "qmsum", "--engine", "inline")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes.txt").write_text("mine")
    status, _, err = call("export", "hf", "zeroscrolls", "--sample", "--task", "qmsum", "--out", "out")
    assert status == 1
    assert "holds files that are no export (notes.txt)" in err
    assert "Traceback" not in err
