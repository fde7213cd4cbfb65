"""A whole ZeroSCROLLS at the published sizes, built and rendered by the real command; memory, and time over documents.

Documents are taken once (4,378 inputs), twice and four times. The suite's sampling caps a task at 500 inputs, so the
time a document falls a little; it must not rise.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.kit.corpus import write
from benchmarks.kit.measure import cost, python

BUILD = """
import sys
from scrollwork.cli.main import main
raw, home = sys.argv[1:]
sys.exit(main(["--home", home, "--quiet", "build", "zeroscrolls", "--raw", raw, "--engine", "inline"]))
"""


def main(small: bool = False) -> list[str]:
    """The lines of the report. small: a twentieth of the documents."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for times in (1, 2, 4):
            raw, home = Path(folder) / f"raw-{times}", Path(folder) / f"home-{times}"
            documents = write(raw, times / 20 if small else times)
            spent = cost(python(BUILD, str(raw), str(home)))
            inputs, words = prompts(home)
            found.append(
                f"whole ZeroSCROLLS {times}x ({documents:,} documents, {inputs:,} inputs of {words / inputs:,.0f} "
                f"words): {spent.cpu_s:.1f} s of CPU, {1e3 * spent.cpu_s / documents:.2f} ms a document, "
                f"{spent.wall_s:.1f} s, peak {spent.peak_mb:.0f} MB (at most 1,500)"
            )
    return found


def prompts(home: Path) -> tuple[int, int]:
    """(prompts, words in them) of a home."""
    manifests = home.glob("artifacts/prompt/*/*/manifest.json")
    facts = [json.loads(path.read_text(encoding="utf-8"))["facts"] for path in manifests]
    return sum(one["prompts"] for one in facts), sum(one["words"] for one in facts)


if __name__ == "__main__":
    print("\n".join(main("--small" in sys.argv)))
