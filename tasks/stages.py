"""The stages of a request as nodes: what each runs, on what, with which parameters. Declarations only.

    curate -> sample -> prompt -> generate -> score -> aggregate -> report
                                                    -> judge -> compare -> report (tasks/judging.py)
                               -> statistics -> overview (of `build`)
    curate (another split) -> fit -> generate, for models with fitted rules
    prompt -> predictions -> score, for systems that ran elsewhere

prompt, generate and score of a big task are split into shards by document (`shards` in the suite file).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from scrollwork.fetching.upstream import upstream_of
from scrollwork.models.hosted.tables import temperature, what_answers
from scrollwork.models.local import local_tables
from scrollwork.models.registry import CALLED, HOSTED, LOCAL, module_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import Node, RawQuery
from scrollwork.preprocessing.curation import PROMPTS, PROMPTS_MODULE
from scrollwork.preprocessing.prompts.chat import answer_tag, asks_for_tag
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.preprocessing.runs.blocks import cue_of
from scrollwork.preprocessing.tokens.tokenizer import engine_module
from scrollwork.records.gold import KEPT
from scrollwork.records.prompt import CLOSED_BOOK, FULL
from scrollwork.records.score import subset_metric
from scrollwork.reporting.boards.published import ROUGE
from scrollwork.reporting.page.files import STATISTICS, digest, report_digest
from scrollwork.scoring.registry import module_of as metric_module
from scrollwork.suites.judging_models import labels_of, what_judges
from scrollwork.suites.model_tables import tables_of
from scrollwork.suites.outside_systems import PROVIDER, shown_name
from scrollwork.suites.parts import Part, parts, profile_of, seed_of
from scrollwork.suites.releases import release_options, release_query, upstream_values
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import Suite, TaskConfig, data_set_sizes, load_published, paper_means, paper_sizes
from scrollwork.suites.tokenizers import length_tokenizer
from scrollwork.tasks.report.behind_scores import behind

FIT_SPLIT = "train"  # what a model with fitted rules learns from, where its table does not say


def build_nodes(request: Request) -> list[Node]:
    """The last stages of `build` for every task and split: plain prompts, and what is counted of them."""
    return [statistics_node(part) for part in parts(request)]


def run_nodes(request: Request) -> list[Node]:
    """The last stage before the report for every model, task and split."""
    nodes = []
    for model, table in tables_of(request).items():
        suites, tasks = table.pop("suites", [request.suite]), table.pop("tasks", None)
        if request.suite not in suites:
            raise UsageError(f"model {model!r} is defined for {', '.join(suites)} only, not for {request.suite}")
        asked = [part for part in parts(request) if tasks is None or part.task.name in tasks]
        if not asked:
            raise UsageError(f"model {model!r} is defined for the tasks {', '.join(tasks)} only")
        profile = profile_of(request, table)
        nodes += [
            aggregate_node(replace(part, profile=profile, arm=arm, model=table.get("shown", model), table=table))
            for arm in request.chosen_arms()
            for part in asked
            if arm != CLOSED_BOOK or part.task.asks
        ]
    return nodes


def curate_node(part: Part) -> Node:
    """Raw files to documents, examples and drops."""
    task, request = part.task, part.request
    if part.imported:
        options = release_options(task)
        raw = release_query(request, task, part.split)
        return Node(
            "curate",
            part.base,
            curation(part, raw.dataset, options),
            "scrollwork.tasks.curate",
            entries(raw.dataset),
            raw=raw,
            strict=request.strict,
        )
    options = {**request.options_of(task), **({"seed": seed_of(request)} if task.seeded else {})}
    return Node(
        "curate",
        part.base,
        curation(part, task.dataset, options),
        "scrollwork.tasks.curate",
        (*entries(task.dataset), *([PROMPTS_MODULE] if PROMPTS in task.raw else [])),
        raw=RawQuery(task.dataset, task.raw, {**upstream_values(request, task, part.split), **options}),
        strict=request.strict,
    )


def curation(part: Part, dataset: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of curation by a data set's module."""
    observed = {"units": part.task.windows["units"]} if part.task.windows else {}
    return {"dataset": dataset, "task": part.task.name, "split": part.split, "options": options, **observed}


def entries(dataset: str) -> tuple[str, ...]:
    """What curation loads by name: the data set's module."""
    return (f"scrollwork.preprocessing.datasets.{dataset}",)


