"""Planning a large run, SEAM with 50 models, beside what no plan of it can do without: a digest of each key's text.

Printed too: what a task of Prefect is sent, beside the nodes with all that they need; and planning in homes with
epochs (docs/fresh.md), beside a home without one. The epochs are of the planned models in turn. Half of the homes have
epochs that cover all that is planned, so that the newest is read; the others have epochs of other inputs, so that each
is looked at and none is read.
"""

from __future__ import annotations

import json
import tempfile

from benchmarks.kit.measure import cost, python

PLAN = """
import json, pickle, sys, time
from dataclasses import replace
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import plan
from scrollwork.pipeline.planner import Planner
from scrollwork.storage.digest import sha256_of
from scrollwork.suites.request import Request
home, models, out = sys.argv[1:]
models = tuple(f"compatible:m{number}" for number in range(int(models)))
asked = Request.of("seam", home=home, sample=True, models=models, base_url="http://127.0.0.1:9/v1")
began = time.process_time()
chain = Chain(asked)
planned = plan(chain)
whole = time.process_time() - began
planner = Planner(chain.session)
texts = [made for node, _ in planned.statuses if (made := planner.ingredients(node)) is not None]
for one in texts:
    one.key()
began = time.process_time()
for one in texts:
    sha256_of(vars(one))
floor = time.process_time() - began
began = time.process_time()
again = plan(chain)
second = time.process_time() - began
made = chain.plan(chain.evaluated)
sent = [len(pickle.dumps((node.name, "0" * 37, replace(made.locations, calling=None)))) for node in made.nodes]
nodes = sum(len(pickle.dumps((node, made.locations))) for node in made.nodes[::50]) * 50
json.dump([len(planned.statuses), whole, floor, len(texts), second, sum(sent), nodes], open(out, "w"))
"""

WITH_EPOCHS = """
import json, sys, time
from scrollwork.flows.chains import Chain
from scrollwork.flows.epochs import asked_of
from scrollwork.flows.execute import plan
from scrollwork.storage.epochs import Register
from scrollwork.suites.request import Request
place, models, counts, out = sys.argv[1:]
models = tuple(f"compatible:m{number}" for number in range(int(models)))

def chain_in(home):
    asked = Request.of("seam", home=home, sample=True, models=models, base_url="http://127.0.0.1:9/v1")
    return Chain(asked)

def filled(home, count, covering):
    asked = asked_of(chain_in(home), models)
    for number in range(count):
        model, register = models[number % len(models)], Register(home)
        covers = asked[model] if covering else {digest[::-1]: 1 for digest in asked[model]}
        register.close(register.open(model, "planned", {}, now=1.8e9 + number), covers, "")

found = []
for count in map(int, counts.split(",")):
    for covering in (True, False) if count else (True,):
        home = f"{place}/{count}-{covering}"
        filled(home, count, covering)
        times, read = [], 0
        for _ in range(3):
            chain = chain_in(home)
            began = time.process_time()
            plan(chain)
            times.append(time.process_time() - began)
            read = len(chain.epochs.by_model)
        assert read == (min(count, len(models)) if covering else 0), (count, covering, read)
        found.append([count, covering, min(times)])
json.dump(found, open(out, "w"))
"""


def with_epochs(place: str) -> str:
    """Return the line about planning in homes with epochs."""
    out = f"{place}/epochs.json"
    cost(python(WITH_EPOCHS, place, "50", "0,10,50,1000", out))
    with open(out, encoding="utf-8") as stream:
        (_, _, plain), *others = json.load(stream)
    told = [
        f"{count:,} {'that are read' if covering else 'of other inputs'} {seconds / plain:.2f}x"
        for count, covering, seconds in others
    ]
    return f"the same plan by epochs in the home: 0 {plain:.2f} s of CPU, {', '.join(told)}"


def main() -> list[str]:
    """The lines of the report."""
    with tempfile.TemporaryDirectory() as home:
        out = f"{home}/figures.json"
        spent = cost(python(PLAN, f"{home}/home", "50", out))
        with open(out, encoding="utf-8") as stream:
            count, whole, floor, keys, second, sent, nodes = json.load(stream)
        empty = cost(python("import scrollwork.flows.execute"))
        epochs = with_epochs(home)
    plan = (
        f"planning SEAM, 50 models, 10 runs, 6 data sets: {count:,} nodes in {whole:.2f} s of CPU, "
        f"{whole / floor:.1f}x the digests of {keys:,} keys alone ({floor:.2f} s), again {second:.2f} s"
    )
    memory = f"{spent.peak_mb:.0f} MB with all keys, {spent.peak_mb / empty.peak_mb:.1f}x the imports alone"
    task = f"sent to tasks of Prefect: {sent / 1e6:.2f} MB for all, {sent / nodes:.4f}x nodes with what they need"
    return [f"{plan}; {memory}", task, epochs]


if __name__ == "__main__":
    print("\n".join(main()))
