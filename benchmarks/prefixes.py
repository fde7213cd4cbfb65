"""Order by document: the share of input tokens that a vendor's prefix cache gives back, on real prompts.

Against a loopback vendor that accounts as vendors say they do: a prefix of at least 1,024 tokens, in steps of 128
(OpenAI) or up to a breakpoint (Anthropic), written when the reply is done, forgotten when not used for a while. Time is
run 600 times as fast: a reply takes 0.1 s, not a minute, a prefix lives 0.5 s, not five minutes, and eight
requests are in flight: the run of an hour. The limit: of every document all but the first prompt's prefix comes
from the cache. Random: the same calls shuffled, each for itself. Without the shared data the bundled sample is asked.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

from scrollwork.flows.chains import Chain
from scrollwork.models.base import Answer, Call
from scrollwork.models.hosted.model import Hosted
from scrollwork.models.registry import make, settings
from scrollwork.models.vendors.shared_prefixes import with_shared_prefixes
from scrollwork.pipeline.plan import topological
from scrollwork.pipeline.session import Locations, Session
from scrollwork.readings.estimate import built_inputs
from scrollwork.suites.request import Request
from scrollwork.tasks.generate.pending import Calls
from tests.servers.texts import tokens
from tests.servers.vendor import running

TASKS = ("qmsum", "squality")
LATENCY_S, LIFE_S, CONCURRENCY = 0.1, 0.5, 8
SHARED = Path(os.environ.get("SCROLLWORK_SHARED", "../shared")) / "data" / "raw"
MODELS = {"openai:gpt-bench": "/v1", "anthropic:claude-bench": ""}


def main() -> list[str]:
    """The lines of the report."""
    found = []
    os.environ.setdefault("OPENAI_API_KEY", "sk-bench-only")
    os.environ.setdefault("ANTHROPIC_API_KEY", "sk-bench-only")
    for spec, path in MODELS.items():
        with tempfile.TemporaryDirectory() as home:
            model = make(spec, settings(spec, {}), "")
            assert isinstance(model, Hosted)
            calls = prompts(home, spec, model)
        limit = best(calls)
        ours = served(spec, path, calls)
        shuffled = Random(1).sample(calls, len(calls))
        random = served(spec, path, [replace(call, ask=replace(call.ask, shared_prefixes=())) for call in shuffled])
        documents = len({call.ask.prefix_digest for call in calls})
        found.append(
            f"prefixes, {spec.partition(':')[0]}: {len(calls):,} prompts on {documents:,} documents: "
            f"{100 * ours:.1f} % of input tokens from the cache, in random order {100 * random:.1f} %, "
            f"limit {100 * limit:.1f} %"
        )
    return found


def prompts(home: str, spec: str, model: Hosted) -> list[Call]:
    """The calls of both tasks, in the order in which a run has them."""
    raw = str(SHARED) if SHARED.is_dir() else ""
    request = Request.of("zeroscrolls", home=home, raw=raw, sample=not raw, tasks=TASKS, models=(spec,))
    session = Session(Locations(request.home, request.raw))
    calls: list[Call] = []
    for node in topological(Chain(request).scored):
        if node.asks:
            inputs = built_inputs(node, session)
            batches = Calls(node, model, inputs, by_prefix=True).batches()
            calls += with_shared_prefixes(call for batch in batches for call in batch)
    return calls


def best(calls: Iterable[Call]) -> float:
    """The share when every prefix is sent once."""
    seen: set[str] = set()
    total = cached = 0
    for call in calls:
        total += tokens(call.ask.prompt)
        prefix = tokens(call.ask.prefix_text)
        cached += prefix if call.ask.prefix_digest in seen else 0
        seen.add(call.ask.prefix_digest)
    return cached / total


def served(spec: str, path: str, calls: list[Call]) -> float:
    """The share that the vendor served from its cache."""
    with running(latency_s=LATENCY_S) as vendor:
        vendor.openai_cache.life_s = vendor.anthropic_cache.life_s = LIFE_S
        table = {**settings(spec, {}), "base_url": vendor.url + path}
        table |= {"concurrency": CONCURRENCY, "concurrency_start": CONCURRENCY}
        model = make(spec, table, "")
        answers = [result for result in model.answer(calls) if isinstance(result, Answer)]
    assert len(answers) == len(calls)
    return sum(one.usage.cached_tokens or 0 for one in answers) / sum(one.usage.input_tokens or 0 for one in answers)