def sample_node(part: Part) -> Node:
    """Curated examples to the benchmark's; where the suite draws, to those of a run."""
    request = part.request
    if part.run:
        return drawn_node(part)
    chosen = sampling(part.task, part.split, request)
    if part.imported:  # a release is the benchmark: taken whole, in its order
        chosen = {"limit": request.limit} if request.limit else {}
    policy = {"suite": request.suite, "seed": seed_of(request), **chosen}
    if part.task.windows:
        policy |= {"observed": dict(part.task.observed(request.units)), "strategy": request.strategy or "all"}
    body = f"scrollwork.tasks.sample.{'windows' if part.task.windows else 'run'}"
    return Node("sample", part.base, policy, body, (), (("curated", (curate_node(part),)),))


def drawn_node(part: Part) -> Node:
    """Curated examples to those of a run, whose key no other run is part of."""
    request, task = part.request, part.task
    sizes = request.config.runs
    how = {
        "seed": seed_of(request),
        "shots": sizes["shots"] if request.shots is None else request.shots,
        "most": request.most,
        "ids": list(task.mention_ids),
        **({"vary": list(request.vary)} if request.vary else {}),
    }
    block = request.config.template(task, request.prompts)["block"]
    params = {"suite": request.suite, "task": task.name, "run": part.shard, "how": how, "block": block}
    inputs: list[tuple[str, tuple[Node, ...]]] = [("curated", (curate_node(part),))]
    if request.draws == "official":
        before = official_order(part)
        others = (replace(part, task=other, split=split) for other in before for split in other.splits)
        inputs.append(("official", tuple(map(curate_node, others))))
        params |= {"official": [[other.name, list(other.splits)] for other in before], "runs": request.run_count}
        params["how"] = {**how, "most": request.most_drawn}  # --limit takes of a run and draws nothing from the stream
        params |= {"limit": request.limit} if request.limit else {}
    return Node("sample", (*part.base, *part.run), params, "scrollwork.tasks.sample.runs", (), tuple(inputs))


def official_order(part: Part) -> list[TaskConfig]:
    """The tasks of a request through which the official stream goes up to this one."""
    from scrollwork.preprocessing.runs.official_draws import ORDER  # loaded for suites that draw only

    chosen = {task.name: task for task in part.request.chosen_tasks()}
    names = [name for name in ORDER if name in chosen]
    return [chosen[name] for name in names[: names.index(part.task.name) + 1]]


def samples(part: Part) -> tuple[Node, ...]:
    """The benchmark's examples: of every run where the suite draws."""
    return tuple(part.each_shard(sample_node)) if part.run else (sample_node(part),)


def sampling(task: TaskConfig, split: str, request: Request) -> dict[str, Any]:
    """The task's sampling policy for a split. Where both splits are cut from the same raw files, validation takes what
    comes after the test inputs."""
    policy = dict(task.sample)
    if split == "validation" and request.config.validation_size:
        size = request.config.validation_size
        skip = {"skip": policy["size"]} if task.one_source else {}
        strata = {"strata": scaled(policy["strata"], size)} if "strata" in policy else {}
        policy = {**policy, "size": size, **strata, **skip}
    return {**policy, "limit": request.limit} if request.limit else policy


def scaled(strata: Mapping[str, int], size: int) -> dict[str, int]:
    """The same shares of a smaller whole."""
    whole = sum(strata.values())
    return {name: round(count * size / whole) for name, count in strata.items()}


def tokens_node(part: Part) -> Node:
    """The sample's documents counted by the profile's tokenizer."""
    return counted_node(sample_node(part), part.profile.tokenizer)


def counted_node(sample: Node, tokenizer: str) -> Node:
    """A sample's documents counted by a tokenizer."""
    inputs = (("curated", (sample.input("curated"),)), ("sample", (sample,)))
    labels = (*sample.labels, ("tokenizer", tokenizer))
    return Node("tokens", labels, {"tokenizer": tokenizer}, "scrollwork.tasks.tokens", engines(tokenizer), inputs)


def engines(tokenizer: str) -> tuple[str, ...]:
    """The module that makes a tokenizer, as modules of a node; () for an estimate and where there is none."""
    return tuple(filter(None, [engine_module(tokenizer)])) if tokenizer else ()


