"""sw.dataset: rows are those of the home's Parquet and of the exports, in one table, as a stream, and in workers."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import scrollwork as sw
from scrollwork.exchange.prompts import export_prompts
from scrollwork.flows.chains import Chain
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.extras import with_own_way
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.suites.request import Request
from tests.conftest import PROJECT, environment

SAMPLED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "fixed": ("zeroscrolls", "squality", {}),
    "shards": ("zeroscrolls", "narrative_qa", {}),
    "runs": ("seam", "musique", {"runs": 2}),
}
CUT: dict[str, Any] = {"models": ("bm25",), "max_input_tokens": 900}  # prompts of a model, cut to its limit
PROMPT = ("prompt", "sha256", "max_new_tokens")


@pytest.fixture(scope="module", autouse=True)
def datasets() -> Any:
    """The library, which takes a second to import: not in every process that collects tests."""
    return pytest.importorskip("datasets", reason="the extra hf is not installed")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a home, which the first calls fill, and a cache of `datasets`."""
    return tmp_path_factory.mktemp("dataset")


def loaded(place: Path, kind: str, **more: Any) -> Any:
    """The rows of a kind of task on the bundled sample."""
    suite, task, options = SAMPLED[kind]
    return sw.dataset(suite, task, sample=True, home=place / "home", cache_dir=place / "cache", **{**options, **more})


def tables(home: Path, stage: str, slot: str, table: str) -> list[dict[str, Any]]:
    """The rows of a table, read from the Parquet files of a home by pyarrow alone."""
    files = sorted(home.glob(f"artifacts/{stage}/{slot}/*/{table}-*.parquet"))
    assert files
    return [row for file in files for row in pq.read_table(file).to_pylist()]


@pytest.mark.parametrize("kind", SAMPLED)
def test_a_row_is_not_that_of_the_parquet_or_of_the_stream(place: Path, kind: str) -> None:
    suite, task, _ = SAMPLED[kind]
    found = loaded(place, kind)
    texts = {
        row["document_id"]: row["text"] for row in tables(place / "home", "curate", f"{suite}.{task}.test", "documents")
    }
    slot = f"{suite}.{task}.test" + (".*" if kind == "runs" else "")
    examples = tables(place / "home", "sample", slot, "examples")
    names = ("example_id", "draw", "titles", "query", "references", "options", "metadata")
    expected = [
        {**{name: row[name] for name in names}, "documents": [texts[one] for one in row["document_ids"]]}
        for row in examples
    ]
    assert found.to_list() == expected
    assert {row["draw"] for row in found} == ({0, 1} if kind == "runs" else {0})
    assert found.split == "test"
    assert list(loaded(place, kind, streaming=True)) == expected


@pytest.mark.parametrize(("kind", "more"), [*((kind, {}) for kind in SAMPLED), ("fixed", CUT)])
def test_a_prompt_is_not_that_of_the_export(place: Path, kind: str, more: dict[str, Any], tmp_path: Path) -> None:
    suite, task, options = SAMPLED[kind]
    options = {**options, **more}
    found = loaded(place, kind, prompts=True, **more)
    request = Request.of(suite, home=str(place / "home"), sample=True, tasks=(task,), **options)
    (file,) = [
        one
        for one in export_prompts(Chain(request), tmp_path / "out").files
        if one.suffix == ".jsonl" and task in one.name
    ]
    exported = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    ours = {(row["example_id"], row["draw"]): tuple(row[name] for name in (*PROMPT, "references")) for row in found}
    theirs = {(row["instance"], row["draw"]): tuple(row[name] for name in (*PROMPT, "references")) for row in exported}
    assert ours == theirs
    assert len(found) == len(exported) == len(ours)
    assert (
        found.remove_columns(list(PROMPT)).to_list() == loaded(place, kind).to_list()
    )  # the same rows in the same order
    assert list(loaded(place, kind, prompts=True, streaming=True, **more)) == list(found)


def test_a_column_has_another_type_or_is_a_map(datasets: Any, place: Path) -> None:
    text, number = datasets.Value("string"), datasets.Value("int32")
    texts = datasets.List(text)
    expected = {"example_id": text, "draw": number, "documents": texts, "titles": texts, "query": text}
    expected |= {"references": texts, "options": texts, "metadata": text}
    assert list(loaded(place, "fixed").features.items()) == list(expected.items())
    expected |= {"prompt": text, "sha256": text, "max_new_tokens": number}
    assert loaded(place, "fixed", prompts=True, streaming=True).features == expected


def test_a_problem_of_dolce_stands_for_each_window(place: Path) -> None:
    asked: dict[str, Any] = {"sample": True, "limit": 2, "home": place / "home"}
    found = sw.dataset("dolce", "leval_quality", cache_dir=place / "cache", **asked)
    windows = tables(place / "home", "sample", "dolce.leval_quality.test", "examples")
    assert found["example_id"][:] == list(dict.fromkeys(row["example_id"] for row in windows))
    assert len(found) == 2 < len(windows)
    documents = tables(place / "home", "curate", "dolce.leval_quality.test", "documents")
    whole = {row["document_id"]: row["text"] for row in documents}
    own = {row["example_id"]: row["document_ids"] for row in windows}
    for row in found:
        assert row["documents"] == [whole[name] for name in own[row["example_id"]]]
        assert "window" not in json.loads(row["metadata"])
        assert row["draw"] == 0
    assert list(sw.dataset("dolce", "leval_quality", streaming=True, **asked)) == list(found)
    with pytest.raises(UsageError, match=r"prompts of dolce show windows of a context.*leave out prompts"):
        sw.dataset("dolce", "leval_quality", prompts=True, **asked)


