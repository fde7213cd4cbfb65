"""Source digests: a changed helper rebuilds, a comment does not, an unrelated module does not; equal on all Pythons."""

from __future__ import annotations

import gc
import json
import re
import shutil
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scrollwork.pipeline import source_cache, source_digest
from scrollwork.pipeline.source_digest import _path, _read, sources
from tests.conftest import FINISHED, PROJECT, edit, environment
from tests.pipeline.loaded_kit import IN_NO_ANSWER, script

ASK = ("--raw", str(PROJECT / "sample" / "raw"), *FINISHED)  # the same bytes wherever they lie


def append(path, code):
    """Add code at the end of a module: later definitions take the place of earlier ones."""
    edit(path, lambda text: f"{text}\n\n{code}\n")


@pytest.fixture
def work(finished, tree):
    """The finished home, with a tree that can be changed."""
    return finished.with_(root=tree)


def changed(states):
    return sorted(name for name, state in states.items() if state != "reused")


def test_a_changed_helper_leaves_its_stage_and_those_after_it_standing(work):
    append(work.root / "preprocessing" / "prompts" / "template.py", 'BLANK = "\\n\\n\\n"')
    plan = work.plan("--task", "qmsum")
    assert plan["prompt qmsum"]["state"] == "stale"
    assert "source scrollwork.preprocessing.prompts.template changed" in plan["prompt qmsum"]["why"]
    assert [plan[f"{stage} qmsum"]["state"] for stage in ("curate", "sample")] == ["reused", "reused"]
    assert all(
        plan[name]["state"] != "reused"
        for name in ("generate qmsum", "score qmsum", "aggregate qmsum", "judge qmsum", "compare", "report")
    )

    work.run(*ASK)
    after = ("prompt", "generate", "score", "aggregate", "judge")
    again = [f"{stage} {task}" for stage in after for task in ("book_sum_sort", "qmsum", "space_digest")]
    # the fixed answers of two baselines do not read the prompt: answers that are equal are not scored again
    assert set(work.built()) <= {*again, "compare", "report"}
    assert {"prompt qmsum", "generate qmsum", "score qmsum", "aggregate qmsum"} <= set(work.built())
    assert set(changed(work.states(*FINISHED))) == set()


def test_a_changed_helper_of_the_first_stage_leaves_something_standing(work):
    append(work.root / "preprocessing" / "raw" / "files.py", "HALF = 0.5")
    plan = work.plan(*FINISHED)
    for task in ("qmsum", "space_digest", "book_sum_sort"):
        assert "source scrollwork.preprocessing.raw.files changed" in plan[f"curate {task}"]["why"]
        assert plan[f"sample {task}"]["why"] == "input curated changed"
    assert not [name for name, row in plan.items() if row["state"] == "reused"]


def test_a_comment_a_docstring_or_layout_rebuilds_something(work):
    modules = [
        path
        for room in ("preprocessing", "records", "scoring", "models", "analysis", "reporting")
        for path in (work.root / room).rglob("*.py")
    ]
    assert len(modules) > 300
    for path in modules:
        text = path.read_text(encoding="utf-8")
        text = re.sub(
            r'^((?:async )?def .*:|class .*:)\n(    )(?=["\w@])(?!""")', r"\1\n    # why\n\n    ", text, flags=re.M
        )
        text = re.sub(r'^"""', '"""Told otherwise. ', text, count=1)
        path.write_text(f"# a comment\n\n{text}\n# another\n", encoding="utf-8")
    assert changed(work.states(*FINISHED)) == []


def test_an_unrelated_module_rebuilds_something(work):
    for name in (
        "preprocessing/datasets/musique.py",
        "preprocessing/datasets/html.py",
        "scoring/metrics/em.py",
        "scoring/metrics/f1_scrolls.py",
        "tasks/fit.py",
        "flows/chains.py",
        "pipeline/build.py",
        "pipeline/session.py",
        "storage/artifacts/parts.py",
        "cli/main.py",
    ):
        append(work.root / name, "UNRELATED = 1")
    assert changed(work.states(*FINISHED)) == []