def prompt_node(part: Part) -> Node:
    """Examples to prompts of one profile."""
    task, name = part.task, part.profile.tokenizer
    params = {
        "template": part.request.config.template(task, part.profile.prompts),
        "profile": asdict(part.profile),
        "arm": part.arm,
        "max_new_tokens": part.request.config.new_tokens(task, part.profile.prompts),
        "chat_sentence": part.request.config.chat_sentence,
    }
    if task.shards > 1 and not part.run:
        params["shard"] = [part.shard, task.shards]
    own = replace(part, model="")
    inputs = [("curated", (curate_node(part),)), ("sample", (sample_node(part),))]
    if name and part.arm == FULL:
        inputs.append(("tokens", (tokens_node(part),)))
    return Node("prompt", own.sharded, params, "scrollwork.tasks.prompt", engines(name), tuple(inputs))


def answers_node(part: Part) -> Node:
    """Where the answers to prompts come from: a model that is asked, or files of a system that ran elsewhere."""
    return predictions_node(part) if (part.table or {}).get("provider") == PROVIDER else generate_node(part)


def predictions_node(part: Part) -> Node:
    """Prompts to the answers in a file of predictions."""
    files = [file for file in (part.table or {})["files"] if part.task.name in file["tasks"]]
    inputs = [("curated", (curate_node(part),)), ("prompts", (prompt_node(part),)), ("sample", (sample_node(part),))]
    params = {"file": {name: files[0][name] for name in ("sha256", "task")}}
    return Node("predictions", part.sharded, params, "scrollwork.tasks.predictions", (), tuple(inputs))


def generate_node(part: Part) -> Node:
    """Prompts to a snapshot of the answers in the store."""
    table = dict(part.table or {})
    if "rules" in table:  # only what concerns this task is part of its key
        table["rules"] = {name: rule for name, rule in table["rules"].items() if name == part.task.name}
    if table["provider"] in HOSTED:  # nor its price, limits and the like
        table = what_answers(table)
    elif table["provider"] in LOCAL:  # nor where it lies and what it runs on
        table = local_tables.what_answers(table)
    inputs = [("curated", (curate_node(part),)), ("prompts", (prompt_node(part),)), ("sample", (sample_node(part),))]
    if kind := table.get("rules", {}).get(part.task.name, {}).get("fit"):
        inputs.append(("fitted", (fit_node(part, kind, str(table.get("fit_split", FIT_SPLIT))),)))
    params = {"model": part.model, "settings": table}
    modules = (module_of(str(table["provider"])),)
    body = f"scrollwork.tasks.generate.{'hosted' if table['provider'] in CALLED else 'run'}"
    return Node("generate", part.sharded, params, body, modules, tuple(inputs))


def fit_node(part: Part, kind: str, split: str) -> Node:
    """Examples of another split, whose outputs are known, to what a heuristic takes from them. Raises UsageError."""
    model, task = part.model.partition(":")[0], part.task
    other = f"{model}:fit_split=SPLIT takes another (there are: {', '.join(task.splits)})"
    if split not in task.splits:
        raise UsageError(f"model {part.model!r}, task {task.name}: there is no split {split!r} to learn from; {other}")
    if split == part.split:
        raise UsageError(f"model {part.model!r} would be fitted on split {split}, which it is to be scored on; {other}")
    learned = replace(part, split=split, model="")
    curated = curate_node(learned)
    assert curated.raw is not None
    hint = f"model {part.model!r} takes its rule for {task.name} from split {split}; {other}"
    return Node(
        "fit",
        (*learned.base, ("rule", kind)),
        {"kind": kind, "template": dict(task.template)},
        "scrollwork.tasks.fit",
        (),
        (("curated", (replace(curated, raw=replace(curated.raw, hint=hint)),)),),
    )


def score_node(part: Part) -> Node:
    """Answers to scores by the task's metric."""
    metric = part.task.metric
    inputs = (("answers", (answers_node(part),)), ("sample", (sample_node(part),)))
    texts = part.request.config.template(part.task, part.profile.prompts)
    template = Template(**texts)
    tag = {"tag": answer_tag(template)} if part.profile.variant == "claude" and asks_for_tag(template) else {}
    cue = {"cue": cue_of(texts["block"]["text"])} if "block" in texts else {}
    empty = {"empty": part.task.empty_answer} if part.task.empty_answer else {}
    judges = {"judges": what_judges(part.request.judges)} if part.task.judges else {}
    reading = {name: part.task.windows[name] for name in ("extractor", "unknown") if name in part.task.windows}
    params = {"metric": metric, **tag, **cue, **empty, **judges, **reading}
    way = "judged" if judges else "windows" if "extractor" in reading else "run"
    labels, body = (*part.sharded, ("metric", metric)), f"scrollwork.tasks.score.{way}"
    return Node("score", labels, params, body, (metric_module(metric),), inputs)


