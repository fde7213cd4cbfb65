"""Building a data set: CPU beside a floor that only reads JSON and writes Parquet, and memory at 1x and 4x the data.

The data are generated: SummScreen-like episodes of about 5,600 words, 50 MB and 200 MB of JSON Lines.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import interleaved, python

FLOOR = """
import json, sys
import pyarrow as pa, pyarrow.parquet as pq
schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("recap", pa.string())])
with open(sys.argv[1], encoding="utf-8") as lines, pq.ParquetWriter(sys.argv[2], schema, compression="zstd",
                                                                    compression_level=3) as writer:
    rows = []
    for line in lines:
        record = json.loads(line)
        text, recap = chr(10).join(record["Transcript"]), chr(10).join(record["Recap"])
        rows.append({"id": record["filename"], "text": text, "recap": recap})
        if len(rows) == 256:
            writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))
            rows = []
    writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))
"""


def corpus(path: Path, episodes: int) -> None:
    """Write `episodes` generated episodes."""
    rng = random.Random("scrollwork benchmark")
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(20_000)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        for number in range(episodes):
            lines = [f"Anna: {' '.join(rng.choices(words, k=14))}." for _ in range(375)]
            recap = [" ".join(rng.choices(words, k=100))]
            record = {"filename": f"fd_Show_{number}.json", "Show Title": "Show", "Transcript": lines, "Recap": recap}
            out.write(json.dumps(record) + "\n")


def main() -> list[str]:
    """The lines of the report."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for times, episodes in (("1x", 1_250), ("4x", 5_000)):
            raw = Path(folder) / times / "raw"
            path = raw / "summ_screen_fd" / "fd_test.json"
            corpus(path, episodes)
            megabytes = path.stat().st_size / 1e6
            ours = f"""
import shutil, sys
from flows.cli import main
shutil.rmtree({str(raw.parent / "home")!r}, ignore_errors=True)
sys.exit(main(["--home", {str(raw.parent / "home")!r}, "--quiet", "build", "zeroscrolls", "--raw", {str(raw)!r},
               "--task", "summ_screen_fd", "--engine", "inline"]))
"""
            costs = interleaved(
                {"ours": python(ours), "floor": python(FLOOR, str(path), str(raw.parent / "floor.parquet"))}, rounds=3
            )
            ratio = costs["ours"].cpu_s / costs["floor"].cpu_s
            found.append(
                f"build {times} ({megabytes:.0f} MB JSON): {ratio:.2f}x the CPU of reading JSON and writing Parquet "
                f"({costs['ours'].cpu_s:.2f} s, {costs['floor'].cpu_s:.2f} s); "
                f"peak memory {costs['ours'].peak_mb:.0f} MB (floor {costs['floor'].peak_mb:.0f} MB)"
            )
    return found


if __name__ == "__main__":
    print("\n".join(main()))
    sys.exit(0)
