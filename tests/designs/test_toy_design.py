"""An experiment that nobody thought of is one module of designs/, and changes no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Scrollwork

TWICE = '''"""Every prompt is asked twice, the second time with the options of a question reversed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scrollwork.designs.fixed import Fixed
from scrollwork.suites.options import option

ORDERS = ("stated", "reversed")
GROUP = "options in two orders"


@dataclass(frozen=True)
class Options:
    """What is asked of the two."""

    only: str | None = option(None, "this order alone", group=GROUP, choices=ORDERS)


class Twice(Fixed):
    """An order of the options is a shard with a sample of its own."""

    options, group, does = Options, GROUP, "ask in two orders"

    def shards(self, request, task):
        """One an order."""
        return 1 if request.of_design.only else len(ORDERS)

    def shard_labels(self, request, task, shard):
        """Which order."""
        return (("order", request.of_design.only or ORDERS[shard]),)

    def sample_labels(self, request, shard):
        """The same."""
        return self.shard_labels(request, None, shard)

    def sample(self, chain, part):
        """The usual sample; of the second order, with the options reversed (`run` below)."""
        from scrollwork.tasks.sample import run as sample

        node = sample.declare(part, chain.curate(part))
        return node if node.label("order") == "stated" else replace(node, body=__name__)

    def samples(self, chain, part):
        """Both."""
        return part.each_shard(chain.sample)

    def prompts(self, part):
        """All of the sample."""
        return None


DESIGN = Twice()


def run(node, inputs, session, writer):
    """Stage sample, the options of each question reversed."""
    from scrollwork.tasks.sample.run import Parameters, write_sample

    writer.facts = write_sample(map(turned, Parameters(**node.params).chosen(inputs["curated"])), writer)


def turned(example):
    """The example with its options in the other order; draw 1."""
    letters = "ABCD"[: len(example.options)]
    options = example.options[::-1]
    lines = [f" ({letter}) {text}" for letter, text in zip(letters, options)]
    question = example.query.split("\\n")[0]
    answers = tuple(letters[::-1][letters.index(one)] for one in example.references)
    return replace(example, query="\\n".join([question, "", *lines]), options=options, references=answers, draw=1)
'''
MODELS = '[always-a]\nprovider = "baselines"\nrules.quality = { fixed = "A" }\n'


@pytest.fixture
def twice(scrollwork: Scrollwork, tree: Path) -> Scrollwork:
    """The command of a tree with one module and one suite file more."""
    zeroscrolls = (tree / "config" / "suites" / "zeroscrolls.toml").read_text(encoding="utf-8")
    head = zeroscrolls[: zeroscrolls.index("[task.gov_report]")].replace(
        'name = "zeroscrolls"', 'name = "twice"\ndesign = "twice"'
    )
    task = re.search(r"\[task\.quality\]\n.*?\n\n", zeroscrolls, re.DOTALL)
    assert task is not None
    (tree / "config" / "suites" / "twice.toml").write_text(head + task[0], encoding="utf-8")
    (tree / "designs" / "twice.py").write_text(TWICE, encoding="utf-8")
    (tree / "own.toml").write_text(MODELS, encoding="utf-8")
    return scrollwork.with_(root=tree)


@pytest.mark.slow
def test_experiment_needs_more_than_its_module(twice: Scrollwork) -> None:
    ask = ("--sample", "--engine", "inline", "--models", "own.toml", "--model", "always-a")
    found = json.loads(twice("run", "twice", *ask, "--json", "--quiet").out)
    (row,) = found["tasks"]
    out = twice.home.parent / "prompts"
    twice("export", "prompts", "twice", "--sample", "--out", str(out))
    rows = [json.loads(line) for line in (out / "quality-test.jsonl").read_text(encoding="utf-8").split("\n") if line]
    gold = {(one["instance"], one["draw"]): one["references"][0] for one in rows}
    stated, turned = ({name: letter for (name, draw), letter in gold.items() if draw == number} for number in (0, 1))
    assert set(stated) == set(turned)
    assert all("ABCD".index(stated[name]) + "ABCD".index(turned[name]) == 3 for name in stated)
    texts = {(one["instance"], one["draw"]): one["prompt"] for one in rows}
    first = next(iter(stated))
    options = [re.findall(r"^ \([A-D]\) (.*)$", texts[first, draw], re.MULTILINE) for draw in (0, 1)]
    assert options[0] == options[1][::-1]
    assert len(options[0]) == 4
    right = sum(letter == "A" for letter in gold.values())
    assert row["value"] == pytest.approx(100 * right / len(gold))
    assert row["coverage"]["expected"] == len(gold)
    assert "--only {stated,reversed}" in " ".join(twice("run", "--help").out.split())
    one = json.loads(twice("run", "twice", *ask, "--only", "reversed", "--json", "--quiet").out)["tasks"][0]
    assert one["value"] == pytest.approx(100 * sum(letter == "A" for letter in turned.values()) / len(turned))
    refused = twice("run", "zeroscrolls", *ask, "--only", "stated", status=2)
    assert "--only: zeroscrolls does not ask in two orders" in refused.err
    assert "nothing was to be done" in twice("run", "twice", *ask, "--only", "reversed").err


def test_module_of_an_experiment_changes_keys_of_others(twice: Scrollwork) -> None:
    ask = ("--sample", "--engine", "inline", "--model", "lead", "--task", "quality")
    twice("run", "zeroscrolls", *ask, "--quiet")
    with (twice.root / "designs" / "twice.py").open("a", encoding="utf-8") as module:
        module.write("\nLATER = 1\n")
    states = {row["state"] for row in json.loads(twice("plan", "zeroscrolls", *ask, "--json").out)}
    assert states == {"reused"}
