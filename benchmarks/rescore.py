"""Rescoring about 100,000 stored answers and the report over them, by the real command: CPU, against floors.

Five tasks of ZeroSCROLLS (2,041 inputs, published lengths), answered by two baselines with 25 and 24 seeds. Scores and
all that stands on them are taken away and made again by the same command; then the report alone. With --base PYTHON, a
Python that has another version of scrollwork, the same is done with that one, and the ratio of both is told.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.kit import corpus
from benchmarks.kit.measure import cost, python

PARTS = (corpus.qmsum, corpus.squality, corpus.qasper, corpus.quality, corpus.musique)
AGAIN = {"rescoring": ("score", "aggregate", "judge", "compare", "report"), "report": ("report",), "nothing to do": ()}
MODELS = """
[{name}]
provider = "baselines"
seeds = {seeds}
rules.qmsum = {{ span = {words} }}
rules.squality = {{ span = {words} }}
rules.qasper = {{ any_of = [{{ fixed = "Yes" }}, {{ fixed = "No" }}, {{ span = 15 }}] }}
rules.quality = {{ any_of = [{{ fixed = "A" }}, {{ fixed = "B" }}, {{ fixed = "C" }}, {{ fixed = "D" }}] }}
rules.musique = {{ any_of = [{{ fixed = "Unanswerable" }}, {{ span = 3 }}] }}
"""
# What nobody can do without: the columns that are scored are read, and as many bytes of scores written.
FLOOR = """
import sys
from pathlib import Path
import pyarrow.parquet as pq
for stage in ("generate", "score"):
    for path in sorted(Path(sys.argv[1], "artifacts", stage).glob("*/*/*.parquet")):
        table = pq.read_table(path, use_threads=False, pre_buffer=False)
        pq.write_table(table, sys.argv[2], compression="zstd", compression_level=3)
"""


def command(scrollwork: str, folder: Path, home: Path, small: bool) -> list[str]:
    """The command that does whatever is missing."""
    tasks = [word for part in PARTS for word in ("--task", part.__name__)]
    made = [scrollwork, "--quiet", "run", "zeroscrolls", *tasks, "--engine", "inline"]
    made += ["--home", str(home), "--raw", str(folder / "raw"), "--models", str(folder / "models.toml")]
    return [*made, "--model", "many", "--model", "others", *(("--limit", "25") if small else ())]


def main(small: bool = False, base: str = "") -> Iterator[str]:
    """The lines of the report. base: the Python of another version."""
    with tempfile.TemporaryDirectory(prefix="scrollwork-rescore-") as place:
        folder = Path(place)
        tables = (("many", 25, 60), ("others", 24, 50))
        text = "".join(MODELS.format(name=name, seeds=seeds, words=words) for name, seeds, words in tables)
        (folder / "models.toml").write_text(text, encoding="utf-8")
        for part in PARTS:
            part(folder / "raw", max(2, corpus.PARTS[part] // (20 if small else 1)))
        spent = {}
        for name, at in {"here": sys.executable, **({"base": base} if base else {})}.items():
            home = folder / name
            asked = command(str(Path(at).with_name("scrollwork")), folder, home, small)
            cost(asked)
            for what, stages in AGAIN.items():
                for stage in stages:
                    shutil.rmtree(home / "artifacts" / stage)
                spent[name, what] = cost(asked).cpu_s
        floor = cost(python(FLOOR, str(folder / "here"), str(folder / "rewritten.parquet"))).cpu_s
        yield f"rescore, floor (Parquet of answers and scores read and written once): {floor:.1f} s of CPU"
        for what in AGAIN:
            own = spent["here", what]
            beside = f", {own / spent['base', what]:.2f} of the base's {spent['base', what]:.1f} s" if base else ""
            yield f"rescore, {what}: {own:.1f} s of CPU, {own / floor:.1f} of the floor{beside}"


if __name__ == "__main__":
    for line in main("--small" in sys.argv):
        print(line, flush=True)
