"""kill -9 in each way of asking: nothing is lost, and nothing is paid twice beyond what was in flight."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.server import Rehearsal
from tests.conftest import Scrollwork

AT_ONCE = 4
ANSWERS = 121  # of the bundled sample
KEY = "sk-0123456789abcdefghij"
TABLES = """
[luna]
provider = "openai"
id = "gpt-6-luna"
vendor = "openai"
base_url = "{openai}"
server = "simulated"
concurrency = 4
[fable]
provider = "anthropic"
id = "claude-fable-5-2"
vendor = "anthropic"
base_url = "{anthropic}"
server = "simulated"
reasoning_tokens = 25000
extra = {{ output_config = {{ effort = "low" }} }}
concurrency = 4
[gemini]
provider = "compatible"
id = "gemini-3.8-flash"
vendor = "gemini"
base_url = "{gemini}"
server = "simulated"
key_env = "OPENAI_API_KEY"
concurrency = 4
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("model", "way"),
    [
        ("luna", "standard"),
        ("luna", "flex"),
        ("luna", "batch"),
        ("fable", "standard"),
        ("fable", "batch"),
        ("gemini", "flex"),
    ],
)
def test_kill_in_a_way_of_asking_pays_twice_or_loses(
    scrollwork: Scrollwork, tmp_path: Path, model: str, way: str
) -> None:
    """Five kills at any moment; flex is refused three times in ten. The vendors' own bill is the witness."""
    rng, kills = random.Random(f"{model} {way}"), 5
    with Rehearsal(Clock(), flex_refused=0.3, latency_s=0.08, batch_s=6.0) as vendors:
        tables = tmp_path / "models.toml"
        tables.write_text(TABLES.format(**{name: vendors.url(name) for name in ("openai", "anthropic", "gemini")}))
        work = scrollwork.with_(
            home=tmp_path / "home", env={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
        )
        asked = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--model", model, "--models", str(tables))
        asked += ("--way", way, "--json", "--quiet")
        for _ in range(kills):
            process = work.start(*asked)
            began, paid = time.monotonic(), len(vendors.world.ledger.lines())
            while process.poll() is None and time.monotonic() - began < 60:
                if len(vendors.world.ledger.lines()) > paid or vendors.world.batches:
                    break
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.6))
            process.kill()
            process.wait()
        spent = work(*asked).document
        assert all(row["coverage"]["answered"] == row["coverage"]["expected"] for row in spent["tasks"]), spent["tasks"]
        lines = vendors.world.ledger.lines()
        most = ANSWERS if way == "batch" else ANSWERS + kills * AT_ONCE
        assert ANSWERS <= len(lines) <= most
        assert work(*asked).document["spent"]["calls"] == 0
        assert len(vendors.world.ledger.lines()) == len(lines)
        if way == "flex":
            assert sum(line.service == "flex" for line in lines) > 0.9 * len(lines)
