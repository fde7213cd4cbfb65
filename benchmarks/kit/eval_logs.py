"""Generated logs of inspect_ai: archives packed by Zstandard (method 93), as inspect_ai 0.3.285 writes them."""

from __future__ import annotations

import json
import random
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

FLUSH = 5_000  # samples of a piece of the journal


class ZstdArchive:
    """Writes an archive whose members are packed by Zstandard, which zipfile itself cannot before Python 3.14."""

    def __init__(self, path: Path) -> None:
        self._zip: Any = zipfile.ZipFile(path, "w")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._zip.close()

    def write(self, name: str, *frames: bytes) -> None:
        """Write a member. frames: its bytes; several are packed as a frame each."""
        codec = pa.Codec("zstd", compression_level=3)
        entry: Any = zipfile.ZipInfo(name, (2026, 11, 22, 0, 0, 0))
        data, packed = b"".join(frames), b"".join(codec.compress(frame, asbytes=True) for frame in frames)
        entry.compress_type, entry.CRC = 93, zlib.crc32(data)
        entry.file_size, entry.compress_size = len(data), len(packed)
        target = self._zip.fp
        entry.header_offset = target.tell()
        target.write(entry.FileHeader(False) + packed)
        self._zip.start_dir = target.tell()
        self._zip.filelist.append(entry)
        self._zip.NameToInfo[name] = entry
        self._zip._didModify = True


def generate(path: Path, samples: int, seed: int = 7) -> None:
    """Write a finished log of so many samples: five questions a document, four scorers, one of which has three keys.

    A summary has about 1.2 kB, a sample about 5 kB: 200,000 samples make 0.5 GB.
    """
    rng = random.Random(seed)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(3_000)]
    prose = " ".join(rng.choices(words, k=200_000))
    header = _header(samples)
    rows: list[bytes] = []
    with ZstdArchive(path) as archive:
        archive.write("_journal/start.json", _dumped(header))
        for number in range(samples):
            start = rng.randrange(len(prose) - 5_000)
            summary = _summary(rng, number, prose[start : start + 300], words)
            rows.append(_dumped(summary))
            sample = summary | {"messages": [{"role": "user", "content": prose[start : start + 4_000]}]}
            archive.write(f"samples/{summary['id']}_epoch_1.json", _dumped(sample))
            if len(rows) % FLUSH == 0 or number == samples - 1:
                piece = rows[(len(rows) - 1) // FLUSH * FLUSH :]
                archive.write(f"_journal/summaries/{(len(rows) - 1) // FLUSH + 1}.json", _array(piece))
        archive.write("summaries.json", _array(rows))
        archive.write("header.json", _dumped(header | {"status": "success", "results": {}}))


def _header(samples: int) -> dict[str, Any]:
    ids = [_name(number) for number in range(samples)]
    spec = {
        "task": "generated", "task_version": 1, "model": "mockllm/model", "config": {"epochs": 1},
        "dataset": {"name": "generated", "samples": samples, "sample_ids": ids},
        "model_generate_config": {"temperature": 0.0, "seed": 7, "max_tokens": 32},
        "scorers": [{"name": "exact", "metrics": [{"name": "stderr", "options": {"cluster": "document"}}]}],
    }  # fmt: skip
    return {"version": 2, "eval": spec, "plan": {"name": "plan", "steps": [], "config": {}}}


def _name(number: int) -> str:
    return f"doc{number // 5:05d}-q{number % 5}"


def _summary(rng: random.Random, number: int, text: str, words: list[str]) -> dict[str, Any]:
    answer = " ".join(rng.choices(words, k=3))
    right = rng.random() < 0.7
    values = {
        "exact": "C" if right else "I",
        "f1": round(rng.random(), 3),
        "both": {"exact": float(right), "f1": 0.5, "words": 3},
        "grade": "P",
    }
    usage = {"input_tokens": 46, "output_tokens": 3, "total_tokens": 49, "input_tokens_cache_read": 23}
    return {
        "id": _name(number), "epoch": 1, "input": f"Document {number}:\n{text}\n\nQuestion: Łódź?\nAnswer:",
        "target": [answer], "metadata": {"document": f"doc{number // 5:05d}", "kind": "Where"},
        "scores": {name: {"value": value, "answer": answer, "history": []} for name, value in values.items()},
        "model_usage": {"mockllm/model": usage}, "role_usage": {}, "started_at": "2026-11-22T13:46:01.790469+00:00",
        "completed_at": "2026-11-22T13:46:02.369404+00:00", "total_time": 0.579, "working_time": 0.561,
        "uuid": f"{number:022d}", "retries": 0, "completed": True, "message_count": 2, "turn_count": 1,
    }  # fmt: skip


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _array(rows: list[bytes]) -> bytes:
    return b"[" + b",".join(rows) + b"]"