def aggregate_node(part: Part) -> Node:
    """Scores of all shards to the task's value, interval, spread and coverage."""
    metric = part.task.metric
    table = part.table or {}
    bound = {"reads_references": True} if table.get("reads_references") else {}
    otherwise = decoded_otherwise(table, part.request.config)
    told: dict[str, Any] = {"decoding": otherwise} if otherwise else {}
    if part.task.judges:
        told["judges"] = dict(part.task.judges)
    subset = {"subset": part.task.subset} if part.task.subset else {}
    inputs = [("sample", samples(part))]
    for name, node in (("answers", answers_node), ("prompts", prompt_node), ("scores", score_node)):
        inputs.append((name, tuple(part.each_shard(node))))
    return Node(
        "aggregate",
        (*part.labels, ("metric", metric)),
        {"metric": metric, "profile": part.profile.name, **bound, **told, **subset},
        f"scrollwork.tasks.aggregate.{'runs' if part.run else 'run'}",
        (metric_module(metric),),
        tuple(inputs),
    )


def decoded_otherwise(table: Mapping[str, Any], suite: Suite) -> str:
    """How a hosted or local model decodes where that is not the suite's way, "" where it is."""
    if table.get("provider") == PROVIDER:
        return f"ran elsewhere; its answers were read from {table['origin']}"
    if table.get("provider") not in CALLED:
        return ""
    sent = temperature(table) if table["provider"] in HOSTED else local_tables.temperature(table)
    if sent is None:
        return (
            f"the provider takes no temperature: {'greedy decoding' if not suite.temperature else 'it'} is unavailable"
        )
    return "" if sent == suite.temperature else f"decoded at temperature {sent:g}, the suite's is {suite.temperature:g}"


def statistics_node(part: Part) -> Node:
    """Everything that is built of a task and split to lengths, histograms and spread."""
    kind = str(part.task.template["kind"])
    letters = part.request.options_of(part.task).get("output") == "letter"
    inputs = [("curated", (curate_node(part),)), ("sample", samples(part))]
    inputs += [("sizes", (sizes_node(part),))] if part.run else []
    inputs.append(("prompts", tuple(part.each_shard(prompt_node))))
    # SCROLLS 6.4: ContractNLI's outputs are labels, so its hypotheses are looked for
    output = "query" if kind == "nli" else "options" if letters else "references"
    params = {"kind": kind, "output": output, **({"metric": part.task.metric} if part.task.metric in KEPT else {})}
    return Node("statistics", part.base, params, "scrollwork.tasks.statistics", (), tuple(inputs))


def sizes_node(part: Part) -> Node:
    """A data set whole, before anything is drawn from it, to its sizes."""
    tokenizer = length_tokenizer(part.request.tokenizer)
    params = {"metric": part.task.metric, "tokenizer": tokenizer}
    return Node(
        "sizes", part.base, params, "scrollwork.tasks.sizes", engines(tokenizer), (("curated", (curate_node(part),)),)
    )


def overview_node(request: Request, statistics: Sequence[Node]) -> Node:
    """The statistics of all tasks that could be built to one page and its pictures."""
    tasks = request.config.tasks
    shown_tasks = [
        {
            "name": node.label("task"),
            "split": node.label("split"),
            "paper": paper_sizes(request.suite, tasks[node.label("task")], node.label("split")),
            "means": paper_means(request.suite, node.label("task")),
            **({"data_set": data_set_sizes(request.suite, node.label("task"))} if request.run_count else {}),
        }
        for node in statistics
    ]
    published = load_published(request.suite)
    params = {
        "title": request.config.title,
        "tasks": shown_tasks,
        "splits": {node.label("task"): sorted(tasks[node.label("task")].splits) for node in statistics},
        "paper": {name: published.get(name, "") for name in ("title", "short", "url")},
        "run": shown(request),
        "assets": digest(*STATISTICS),
    }
    inputs = (("statistics", tuple(statistics)),)
    return Node("overview", (("suite", request.suite),), params, "scrollwork.tasks.overview", (), inputs)


