"""The loopback hub answers the hub's own library: what our fetch is tested against is no invention of ours."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import environment
from tests.fetching.test_hub import records, stories
from tests.hubserver import COMMIT, Repo, hub_serving, sha256

# Not imported here, where it would take each worker of pytest seconds: the commands do.
if find_spec("datasets") is None:
    pytest.skip("the extra hf is not installed", allow_module_level=True)

ASK = f"""
import json, os, sys
from datasets import load_dataset
from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

def error(call):
    try:
        call()
    except Exception as caught:
        return type(caught).__name__

name = "writer/stories"
entries = [e for e in HfApi().list_repo_tree(name, repo_type="dataset", revision="{COMMIT}", recursive=True) if hasattr(e, "blob_id")]
folder = snapshot_download(name, repo_type="dataset", revision="{COMMIT}")
rows = load_dataset(name, revision="{COMMIT}", data_files={{"test": "data/test-*.parquet"}}, split="test")
print(json.dumps({{
    "tree": {{e.path: [e.size, e.lfs.sha256 if e.lfs else e.blob_id] for e in entries}},
    "files": sorted(os.path.relpath(os.path.join(at, f), folder) for at, _, names in os.walk(folder) for f in names),
    "rows": [row["metadata"]["passage_id"] for row in rows],
    "errors": [
        error(lambda: HfApi().dataset_info(name, revision="{"0" * 40}")),
        error(lambda: HfApi().dataset_info("writer/nothing")),
        error(lambda: snapshot_download("writer/gated", repo_type="dataset", revision="{COMMIT}")),
    ],
}}))
"""


@pytest.mark.slow
def test_library_of_the_hub_reads_the_loopback_hub(tmp_path: Path) -> None:
    with hub_serving() as hub:
        files = {
            "data/test-00000-of-00002.parquet": stories(2),
            "data/test-00001-of-00002.parquet": stories(3),
            "README.md": b"# Stories\n",
        }
        hub.repos["writer/stories"] = Repo(files)
        hub.repos["writer/gated"] = Repo(files, gated="hf_secret")
        env = environment(HF_ENDPOINT=hub.url, HF_HOME=str(tmp_path / "hf"), HF_HUB_DISABLE_TELEMETRY="1")
        env.pop("HF_TOKEN", None)
        done = subprocess.run([sys.executable, "-c", ASK], env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr[-3000:]
        found = json.loads(done.stdout.splitlines()[-1])
    assert found["files"] == sorted(files)
    assert found["tree"] == {path: [len(data), found["tree"][path][1]] for path, data in files.items()}
    assert found["tree"]["data/test-00000-of-00002.parquet"][1] == sha256(files["data/test-00000-of-00002.parquet"])
    assert found["rows"] == [record["metadata"]["passage_id"] for record in records(2, 3)]
    assert found["errors"] == ["RevisionNotFoundError", "RepositoryNotFoundError", "GatedRepoError"]