@pytest.mark.slow
def test_a_changed_metric_generates_again_or_leaves_its_scores_standing(work):
    append(work.root / "scoring" / "metrics" / "es.py", "HALVING_POINTS = 5.0")
    plan = work.plan(*FINISHED)
    assert "source scrollwork.scoring.metrics.es changed" in plan["score space_digest"]["why"]
    assert changed({name: row["state"] for name, row in plan.items()}) == [
        "aggregate space_digest",
        "compare",
        "judge space_digest",
        "report",
        "score space_digest",
    ]
    before = work.run(*ASK, "--json", "--quiet").document
    again = ["aggregate space_digest", "compare", "judge space_digest", "report", "score space_digest"]
    assert work.built() == again
    values = {row["task"]: row["value"] for row in before["tasks"]}
    edit(
        work.root / "scoring" / "metrics" / "es.py",
        lambda text: text.replace("HALVING_POINTS = 5.0", "HALVING_POINTS = 10.0"),
    )
    now = {row["task"]: row["value"] for row in work.run(*ASK, "--json", "--quiet").document["tasks"]}
    assert now["space_digest"] > values["space_digest"]
    assert {**now, "space_digest": 0} == {**values, "space_digest": 0}


@pytest.mark.slow
def test_an_import_inside_a_function_is_overlooked(work):
    helper = work.root / "preprocessing" / "late.py"
    helper.write_text('"""A helper."""\n\nWORD = "one"\n', encoding="utf-8")
    package = work.root / "preprocessing" / "deep"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "below.py").write_text(
        "from scrollwork.preprocessing import late\n\nWORD = late.WORD\n", encoding="utf-8"
    )
    append(
        work.root / "preprocessing" / "datasets" / "qmsum.py",
        "def unused() -> str:\n    from ..deep import below\n\n    return below.WORD",
    )
    work.run(*ASK)
    assert changed(work.states(*FINISHED)) == []
    edit(helper, lambda text: text.replace('"one"', '"two"'))
    plan = work.plan(*FINISHED)
    assert plan["curate qmsum"]["why"] == "source scrollwork.preprocessing.late changed"
    assert plan["curate space_digest"]["state"] == "reused"


def test_a_stage_runs_house_code_that_its_key_does_not_know(scrollwork, tmp_path):
    """What a run loads of the rooms must stand in the keys; registries only turn names into modules that do."""
    program = tmp_path / "loaded.py"
    program.write_text(
        script(
            """
request = Request.of("zeroscrolls", home=sys.argv[2], sample=True, models=("naive:seed=0",))
chain = Chain(request)
judged = [chain.judge(node) for node in chain.scored]
nodes = [chain.report(chain.scored, [], [*judged, chain.compare(judged, chain.scored)])]
"""
        )
    )
    done = scrollwork.with_(prefix=(str(program),)).run("--quiet")
    status, unknown, known = json.loads(done.err.splitlines()[-1])
    assert status == 0
    assert len(known) > 40
    assert set(unknown) <= IN_NO_ANSWER


@pytest.mark.slow
def test_a_build_runs_house_code_that_its_key_does_not_know(scrollwork, tmp_path):
    program = tmp_path / "loaded.py"
    program.write_text(
        script(
            """
request = Request.of("zeroscrolls", home=sys.argv[2], sample=True)
chain = Chain(request)
nodes = [*chain.built, chain.overview(chain.built)]
"""
        )
    )
    done = scrollwork.with_(prefix=(str(program),))("build", "zeroscrolls", "--sample", "--engine", "inline", "--quiet")
    status, unknown, known = json.loads(done.err.splitlines()[-1])
    assert status == 0
    assert len(known) > 40
    # a plan resolves names of models and metrics; no row of a build comes from these rooms
    assert [name for name in unknown if name.split(".")[1] not in ("models", "scoring")] == []


# ---- equal on every Python

DIGESTS = """
import json, sys
from pathlib import Path
root = Path(sys.argv[1])
sys.path.insert(0, str(root))
sys.dont_write_bytecode = True
from scrollwork.pipeline import source_digest as source, source_cache
digests = {}
for room in source.ROOMS:
    for path in sorted((root / room).rglob("*.py")):
        name = ".".join(("scrollwork", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        digests[name] = source._read(name)
print(json.dumps([list(sys.version_info[:2]), digests]))
"""

# Syntax that the parsers of 3.11 to 3.13 see in different ways, or nearly.
ODD = '''"""Odd syntax."""
from dataclasses import dataclass
WIDTH = 3
NEW = "\\U0001fae8 \U0001fae8 \u0cf3 \U00011f02"  # characters newer than the Unicode tables of 3.11
def shown(value, *rest, key=None, **more):
    """Docstring."""
    return (f"{value!r:>{WIDTH}} {value:{'>'}{WIDTH}.{WIDTH}}" "tail" f"{value=} {{}} {value}" f'{more["a"]:%Y-%m}' rf"\\d{value}")
class Empty:
    """Only this."""
@dataclass
class Point:
    x: int = 0
    def norm(self, /, *, p: int = 2) -> float:
        match self:
            case Point(x=0) | None: return 0.0
            case [first, *_] if first: return 1.0
            case {"a": 1, **rest}: return 2.0
        try:
            return abs(self.x) ** 0.5
        except* ValueError:
            pass
async def wait(things):
    async with things as one, things as two:
        return [x async for x in one if (y := x)], {**two}, {*()}, (lambda: ...), 1_000.5j, b"\\xff", u"kind"
'''


