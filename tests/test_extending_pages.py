"""Pages of docs/extending/: whoever follows one gets what it promises. Their code is taken from the pages as it is.

An option, a design and a section are added in tests/suites/test_options.py, tests/designs/test_toy_design.py and
tests/reporting/test_new_section.py.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.conftest import PROJECT, Scrollwork, edit, environment

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


@pytest.mark.slow
def test_column_of_the_page_is_not_on_every_board(work: Scrollwork) -> None:
    value, texts = blocks("column")
    before(
        work.root / "reporting/boards/board.py", "    @property\n    def note", textwrap.indent(value, "    ") + "\n"
    )

    def with_texts(text: str) -> str:
        for function in re.split(r"\n{3}", texts.strip()):
            text, changed = re.subn(
                rf"^{re.escape(function.partition('(')[0])}\(.*?(?=^def )",
                lambda _, function=function: f"{function}\n\n\n",
                text,
                flags=re.MULTILINE | re.DOTALL,
            )
            assert changed == 1
        return text

    edit(work.root / "reporting/boards/leaderboard.py", with_texts)
    shown = work("run", "zeroscrolls", "--sample", "--task", "squality", "--model", "naive:seed=0", *INLINE[:2]).out
    assert re.search(r"Avg +answered %", shown)
    assert re.search(r"^naive:seed=0 .* 100\.0$", shown, re.MULTILINE)
    for kind, file, found in (
        ("markdown", "zeroscrolls-all.md", r"\| average \| answered % \| n \|"),
        ("latex", "zeroscrolls-all.tex", r"naive:seed=0 & .* & 100\.0 & 10/10 "),
        ("html", "zeroscrolls-all.html", '<th scope="col" class="average" data-key="answered %">answered %</th>'),
    ):
        work("report", "zeroscrolls", "--format", kind)
        text = (work.home / "reports" / file).read_text(encoding="utf-8")
        assert re.search(found, text), kind
    assert text.count('<td class="average">100.0</td>') == 1


def test_logs_of_the_page_are_not_compared(work: Scrollwork) -> None:
    put(work.root / "exchange/logs/tally.py", blocks("log_reader")[0])
    before(work.root / "exchange/logs/read.py", '    "helm": ', '    "tally": "results of Tally",\n')
    for model, low in (("alpha", 0), ("beta", 1)):
        rows = [
            {"tally": "facts", "model": model, "item": f"q{n}", "document": n // 2, "points": max(low, n % 2)}
            for n in range(40)
        ]
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (work.home.parent / f"{model}.jsonl").write_text(lines + "{cut", encoding="utf-8")
    pair = [str(work.home.parent / f"{name}.jsonl") for name in ("alpha", "beta")]
    ((row,),) = [one["tasks"] for one in work("compare", *pair, "--json").document["pairs"]]
    assert (row["task"], row["metric"], row["n"], row["clusters"]) == ("facts", "points", 40, 20)
    assert (row["paired_by"], row["difference"]) == ("id", -0.5)
    assert "1 line was left out, being no whole JSON" in work("compare", *pair).err


@pytest.mark.slow
def test_alert_of_the_page_says_nothing(work: Scrollwork) -> None:
    (code,), (entry,) = blocks("alert"), blocks("alert", "yaml")
    before(work.root / "flows/alerts.py", "def of_versions(", f"{code}\n\n")
    edit(work.root / "flows/alerts.py", lambda text: text.replace("of_ends)", "of_ends, of_thin)", 1))
    edit(work.root / "deploy/automations.yaml", lambda text: f"{text}\n{textwrap.indent(entry, '  ')}")
    program = """
        from types import SimpleNamespace as some
        from scrollwork.flows import alerts
        from scrollwork.flows.server.automations import shipped
        tasks = [some(task="qasper", answered=9, expected=10, alarms=False), some(task="qmsum", answered=10, expected=10, alarms=False)]
        row = some(name="n1", suite="s", failed=0, sentence="", causes=(), models=[some(model="m", tasks=tasks)])
        told = list(alerts.of_thin(None, some(row=row)))
        (mine,) = [one for one in shipped() if one["name"] == "scrollwork: unanswered"]
        assert mine["trigger"]["expect"] == [told[0][0]] and mine["trigger"]["threshold"] == 1
        print([text for _, _, text, _ in told], list(alerts.of_thin(None, some(row=None))))
    """
    said = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=work.root,
        env=environment(PYTHONPATH=str(work.root)),
        capture_output=True,
        text=True,
    )
    assert said.stdout == "['Night n1: m left inputs without answers in qasper'] []\n", said.stderr
