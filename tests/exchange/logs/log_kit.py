"""Logs made by hand, and the truth about those that the tools wrote."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.kit.eval_logs import ZstdArchive
from scrollwork.analysis.logs.log import Log


def logs_of(shared: Path, tool: str) -> Path:
    """The folder with the logs of a tool; skips where the shared data has none."""
    folder = shared / "logs" / tool
    if not folder.is_dir():
        pytest.skip(f"no logs of {tool} among the shared data")
    return folder


def truth(table: Path, model: str) -> dict[tuple[str, str], dict[str, str]]:
    """What the model really did, by (id, epoch)."""
    with table.open(encoding="utf-8", newline="") as stream:
        return {(row["id"], row["epoch"]): row for row in csv.DictReader(stream) if row["model"] == model}


def number(text: str) -> float:
    return float(text) if text else math.nan


def rows_by_item(log: Log) -> dict[tuple[str, str], int]:
    """Rows by (id, repeat); the log must have ids, and each but once."""
    assert log.ids is not None
    found = {(name, log.repeats[row] if log.repeats else "1"): row for row, name in enumerate(log.ids)}
    assert len(found) == len(log)
    return found


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# ---- logs of inspect_ai


def sample(name: Any = "q1", value: Any = "C", **more: Any) -> dict[str, Any]:
    """A sample, or its summary, with one scorer."""
    return {"id": name, "epoch": 1, "input": f"? {name}", "target": "x", "scores": {"exact": {"value": value}}} | more


def header(samples: Sequence[Mapping[str, Any]] = (), **more: Any) -> dict[str, Any]:
    """The header of a finished log. more: keys of `eval`; status, version and invalidated are the log's own."""
    top = {key: more.pop(key) for key in ("version", "status", "invalidated") if key in more}
    ids = list(dict.fromkeys(one["id"] for one in samples))
    spec = {"task": "facts", "model": "m", "config": {"epochs": 1}, "dataset": {"samples": len(ids), "sample_ids": ids}}
    return {"version": 2, "status": "success", "eval": spec | more, "plan": {"steps": []}} | top


def compact(value: Any) -> bytes:
    """JSON as inspect writes it today."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def archived(path: Path, *samples: dict[str, Any], summaries: bool = True, zstd: bool = True, **more: Any) -> Path:
    """Write a finished log as an archive. summaries: else it has samples alone."""
    members = {"_journal/start.json": compact(header(samples, **more))}
    members |= {f"samples/{one['id']}_epoch_{one['epoch']}.json": compact(one) for one in samples}
    if summaries:
        members["summaries.json"] = compact(samples)
    return zipped(path, members | {"header.json": members["_journal/start.json"]}, zstd)


def zipped(path: Path, members: Mapping[str, bytes], zstd: bool = True) -> Path:
    """Write an archive of these members, packed by Zstandard or deflated."""
    if zstd:
        with ZstdArchive(path) as archive:
            for name, data in members.items():
                archive.write(name, data)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as deflated:
            for name, data in members.items():
                deflated.writestr(name, data)
    return path


def whole(path: Path, *samples: dict[str, Any], indent: int | None = 2, **more: Any) -> Path:
    """Write a log as one JSON file."""
    path.write_text(json.dumps(header(samples, **more) | {"samples": samples, "reductions": []}, indent=indent))
    return path


# ---- logs of lm-evaluation-harness


def line(place: int = 0, name: Any = "q1", chosen: str = "none", **more: Any) -> dict[str, Any]:
    """A row of a samples file; more: metrics, and what differs."""
    metrics = [key for key in more if key not in ("doc", "arguments", "metrics", "doc_hash", "prompt_hash", "filter")]
    return {
        "doc_id": place, "doc": {"id": name}, "target": "x", "arguments": {"gen_args_0": {"arg_0": f"? {name}"}},
        "resps": [["x"]], "filtered_resps": ["x"], "filter": chosen, "metrics": metrics,
    } | more  # fmt: skip


def samples_file(
    folder: Path, *rows: dict[str, Any], name: str = "samples_facts_2026-11-22T13-46-41.466554.jsonl"
) -> Path:
    """Write a samples file as lm-eval does: not ASCII alone, NaN bare."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())
    return path


def results_file(folder: Path, name: str = "results_2026-11-22T13-46-41.466554.json", **more: Any) -> Path:
    """Write a results file. more: its keys; `metrics` is the metric list of task `facts`."""
    config = {"task": "facts", "metric_list": more.pop("metrics", [])} | more.pop("task", {})
    held = {"results": {"facts": {}}, "configs": {"facts": config}, "versions": {"facts": 1.0}} | more
    path = folder / name
    path.write_text(json.dumps(held))
    return path