def interpreters():
    """A python3.11, 3.12 and 3.13, from pyenv or the path."""
    found = {}
    for minor in (11, 12, 13):
        places = [
            *(Path.home() / ".pyenv" / "versions").glob(f"3.{minor}.*/bin/python"),
            *filter(None, [shutil.which(f"python3.{minor}")]),
        ]
        for place in [sys.executable] if sys.version_info[:2] == (3, minor) else places:
            ran = subprocess.run(
                [str(place), "-c", "import sys; print(sys.version_info[1])"], capture_output=True, text=True
            )
            if ran.stdout.strip() == str(minor):
                found[minor] = str(place)
                break
    return found


@pytest.mark.slow
def test_digests_differ_between_python_versions(tree):
    pythons = interpreters()
    if len(pythons) < 2:
        pytest.skip(f"only one of Python 3.11, 3.12 and 3.13 is here ({', '.join(map(str, pythons))})")
    (tree / "preprocessing" / "odd.py").write_text(ODD, encoding="utf-8")
    digests = {}
    for minor, python in pythons.items():
        ran = subprocess.run([python, "-c", DIGESTS, str(tree)], env=environment(), capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        version, digests[minor] = json.loads(ran.stdout)
        assert version == [3, minor]
    reference = digests.pop(min(digests))
    assert len(reference) > 60
    for minor, found in digests.items():
        assert [name for name in reference if found[name] != reference[name]] == [], f"3.{minor}"


def digest_of(tree, code):
    """Digest of a module with this text, by the tree's own pipeline/source_digest.py in a fresh process."""
    (tree / "preprocessing" / "probe.py").write_text(code, encoding="utf-8")
    code = "import sys; from scrollwork.pipeline.source_digest import sources; print(sources(['scrollwork.preprocessing.probe'])['scrollwork.preprocessing.probe'])"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree,
        env=environment(PYTHONPATH=str(tree)),
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.strip()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x = True"),
        ("x = 'a'", "x = b'a'"),
        ("def f():\n    return None", "def f():\n    return"),
        ("x = f(a, *b)", "x = f(*a, b)"),
        ("def f(a, /, b): ...", "def f(a, b, /): ..."),
        ("x = {**a, 'b': 1}", "x = {'b': 1, **a}"),
        ("x = '''doc'''", "'''doc'''"),
        ("x = 1.0", "x = 1"),
        ("x = [a, [b]]", "x = [[a], b]"),
        ("f('a' 'b')", "f('a', 'b')"),
        ("def f(x=None): ...", "def f(x): ..."),
        ("x = y[None]", "x = y[...]"),
        ("from a import b", "from .a import b"),
    ],
)
def test_different_code_has_the_same_digest(one, other):
    from scrollwork.pipeline.source_digest import canonical_text, syntax_tree

    assert canonical_text(syntax_tree(one)) != canonical_text(syntax_tree(other))


def test_two_docstrings_give_two_digests(tree):
    texts = [
        f'"""{said}"""\nclass A:\n    """{said}"""\n    def f(self):\n        """{said}"""\n        return 1'
        for said in "ab"
    ]
    assert digest_of(tree, texts[0]) == digest_of(tree, texts[1])
    assert digest_of(tree, texts[0]) != digest_of(tree, texts[0].replace("return 1", "return 2"))


def test_two_threads_that_read_modules_at_once_end_in_a_system_error():
    """Python 3.11 counts how deep a syntax tree is over all threads (python/cpython issue 106905); a collection of
    garbage lets another thread go on in the middle of one."""
    modules = list(
        sources(
            [
                "scrollwork.scoring.answers",
                "scrollwork.analysis.comparison.summary",
                "scrollwork.preprocessing.curation",
            ]
        )
    )
    yielding, thresholds = (lambda *_: time.sleep(0.0001)), gc.get_threshold()
    gc.callbacks.append(yielding)
    gc.set_threshold(100)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(
                pool.map(lambda module: source_digest._parsed(module, _path(module).read_bytes())[0], modules * 2)
            )
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(yielding)
    assert found == [_read(module)[0] for module in modules] * 2


