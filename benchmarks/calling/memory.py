"""Memory of a run that asks a hosted model, over the number of prompts: 1,100 and 4,378 of real length, by the real
command against the loopback vendors in a process of their own. `estimate` builds the prompts before: the peak is of the
calls and the scores."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.kit.corpus import write
from benchmarks.kit.measure import ROOT, Cost, cost, python

COMMAND = """
import os, sys
from scrollwork.cli.main import main
os.environ["OPENAI_API_KEY"] = "none-is-needed-here"
command, raw, home, models, *more = sys.argv[1:]
chosen = ["--raw", raw, "--models", models, "--model", "gpt"]
sys.exit(main(["--home", home, "--quiet", command, "zeroscrolls", *chosen, *more]))
"""
TABLE = '[gpt]\nprovider = "openai"\nid = "g"\nserver = "loopback"\nbase_url = "{}/v1"\nconcurrency = 32\n'


def asked(folder: Path, limit: int, url: str) -> tuple[int, Cost]:
    """(prompts, what asking and scoring all of them cost) at so many inputs a task, 0 for all."""
    home, models = folder / f"home-{limit}", folder / "models.toml"
    models.write_text(TABLE.format(url), encoding="utf-8")
    arguments = (str(folder / "raw"), str(home), str(models), "--limit", str(limit))
    cost(python(COMMAND, "estimate", *arguments))
    spent = cost(python(COMMAND, "run", *arguments, "--engine", "inline"))
    manifests = home.glob("artifacts/generate/*/*/manifest.json")
    facts = [json.loads(path.read_text(encoding="utf-8"))["facts"] for path in manifests]
    count, answered = (sum(one[name] for one in facts) for name in ("expected", "answered"))
    assert answered == count > 0, f"{answered:,} of {count:,} answered"
    return count, spent


def main(small: bool = False) -> list[str]:
    """The lines of the report. small: a tenth of it."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.servers.vendor"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        lines, peaks = [], []
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder) / "raw", 0.1 if small else 1)
            for limit in (11, 44) if small else (110, 0):
                count, spent = asked(Path(folder), limit, url)
                peaks.append(spent.peak_mb)
                lines.append(
                    f"calls of a hosted model, {count:,} prompts: peak {spent.peak_mb:.0f} MB, {spent.cpu_s:.1f} s of "
                    f"CPU with scoring, {spent.wall_s:.1f} s"
                )
        return [*lines, f"peak at four times the prompts: {peaks[1] / peaks[0]:.2f} times"]
    finally:
        server.kill()
        server.communicate()


if __name__ == "__main__":
    print("\n".join(main("--small" in sys.argv)))