def report_node(
    request: Request, aggregates: list[Node], failures: Sequence[Mapping[str, str]], beside: Sequence[Node] = ()
) -> Node:
    """All aggregates to one page. failures: why a task of a model has none; see `failure`. beside: what was judged and
    compared of them (tasks/judging.py)."""
    bounds = upper_bounds(aggregates)
    decoding = {node.label("model"): node.params["decoding"] for node in aggregates if "decoding" in node.params}
    models = [shown_name(model) for model in request.models]
    asked = [task.name for task in request.chosen_tasks()]
    params = report_params(request.config, models, failures, bounds, decoding, asked)
    return Node(
        "report",
        (("suite", request.suite), ("models", "+".join(models))),
        {**params, "run": shown(request), "assets": report_digest(params)},
        "scrollwork.tasks.report.run",
        tuple(sorted({metric_module(node.label("metric")) for node in aggregates})),
        (("aggregates", tuple(aggregates)), ("behind", behind(aggregates)), *by_stage(beside)),
        exact=True,
    )


def by_stage(nodes: Iterable[Node]) -> list[tuple[str, tuple[Node, ...]]]:
    """Nodes as inputs under the names of their stages."""
    found: dict[str, list[Node]] = {}
    for node in nodes:
        found.setdefault(node.stage, []).append(node)
    return [(stage, tuple(some)) for stage, some in found.items()]


def upper_bounds(aggregates: Sequence[Node]) -> list[str]:
    """The models that read the references."""
    return sorted({node.label("model") for node in aggregates if node.params.get("reads_references")})


def shown(request: Request) -> dict[str, Any]:
    """What of a request differs from the suite's own way, for the head of the report."""
    asked = {
        "limit": request.limit,
        "seed": request.seed,
        "max input tokens": request.max_input_tokens,
        "tokenizer": request.tokenizer,
        "truncation": request.truncation,
        "prompts": request.prompts,
        **{f"{role} by": name for role, name in labels_of(request.judges).items()},
    }
    return {**{name: value for name, value in asked.items() if value}, **(request.options or {})}


def failure(node: Node, message: str) -> dict[str, str]:
    """A task of a model that has no score, and why."""
    return {**{name: node.label(name) for name in ("task", "split", "model")}, "message": message}


def report_params(
    suite: Suite,
    models: Sequence[str],
    failures: Sequence[Mapping[str, str]],
    upper_bounds: Sequence[str],
    decoding: Mapping[str, str],
    asked: Collection[str] | None = None,
) -> dict[str, Any]:
    """What a report is told beside its rows. asked: tasks that have a column where the suite observes windows.
    upper_bounds: those of the models that read the references. decoding: of
    models that decode otherwise than the suite says.
    """
    published = load_published(suite.name)
    in_rouge = {task for row in published.get("row", ()) for task in row.get("rouge", ())}
    parts = {
        t.name: list(ROUGE) if t.name in in_rouge else [t.metric, subset_metric(t.metric, t.subset)] if t.subset else []
        for t in suite.tasks.values()
    }
    return {
        "suite": suite.name,
        "title": suite.title,
        "tasks": [
            {
                "name": t.name,
                "short": t.short,
                "metric": t.metric,
                "paper": dict(t.paper),
                **({"parts": parts[t.name]} if parts[t.name] else {}),
                **({"units": t.windows["units"]} if t.windows else {}),
            }
            for t in suite.tasks.values()
            if asked is None or not t.windows or t.name in asked
        ],
        "published": dict(published),
        "models": list(models),
        **({"upper_bounds": list(upper_bounds)} if upper_bounds else {}),
        **({"decoding": dict(decoding)} if decoding else {}),
        "failures": [dict(one) for one in failures],
        "upstream_files": upstream_of(suite.name),
        **({"observed": True} if any(task.windows for task in suite.tasks.values()) else {}),
        **({"ranked": True, "upstream": upstream_splits(suite)} if suite.runs else {}),
    }


def upstream_splits(suite: Suite) -> dict[str, str]:
    """What upstream calls the test split of a task, where it is another."""
    return {task.name: name for task in suite.tasks.values() if (name := task.splits.get("test", "test")) != "test"}
