"""Building a GovReport-like data set: CPU and memory beside Hugging Face `datasets` and beside a copy.

Same work: JSON Lines in, SCROLLS' filter, titles and paragraphs joined, sha256 and words of every text, Parquet of zstd
level 3 out. Ours hashes the raw files and the parts besides, checks every row and writes the manifest. Asserted: the
same documents with the same digests and words. `datasets` is measured as well as we could write it (one batched map)
and as its manual has it (filter, then map).
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.kit.measure import Cost, interleaved, python
from benchmarks.kit.reports import SHAPES, write

OURS = """
import shutil, sys
from scrollwork.pipeline.build import ensure
from scrollwork.suites.request import Request
from scrollwork.suites.parts import parts
from scrollwork.flows.chains import Chain
from scrollwork.pipeline.session import Locations, Session
raw, out = sys.argv[1:]
shutil.rmtree(out, ignore_errors=True)
(part,) = parts(Request("zeroscrolls", out, raw, tasks=("gov_report",)))
ensure(Chain(part.request).curate(part), Session(Locations(out, raw)))
"""

WHOLE = """
import shutil, sys
from scrollwork.cli.main import main
raw, out = sys.argv[1:]
shutil.rmtree(out, ignore_errors=True)
sys.exit(main(["--home", out, "--quiet", "build", "zeroscrolls", "--raw", raw, "--task", "gov_report",
               "--engine", "inline"]))
"""

TREES = """
import hashlib, json, os, shutil, sys
raw, out = sys.argv[1:]
shutil.rmtree(out, ignore_errors=True)
os.makedirs(out)

def lines(section, titles=True):
    if titles and section["section_title"].strip():
        yield section["section_title"]
    yield from (text for text in section["paragraphs"] if text.strip())
    for one in section["subsections"]:
        yield from lines(one, titles)

def texts(record, agency):
    if agency == "crs":
        return list(lines(record["reports"])), [text for text in record["summary"] if text.strip()]
    body = [line for part in record["report"] for line in lines(part)]
    return body, [line for part in record["highlight"] for line in lines(part, titles=False)]
"""

FLOOR = (
    TREES
    + """
import pyarrow as pa, pyarrow.parquet as pq
schema = pa.schema([("id", pa.string()), ("title", pa.string()), ("text", pa.string()), ("summary", pa.string())])
for agency in ("crs", "gao"):
    with open(f"{raw}/gov_report/data/{agency}_test.jsonl", "rb", 1 << 20) as source, pq.ParquetWriter(
        f"{out}/{agency}.parquet", schema, compression="zstd", compression_level=3
    ) as writer:
        rows = []
        for line in source:
            record = json.loads(line)
            text, summary = (chr(10).join(found) for found in texts(record, agency))
            rows.append({"id": record["id"], "title": record["title"], "text": text, "summary": summary})
            if len(rows) == 180:
                writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))
                rows = []
        writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))
"""
)

HF = (
    TREES
    + """
os.environ["HF_HUB_OFFLINE"] = "1"
import datasets, pyarrow.parquet as pq
datasets.disable_progress_bars()

def row(record, agency):
    body, summary = (chr(10).join(found) for found in texts(record, agency))
    return {"document_id": hashlib.sha256(body.encode()).hexdigest(), "title": record["title"], "text": body,
            "words": len(body.split()), "id": record["id"], "summary": summary}

def fit(words, body, summary):
    summary_words = len(summary.split())
    return 2 * summary_words <= words <= 1000 * summary_words and summary not in body

def batch(columns, agency):
    rows = (row(dict(zip(columns, values)), agency) for values in zip(*columns.values()))
    kept = [one for one in rows if fit(one["words"], one["text"], one["summary"])]
    return {name: [one[name] for one in kept] for name in ("document_id", "title", "text", "words", "id", "summary")}

def keep(record, agency):
    body, summary = (chr(10).join(found) for found in texts(record, agency))
    return fit(len(body.split()), body, summary)

