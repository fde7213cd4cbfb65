"""Stored answers scored, aggregated, judged and reported, at numbers that grow: seconds of CPU and memory by stage.

Five models with 20 seeds each answer notes of about 60 words (`benchmarks.scale.corpus`) by a rule, so that answers,
not documents, are what there is much of. 1,000, 10,000 and 100,000 answers, a tenth with --small;
SCROLLWORK_SCALE_ANSWERS=1000000 takes the place of the largest. Each stage is taken away and made again alone.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.kit.measure import Cost, cost, python
from benchmarks.scale.corpus import NOTES_ALONE, lines, notes

ANSWERS = (1_000, 10_000, 100_000)
MODELS, SEEDS = 5, 20
WORDS = 60
STAGES = ("generate", "score", "aggregate", "judge", "compare", "report")
TABLE = '[m{}]\nprovider = "baselines"\nseeds = {}\nrules.notes = {{ span = {} }}\n'
CODE = """
import sys
from scrollwork.cli.main import main
folder, *models = sys.argv[1:]
chosen = [word for model in models for word in ("--model", model)]
places = ["--suite", f"{folder}/suite.toml", "--raw", f"{folder}/raw", "--models", f"{folder}/models.toml"]
how = ["--engine", "inline", "--workers", "1"]
sys.exit(main(["--home", f"{folder}/home", "--quiet", "run", *places, *how, *chosen]))
"""


def main(small: bool = False) -> Iterator[str]:
    """The lines of the report. small: a tenth of the answers."""
    sizes = [one // (10 if small else 1) for one in ANSWERS]
    if given := os.environ.get("SCROLLWORK_SCALE_ANSWERS"):
        sizes[-1] = int(given)
    for count in sizes:
        with tempfile.TemporaryDirectory(prefix="scrollwork-scale-") as place:
            write(Path(place), count // (MODELS * SEEDS))
            yield from of_size(Path(place), count // (MODELS * SEEDS) * MODELS * SEEDS)


def write(folder: Path, inputs: int) -> None:
    """Write the suite with its notes alone, the models and so many notes below a folder."""
    (folder / "suite.toml").write_text(NOTES_ALONE, encoding="utf-8")
    tables = "".join(TABLE.format(number, SEEDS, 5 + number) for number in range(MODELS))
    (folder / "models.toml").write_text(tables, encoding="utf-8")
    rows = notes(0, WORDS)
    lines(folder / "raw" / "notes" / "0.jsonl", (next(rows) for _ in range(inputs)))


def of_size(folder: Path, count: int) -> Iterator[str]:
    """What each stage costs at so many answers; the whole run before it costs the rest."""
    command = python(CODE, str(folder), *(f"m{number}" for number in range(MODELS)))
    whole = cost(command)
    idle = cost(command)
    size = sum(one.stat().st_size for one in (folder / "home").glob("responses.db*"))
    yield f"{count:,} answers of {MODELS} models: {line(whole, count)}; store {size / count:,.0f} bytes an answer"
    for stage in STAGES:
        shutil.rmtree(folder / "home" / "artifacts" / stage)
        spent = cost(command)
        own = Cost(spent.cpu_s - idle.cpu_s, spent.wall_s - idle.wall_s, spent.peak_mb)
        written = sum(
            one.stat().st_size for one in (folder / "home" / "artifacts" / stage).rglob("*.*") if one.is_file()
        )
        yield f"  {stage} again: {line(own, count)}; {written / count:,.0f} bytes an answer"
    yield f"  nothing to do: {line(idle, count)}"


def line(spent: Cost, count: int) -> str:
    """Seconds and memory of one command."""
    each = 1e6 * spent.cpu_s / count
    return f"{spent.cpu_s:.1f} s of CPU ({each:,.0f} ms per 1,000), peak {spent.peak_mb:.0f} MB"


if __name__ == "__main__":
    for told in main("--small" in sys.argv):
        print(told, flush=True)