def counted(batch: dict[str, Any]) -> dict[str, Any]:
    """A column more."""
    return {"words": [sum(len(text.split()) for text in texts) for texts in batch["documents"]]}


def test_equal_content_has_another_fingerprint_or_other_content_the_same(place: Path, tmp_path: Path) -> None:
    first = loaded(place, "fixed")
    shutil.copytree(place / "home", tmp_path / "home")
    moved = sw.dataset("zeroscrolls", "squality", sample=True, home=tmp_path / "home", cache_dir=tmp_path / "cache")
    assert moved._fingerprint == first._fingerprint
    assert moved.map(counted, batched=True)._fingerprint == first.map(counted, batched=True)._fingerprint
    again = loaded(place, "fixed")
    mapped = [one.map(counted, batched=True).cache_files for one in (first, again)]
    assert mapped[0] == mapped[1]
    others = [loaded(place, "fixed", prompts=True), loaded(place, "fixed", limit=3), loaded(place, "runs")]
    assert len({one._fingerprint for one in (first, *others)}) == 4
    assert len(others[1]) == 3


def test_something_is_printed_on_standard_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        len(sw.dataset("zeroscrolls", "squality", sample=True, limit=2, home=tmp_path / "h", cache_dir=tmp_path / "c"))
        == 2
    )
    assert capfd.readouterr().out == ""


def held() -> int:
    """How many rows Python holds."""
    return sum(1 for one in gc.get_objects() if type(one) is dict and "example_id" in one and "documents" in one)


def test_a_stream_holds_rows_that_it_gave(place: Path) -> None:
    stream = iter(loaded(place, "fixed", streaming=True))
    gc.collect()
    before = held()
    assert max(held() - before for _ in islice(stream, 9)) <= 3  # the row, and a copy with its types
    rows = list(loaded(place, "fixed", streaming=True))
    assert held() - before >= len(rows) == 10


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"suite": "zeroscrols"}, "there is no suite 'zeroscrols'; .*; did you mean 'zeroscrolls'\\?"),
        (
            {"task": "squalty"},
            r"zeroscrolls has no task 'squalty'; did you mean 'squality'\? \(there are: gov_report, ",
        ),
        ({"split": "tset"}, r"squality has no split 'tset'; did you mean 'test'\? \(there are: .*test"),
        ({"limits": 3}, "sw.dataset has no option 'limits'; did you mean 'limit'"),
        ({"tasks": ["squality"]}, "sw.dataset gives one task: say task=, not tasks="),
        ({"models": "gpt"}, "models says how prompts are made; ask for them with prompts=True"),
        ({"budget": 3}, "sw.dataset has no option 'budget'"),
        ({"suite": 3}, "suite must be the name of a suite or its file, not a int"),
        ({"sample": False, "raw": "nowhere"}, "raw='nowhere': there is no such folder"),
    ],
)
def test_a_wrong_name_is_not_named_with_the_nearest(tmp_path: Path, given: dict[str, Any], says: str) -> None:
    asked = {"suite": "zeroscrolls", "task": "squality", "sample": True, "home": tmp_path / "home", **given}
    with pytest.raises(UsageError, match=says):
        sw.dataset(asked.pop("suite"), asked.pop("task"), **asked)
    assert not (tmp_path / "home").exists()


def test_without_datasets_the_extra_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    said = with_own_way("datasets is not installed: pip install 'scrollwork[datasets]'")
    with pytest.raises(ModuleNotFoundError, match=f"^{re.escape(said)}$"):
        sw.dataset("zeroscrolls", "squality", sample=True, home=tmp_path / "home")


def test_damaged_documents_are_given_or_not_built_again(place: Path, tmp_path: Path) -> None:
    right = loaded(place, "fixed").to_list()
    home = Path(shutil.copytree(place / "home", tmp_path / "home"))
    asked: dict[str, Any] = {"sample": True, "home": home}
    stream = sw.dataset("zeroscrolls", "squality", streaming=True, **asked)
    (part,) = home.glob("artifacts/curate/zeroscrolls.squality.test/*/documents-*.parquet")
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    before = part.stat()
    part.write_bytes(bytes(data))
    os.utime(part, ns=(before.st_atime_ns, before.st_mtime_ns))  # planning sees nothing, reading does
    with pytest.raises(DamagedArtifact, match=part.name):
        list(stream)
    assert sw.dataset("zeroscrolls", "squality", cache_dir=tmp_path / "cache", **asked).to_list() == right


WORKERS = """
import sys
import scrollwork as sw

if __name__ == "__main__":
    from torch.utils.data import DataLoader

    home, method = sys.argv[1:]
    stream = sw.dataset("zeroscrolls", "squality", sample=True, home=home, prompts=True, streaming=True)
    loader = DataLoader(stream, batch_size=None, num_workers=2, multiprocessing_context=method)
    rows = [row["example_id"] for row in loader]
    alone = [row["example_id"] for row in stream]
    assert sorted(rows) == sorted(alone) and len(set(rows)) == 10, rows
    print(len(rows), stream.num_shards)
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader_lose_or_repeat_rows(place: Path, tmp_path: Path, method: str) -> None:
    pytest.importorskip("torch", reason="the extra local is not installed")
    loaded(place, "fixed", prompts=True)
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    command = [sys.executable, str(script), str(place / "home"), method]
    env = environment(PYTHONPATH=str(PROJECT), HF_HOME=str(tmp_path))
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["10", "8"]
