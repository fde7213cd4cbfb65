"""Which reader reads a file."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from scrollwork.analysis.logs.log import LogError
from scrollwork.exchange.logs import read as reading
from scrollwork.exchange.logs.read import READERS, TABLES, read_log, readers_of
from tests.exchange.logs.log_kit import archived, sample
from tests.exchange.logs.true_answers import OPTIONS

PLACES = {
    "logs/lighteval": "lighteval",
    "logs/every_eval_ever": "every_eval_ever",
    "logs/helm": "helm",
    "logs/promptfoo": "promptfoo",
    "logs/promptfoo/run.csv": "promptfoo",
    "logs/plain": "tables",
    "logs/plain/gamma.parquet": "tables",
    "predictions/leval": "l_eval",
    "raw/longbench_mini": "longbench",
}


@pytest.mark.parametrize("place", PLACES)
def test_logs_of_one_tool_are_read_as_those_of_another(shared: Path, place: str) -> None:
    (reader,) = readers_of(shared / place)
    assert PLACES[place] in reader.__name__.split(".")  # type: ignore[attr-defined]


def test_a_file_under_another_name_is_not_recognized(shared: Path, tmp_path: Path) -> None:
    logs = shared / "logs"
    sources = {
        "promptfoo": logs / "promptfoo" / "run.jsonl",
        "every_eval_ever": next(logs.glob("every_eval_ever/helm/facts/world/alpha/*.jsonl")),
        "lighteval": next(logs.glob("lighteval/details/alpha/*/*.parquet")),
        "helm": next(logs.glob("helm/runs/v1/*/per_instance_stats.json")),
        "tables": logs / "plain" / "beta.jsonl",
    }
    for tool, source in sources.items():
        name = source.name if tool == "helm" else "log.txt"  # one of HELM is read with the files beside it
        (reader,) = readers_of(Path(shutil.copy(source, tmp_path / name)))
        assert tool in reader.__name__.split(".")  # type: ignore[attr-defined]


def test_a_folder_with_logs_of_two_tools_gives_those_of_one(shared: Path, tmp_path: Path) -> None:
    shutil.copytree(shared / "logs" / "promptfoo", tmp_path / "promptfoo")
    shutil.copytree(shared / "logs" / "lighteval", tmp_path / "lighteval")
    shutil.copy(shared / "logs" / "plain" / "alpha.csv", tmp_path)  # a table beside logs is none of them
    found = Counter(log.tool for log in read_log(tmp_path, OPTIONS))
    assert found == {"promptfoo": 3, "lighteval": 6}


def test_a_file_of_no_tool_gives_no_reason(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="there is no such file or folder"):
        read_log(tmp_path / "none", OPTIONS)
    for name, content in {"a.txt": "text", "b.json": "{\n}", "c.json": json.dumps(3), "d.bin": "\0\1"}.items():
        (tmp_path / name).write_text(content)
        with pytest.raises(LogError, match=r"is no log that is known\. Looked for: .*HELM.*tables with") as caught:
            read_log(tmp_path / name, OPTIONS)
        assert name in str(caught.value)
    with pytest.raises(LogError, match="is no log that is known"):
        read_log(tmp_path, OPTIONS)


def test_logs_in_deeper_folders_or_not_fetched_give_no_reason(tmp_path: Path) -> None:
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "logs" / "alpha").mkdir(parents=True)
    archived(tmp_path / "logs" / "alpha" / "a.eval", sample("q1", 1.0))
    archived(tmp_path / ".hidden" / "a.eval", sample("q1", 1.0))
    with pytest.raises(LogError, match=r"no log that is known; logs are in .*alpha: name that folder"):
        read_log(tmp_path, OPTIONS)
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in ("a.eval", "samples_x.jsonl", "x.parquet"):
        (kept / name).write_bytes(pointer)
        with pytest.raises(LogError, match=rf"{name}: only the pointer of Git LFS is there"):
            read_log(kept / name, OPTIONS)
        with pytest.raises(LogError, match=rf"no log that is known; of .*{name} only the pointer"):
            read_log(kept, OPTIONS)
        (kept / name).unlink()


def test_a_pipe_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(LogError, match="is a pipe or a device; save it as a file"):
        read_log(tmp_path / "pipe.jsonl", OPTIONS)
    (tmp_path / "a.csv").write_text("id,score\nq,1\n")
    (log,) = read_log(tmp_path, OPTIONS)
    assert log.model == "a"


def test_names_in_a_log_move_the_cursor_or_break_the_output(tmp_path: Path) -> None:
    row = {"id": "a\x1b[2J", "model": "m\x1b[2J\ud800", "task": "t\n", "score\x07": "\u202e"}
    other = {**row, "id": "b", "score\x07": 1.0}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(other) + "\n")
    (log,) = read_log(tmp_path / "x.jsonl", OPTIONS)
    shown = [log.model, log.task, *log.scores, *log.failures.values(), *log.notes]
    assert all(text.isprintable() and text.encode() for text in shown)
    assert log.ids == ["a\x1b[2J", "b"]


def test_tables_hide_the_logs_of_a_tool() -> None:
    assert list(READERS)[-1] == TABLES


def test_a_score_whose_square_is_infinite_stops_the_comparison(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("id,score\nx,1e308\ny,-1e308\nz,0.5\n")
    (log,) = read_log(table, OPTIONS)
    assert [value == 0.5 for value in log.scores["score"]] == [False, False, True]
    assert log.failures == dict.fromkeys((0, 1), "score: a number beyond 1e+100")
    assert log.notes == ["2 values of score are no score: a number beyond 1e+100"]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that cannot be read even by root")
def test_a_file_that_cannot_be_read_passes_for_one_of_no_tool() -> None:
    with pytest.raises(LogError, match=r"^/proc/self/mem: cannot be read: "):
        read_log(Path("/proc/self/mem"), OPTIONS)


def test_a_vast_folder_is_searched_file_by_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing below it is opened; a log that lies in the folder itself is read all the same."""
    monkeypatch.setattr(reading, "MOST_ENTRIES", 50)
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    for number in range(60):
        (deep / f"{number}.jsonl").write_text('{"id": "a", "score": 1}\n')
    with pytest.raises(LogError, match="more than 50 files are below it: name a log, or the folder of a run"):
        readers_of(tmp_path)
    archived(tmp_path / "a.eval", sample())
    assert [reader.__name__.rpartition("logs.")[2] for reader in readers_of(tmp_path)] == ["inspect_ai.reader"]  # type: ignore[attr-defined]


def test_a_slow_search_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.txt").write_text("no log")
    monkeypatch.setattr(reading, "MOST_S", 0.0)
    with pytest.raises(LogError, match="no log was found: name a log"):
        readers_of(tmp_path)
