"""Pages of docs/extending/: whoever follows one gets what it promises. Their code is taken from the pages as it is.

An option, a design and a section are added in tests/suites/test_options.py, tests/designs/test_toy_design.py and
tests/reporting/test_new_section.py.
"""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from tests.conftest import PROJECT, Scrollwork, edit

INLINE = ("--engine", "inline", "--quiet")
LAMP = '\n[lamp-1]\nprovider = "lighthouse"\nid = "lamp-1"\ncontext = 32768\ntokenizer = "estimate"\n'
ECHO = '\n[echo]\nprovider = "echo"\n'


def blocks(page: str, language: str = "python") -> list[str]:
    """The code of a page, block by block."""
    text = (PROJECT / "docs" / "extending" / f"{page}.md").read_text(encoding="utf-8")
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(one) for one in found]


def put(path: Path, text: str) -> None:
    """Write a new file."""
    assert not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def before(path: Path, mark: str, added: str) -> None:
    """Put lines before the first place where a text stands in a file."""
    edit(path, lambda text: text.replace(mark, added + mark, 1))


@pytest.fixture
def work(scrollwork: Scrollwork, tree: Path) -> Scrollwork:
    """The command of a tree that is to be changed."""
    return scrollwork.with_(root=tree)


def test_metric_of_the_page_scores_nothing(work: Scrollwork) -> None:
    put(work.root / "scoring/metrics/contains.py", blocks("metric")[0])
    before(work.root / "scoring/names.py", "}\n", '    "contains": "scrollwork.scoring.metrics.contains",\n')
    pairs = work.home.parent / "pairs.jsonl"
    pairs.write_text(
        '{"id": "1", "prediction": "It is Mira.", "references": ["mira"]}\n'
        '{"id": "2", "prediction": "No.", "references": ["mira"]}\n'
    )
    assert work("score", "--metric", "contains", "--pairs", str(pairs), "--json").document["value"] == 50


def test_data_set_and_suite_of_the_pages_are_not_found(work: Scrollwork) -> None:
    put(work.root / "preprocessing/datasets/harbour_log.py", blocks("data_set")[0])
    put(work.root / "sample/raw/harbour_log/test.jsonl", blocks("data_set", "jsonl")[0])
    put(work.root / "config/suites/harbour.toml", blocks("suite", "toml")[0])
    (row,) = work("build", "harbour", "--sample", "--json", *INLINE, status=1).document
    assert (row["examples"], row["dropped"]) == (1, {"missing field": 1})
    refused = work("run", "harbour", "--sample", "--model", "naive", *INLINE, status=2)
    assert "model 'naive' is defined for zeroscrolls, scrolls, seam only, not for harbour" in refused.err
    naive = '[naive]\nprovider = "baselines"\nsuites = ['
    edit(work.root / "config/models.toml", lambda text: text.replace(naive, naive + '"harbour", ', 1))
    before(work.root / "config/models.toml", "rules.gov_report", "rules.harbour_log = { span = 5 }\n")
    ran = work("run", "harbour", "--sample", "--model", "naive:seed=0", "--json", *INLINE, status=1)
    assert ran.document["averages"]["naive:seed=0"] is not None


def test_vendor_of_the_page_is_not_known(work: Scrollwork) -> None:
    put(work.root / "config/vendors/lighthouse.toml", blocks("vendor", "toml")[0])
    (lamp,) = [row for row in work("models", "--json").document if row["model"].startswith("lighthouse:")]
    assert (lamp["model"], lamp["context"], lamp["price"][0]["cached"]) == ("lighthouse:lamp-2", 131072, 0.05)
    asked = ("zeroscrolls", "--sample", "--task", "qasper", "--model", "lighthouse:lamp-2-20261101")
    (row,) = work("estimate", *asked, "--json").document
    fresh, cached = row["input_tokens"] - row["cached_tokens"], row["cached_tokens"]
    usd = (0.5 * fresh + 0.05 * cached + 2.0 * row["output_tokens"]) / 1e6
    assert row["price"]["online"] == pytest.approx(usd)
    refused = work("run", *asked, *INLINE, status=2)
    assert "set LIGHTHOUSE_API_KEY in the environment" in refused.err


