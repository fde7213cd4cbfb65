"""Reading a log of inspect_ai beside parsing its summaries alone, which is the least that any reader does.

The log has 200,000 samples (0.5 GB): five questions of each of 40,000 documents, four scorers.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.kit.eval_logs import generate
from benchmarks.kit.measure import Cost, interleaved, python

SAMPLES, ROUNDS = 200_000, 3
START = "import json, sys; from pathlib import Path; path = Path(sys.argv[1])\n"
READ = """
from scrollwork.analysis.logs.log import ReadOptions
from scrollwork.exchange.logs.inspect_ai import reader as inspect_ai
(log,) = inspect_ai.read(path, ReadOptions())
assert len(log) == len(log.ids) == len(log.clusters) == int(sys.argv[2])
"""
ROW_BY_ROW = """
from scrollwork.exchange.logs.inspect_ai.blocks import Blocks
Blocks.add = lambda *given, **named: False
"""
OWN_PARSER = ROW_BY_ROW + "from scrollwork.exchange.logs import json_pieces; json_pieces.fast_loads = json.loads\n"
FLOOR = """
from scrollwork.exchange.logs.inspect_ai.zip_members import Archive
with Archive(path) as archive:
    assert len(json.loads(archive.read(archive.members()["summaries.json"]))) == int(sys.argv[2])
"""
DIRECTORY = "import zipfile; assert len(zipfile.ZipFile(path).infolist()) > int(sys.argv[2])"
OWN_DIRECTORY = """
from scrollwork.exchange.logs.inspect_ai.zip_members import Archive
with Archive(path) as archive:
    assert len(archive.members(lambda name: not name.startswith(b"samples/"))) > 3
"""


def main(small: bool = False) -> list[str]:
    """The lines of the report. small: a twentieth of the samples."""
    samples = SAMPLES // (20 if small else 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.eval"
        generate(path, samples)
        size = path.stat().st_size / 1e6
        ways = {
            "read": READ,
            "row by row": ROW_BY_ROW + READ,
            "own parser": OWN_PARSER + READ,
            "floor": FLOOR,
            "zipfile": DIRECTORY,
            "own": OWN_DIRECTORY,
        }
        codes = {name: python(START + code, str(path), str(samples)) for name, code in ways.items()}
        costs = interleaved(codes, ROUNDS)
    read, floor = costs["read"], costs["floor"]
    return [
        f"read_logs, {samples:,} samples, {size:.0f} MB: {_said(read)};"
        f" {read.cpu_s / floor.cpu_s:.2f}x json.loads of summaries.json at once ({_said(floor)})",
        f"read_logs, an object a row instead of Arrow: {_said(costs['row by row'])};"
        f" {costs['row by row'].cpu_s / floor.cpu_s:.2f}x json.loads of summaries.json at once",
        f"read_logs, neither Arrow nor orjson: {_said(costs['own parser'])};"
        f" {costs['own parser'].cpu_s / floor.cpu_s:.2f}x json.loads of summaries.json at once",
        f"read_logs, directory: {_said(costs['own'])}; zipfile {_said(costs['zipfile'])}",
    ]


def _said(cost: Cost) -> str:
    return f"{cost.wall_s:.1f} s, {cost.cpu_s:.1f} s of CPU, {cost.peak_mb:.0f} MB"


if __name__ == "__main__":
    print("\n".join(main()))