def test_garbage_that_prints_a_traceback_ends_parsing_in_a_system_error():
    """A finalizer that parses, as printing a traceback does, in the middle of a module."""

    class Garbage:
        def __init__(self):
            self.own = self

        def __del__(self):
            try:
                {"a": {}}["a"]["b"]["c"]
            except KeyError:
                traceback.format_exc()

    data, thresholds = Path(source_digest.__file__).read_bytes(), gc.get_threshold()
    gc.set_threshold(50, 2, 2)
    try:
        for _ in range(20):
            garbage = [Garbage() for _ in range(20)]
            del garbage
            assert source_digest.syntax_tree(data)
    finally:
        gc.set_threshold(*thresholds)


def remembered(tree):
    """The file of digests that processes of this tree leave."""
    return list((tree / "pipeline" / "__pycache__").glob("sources-*"))


def rows_of(path):
    """What such a file holds behind its own digest."""
    return json.loads(path.read_bytes().partition(b"\n")[2])


@pytest.mark.parametrize("garbage", [b"", b"[]", b"7", b'{"a": 1}', b"\xff\xfe", b'{"%s": ["a", ["b"]]}' % (b"0" * 64)])
def test_damaged_memory_of_digests_changes_one_or_stays(tree, garbage):
    code = "x = 1"
    first = digest_of(tree, code)
    (path,) = remembered(tree)
    assert first in {digest for digest, _ in rows_of(path).values()}
    path.write_bytes(garbage)
    assert digest_of(tree, code) == first
    (path,) = remembered(tree)
    assert first in {digest for digest, _ in rows_of(path).values()}
    assert digest_of(tree, "x = 2") != first


def test_flipped_bit_in_memory_of_digests_is_believed(tmp_path, monkeypatch):
    monkeypatch.setattr(source_cache.atexit, "register", lambda _: None)
    code = {f"room.m{number}": b"import room.helper%d" % number for number in range(3)}
    parsed = {module: (str(len(module)) * 64, (data.split()[1].decode(),)) for module, data in code.items()}

    def made(memory):
        return {module: memory.of(module, data, lambda module, _: parsed[module]) for module, data in code.items()}

    memory = source_cache.Memory(tmp_path, "v" * 64)
    assert made(memory) == parsed
    memory.save()
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    assert source_cache.Memory(tmp_path, "v" * 64)._known
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        assert made(source_cache.Memory(tmp_path, "v" * 64)) == parsed, place


def test_helper_falls_out_of_keys_by_one_letter_of_a_remembered_name(tree):
    code = "from scrollwork.preprocessing.prompts import template"
    digest_of(tree, code)
    ask = "from scrollwork.pipeline.source_digest import sources; print(sources(['scrollwork.preprocessing.probe']))"
    env = environment(PYTHONPATH=str(tree))

    def asked():
        return subprocess.run(
            [sys.executable, "-c", ask], cwd=tree, env=env, capture_output=True, text=True, check=True
        ).stdout

    first = asked()
    assert "scrollwork.preprocessing.prompts.template" in first
    (path,) = remembered(tree)
    edit(
        path,
        lambda text: text.replace(
            '"scrollwork.preprocessing.prompts.template"', '"scrollwork.preprocessing.prompts.templatf"'
        ),
    )
    assert asked() == first


def test_memory_of_digests_grows_for_ever_or_is_written_where_bytecode_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(source_cache.atexit, "register", lambda _: None)
    monkeypatch.setattr(source_cache, "MOST", 10)
    for number in range(4):
        memory = source_cache.Memory(tmp_path, "v" * 64)
        for module in range(7):
            memory.of(f"m{module}", b"%d" % number, lambda module, data: ("0" * 64, (module, data.decode())))
        memory.save()
    (path,) = tmp_path.iterdir()
    assert len(rows_of(path)) == 7
    calls = []
    again = source_cache.Memory(tmp_path, "v" * 64)
    assert again.of("m3", b"3", lambda *given: calls.append(given)) == ("0" * 64, ("m3", "3"))
    assert calls == []
    monkeypatch.setattr(source_cache.atexit, "register", lambda _: calls.append("written"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    source_cache.Memory(tmp_path, "w" * 64)
    assert calls == []


@pytest.mark.slow
def test_template_or_style_of_a_page_is_in_no_key_or_that_of_another_design_is(work):
    for name in ("templates/windows.html", "assets/windows.css", "templates/runs.html", "templates/statistics.html"):
        append(work.root / "reporting" / name, "<!-- of others -->")
    assert changed(work.states(*FINISHED)) == []
    for name in ("templates/page.html", "templates/judgement.html", "assets/pages.css", "assets/list.js"):
        path = work.root / "reporting" / name
        before = path.read_text()
        append(path, " ")
        plan = work.plan(*FINISHED)
        assert plan["report"]["why"].startswith("parameter assets changed"), name
        assert changed({stage: row["state"] for stage, row in plan.items()}) == ["report"]
        path.write_text(before)
    assert changed(work.states(*FINISHED)) == []