def test_stage_of_the_page_leaves_no_table(work: Scrollwork) -> None:
    module, row, method, needed = blocks("stage")
    put(work.root / "tasks/vocabulary.py", module)
    before(work.root / "records/statistics.py", "@dataclass(frozen=True)\n", f"{row}\n\n")
    chains = work.root / "flows/chains.py"
    edit(chains, lambda text: text.replace("statistics, tokens\n", "statistics, tokens, vocabulary\n", 1))
    before(chains, "    def overview(self", textwrap.indent(method, "    ") + "\n")
    stated = "        return [self.statistics(part) for part in parts(self.request)]\n"
    edit(chains, lambda text: text.replace(stated, textwrap.indent(needed, " " * 8), 1))
    work("build", "zeroscrolls", "--sample", "--task", "squality", *INLINE)
    (manifest,) = (work.home / "artifacts" / "vocabulary").glob("*/*/manifest.json")
    facts = json.loads(manifest.read_text(encoding="utf-8"))["facts"]
    assert facts["words"] > facts["different"] > 100
    assert {
        row["state"] for row in work("plan", "zeroscrolls", "--sample", "--task", "squality", "--json").document
    } == {"reused"}


def test_provider_of_the_page_is_none(work: Scrollwork) -> None:
    put(work.root / "models/hosted/lighthouse.py", blocks("provider")[0])
    tables = work.root / "models/hosted/tables.py"
    before(work.root / "models/vendors/keys.py", '    "compatible": ("chat"', '    "lighthouse": ("chat",),\n')
    edit(
        tables, lambda text: text.replace("BASE_URLS = {", 'BASE_URLS = {"lighthouse": "https://lamp.example/v1", ', 1)
    )
    edit(tables, lambda text: text.replace("KEY_ENV = {", 'KEY_ENV = {"lighthouse": "LIGHTHOUSE_API_KEY", ', 1))
    edit(work.root / "config/models.toml", lambda text: text + LAMP)
    ask = ("--sample", "--task", "qasper", "--model", "lamp-1", *INLINE)
    assert "lamp-1" in work("estimate", "zeroscrolls", *ask).out
    refused = work("run", "zeroscrolls", *ask, status=None)
    assert "no key; set LIGHTHOUSE_API_KEY in the environment" in refused.err


def test_model_and_export_of_the_pages_write_nothing(work: Scrollwork) -> None:
    put(work.root / "models/baselines/echo.py", blocks("model")[0])
    before(
        work.root / "models/registry.py", '    "planted": "scroll', '    "echo": "scrollwork.models.baselines.echo",\n'
    )
    edit(work.root / "config/models.toml", lambda text: text + ECHO)
    lines, writer = blocks("export")
    put(work.root / "reporting/exchange/plain_lines.py", lines)
    trials = work.root / "exchange/export_logs.py"
    edit(trials, lambda text: text.replace("lm_eval_files\n", "lm_eval_files, plain_lines\n", 1))
    before(trials, "WRITERS: Mapping", f"{writer}\n\n")
    before(trials, '    "eee": write_eee', '    "plain": write_plain,\n')
    edit(
        work.root / "cli/options.py",
        lambda text: text.replace('"eee", "observations")', '"eee", "plain", "observations")'),
    )
    asked = ("zeroscrolls", "--sample", "--task", "qasper", "--model", "echo")
    work("run", *asked, *INLINE)
    out = work.home.parent / "plain"
    work("export", "plain", *asked, "--out", str(out))
    (path,) = out.glob("*/echo.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {row["task"] for row in rows} == {"qasper"}
    assert len(rows) > 5


def test_command_of_the_page_is_not_taken(work: Scrollwork) -> None:
    entry, module = blocks("command")
    before(work.root / "cli/housekeeping.py", '    "status": (', textwrap.indent(entry, "    "))
    put(work.root / "cli/commands/letters.py", module)
    file = work.home.parent / "some.txt"
    file.write_text("tide", encoding="utf-8")
    assert work("letters", str(file), "--json").document == {"characters": 4}
    assert "nowhere: no such file" in work("letters", "nowhere", status=2).err
    assert "example: scrollwork letters README.md" in work("letters", "--help").out