for agency in ("crs", "gao"):
    loaded = datasets.load_dataset("json", data_files=f"{raw}/gov_report/data/{agency}_test.jsonl", split="train",
                                   cache_dir=f"{out}/cache")
    known = {"remove_columns": loaded.column_names, "fn_kwargs": {"agency": agency}}
    # MADE
    with pq.ParquetWriter(f"{out}/{agency}.parquet", made.features.arrow_schema, compression="zstd",
                          compression_level=3) as writer:
        for table in made.with_format("arrow").iter(180):
            writer.write_table(table)
"""
)
HF_BATCHED = HF.replace("# MADE", "made = loaded.map(batch, batched=True, batch_size=200, **known)")
HF_MANUAL = HF.replace("# MADE", 'made = loaded.filter(keep, fn_kwargs={"agency": agency}).map(row, **known)')


def main(small: bool = False) -> list[str]:
    """The lines of the report. small: a twentieth of the data."""
    reports = 238 if small else 4_750
    found = []
    with tempfile.TemporaryDirectory() as folder:
        peaks: dict[str, list[float]] = {}
        for shape, times in ((SHAPES[0], 1), (SHAPES[1], 1), (SHAPES[0], 4)):
            raw = Path(folder) / f"{shape}-{times}"
            megabytes = write(raw, times * reports, shape) / 1e6
            name = f"build {times}x, {shape} ({times * reports:,} reports, {megabytes:.0f} MB JSON Lines)"
            found += compared(name, raw, Path(folder) / "out", 3 if times == 1 else 2, peaks if shape == "tree" else {})
        for who, what in (("ours", "curating"), ("whole", "with prompts")):
            one, four = peaks[who]
            found.append(f"build, peak memory of 4x beside 1x, {what}: {four:.0f} / {one:.0f} MB = {four / one:.2f}")
    return found


def compared(name: str, raw: Path, out: Path, rounds: int, peaks: dict[str, list[float]]) -> list[str]:
    """One corpus built by everybody; `peaks` takes ours."""
    programs = {"ours": OURS, "whole": WHOLE, "floor": FLOOR}
    if importlib.util.find_spec("datasets") is not None:
        programs |= {"batched": HF_BATCHED, "manual": HF_MANUAL}
    costs = interleaved({who: python(code, str(raw), str(out / who)) for who, code in programs.items()}, rounds)
    ours = costs["ours"]
    for who in ("ours", "whole"):
        peaks.setdefault(who, []).append(costs[who].peak_mb)
    made = documents(out / "ours", "artifacts/curate/*/*/documents-*.parquet")
    lines = [
        f"{name}: {len(made):,} kept, {ours.cpu_s:.2f} s of CPU, {ours.peak_mb:.0f} MB; with 500 prompts "
        f"{costs['whole'].cpu_s:.2f} s, {costs['whole'].peak_mb:.0f} MB",
        f"  {against(ours, costs['floor'])} reading JSON and writing Parquet",
    ]
    if "batched" not in programs:
        return [*lines, "  datasets is not installed: .venv/bin/python -m pip install -e '.[datasets]' for it"]
    for who, what in (("batched", "one batched map"), ("manual", "filter, then map")):
        if documents(out / who, "*.parquet") != made:
            raise RuntimeError(f"{name}: datasets ({what}) kept other documents")
        lines.append(f"  {against(ours, costs[who])} datasets, {what}; same rows, digests and words")
    return lines


def against(ours: Cost, peer: Cost) -> str:
    """CPU beside a peer's."""
    ratio = peer.cpu_s / ours.cpu_s
    told = f"1/{ratio:.2f} of" if ratio > 1 else f"{1 / ratio:.2f} times"
    return f"{told} the CPU ({peer.cpu_s:.2f} s, {peer.peak_mb:.0f} MB) of"


def documents(folder: Path, pattern: str) -> dict[str, int]:
    """Words by digest of every document written."""
    tables = [pq.read_table(path, columns=["document_id", "words"]) for path in sorted(folder.glob(pattern))]
    return {row["document_id"]: row["words"] for table in tables for row in table.to_pylist()}


if __name__ == "__main__":
    print("\n".join(main("--small" in sys.argv)))
