"""A design that an installed package brings: found by its name, with its options, in the keys of its suites alone."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scrollwork.pipeline import design as designs
from scrollwork.pipeline import entry_points
from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.suite_files import load_suite
from tests.conftest import PROJECT, Scrollwork, edit
from tests.designs.test_toy_design import TWICE
from tests.suites.plugin_kit import MAIN, written

OWN = TWICE.replace("only: str", "twice_only: str").replace("of_design.only", "of_design.twice_only")
MODELS = "".join(
    f'[always-{letter}]\nprovider = "baselines"\nrules.quality = {{ fixed = "{letter.upper()}" }}\n' for letter in "bc"
)


def dist(name: str, points: str) -> dict[str, str]:
    """What pip leaves of a distribution beside its modules."""
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    folder = f"{name.replace('-', '_')}-1.0.dist-info"
    return {f"{folder}/METADATA": head, f"{folder}/entry_points.txt": points}


@pytest.fixture
def twice(scrollwork: Scrollwork, tmp_path: Path) -> Scrollwork:
    """The command where a package is installed that has a design and a suite of it."""
    zeroscrolls = (PROJECT / "config" / "suites" / "zeroscrolls.toml").read_text(encoding="utf-8")
    task = re.search(r"\[task\.quality\]\n.*?\n\n", zeroscrolls, re.DOTALL)
    assert task is not None
    head = zeroscrolls[: zeroscrolls.index("[task.gov_report]")]
    suite = head.replace('name = "zeroscrolls"', 'name = "orders"\ndesign = "twice"') + task[0]
    points = "[scrollwork.suites]\norders = two_orders:orders.toml\n[scrollwork.designs]\ntwice = two_orders.twice\n"
    package = {"two_orders/__init__.py": "", "two_orders/twice.py": OWN, "two_orders/orders.toml": suite}
    site = written(tmp_path / "site", {**package, **dist("two-orders", points)})
    written(tmp_path, {"main.py": MAIN.format(site=str(site)), "own.toml": MODELS})
    return scrollwork.with_(prefix=(str(tmp_path / "main.py"),), warm=True)


@pytest.mark.slow
def test_design_needs_a_line_in_the_house(twice: Scrollwork, tmp_path: Path) -> None:
    own = ("--models", str(tmp_path / "own.toml"), "--model", "always-b", "--model", "always-c")
    ask = ("--sample", "--engine", "inline", "--quiet", *own)

    def values(*more: str) -> dict[str, tuple[float, int]]:
        rows = twice("run", "orders", *ask, *more, "--json").document["tasks"]
        return {row["model"]: (row["value"], row["coverage"]["expected"]) for row in rows}

    both, stated, turned = values(), values("--twice-only", "stated"), values("--twice-only", "reversed")
    assert stated["always-b"] == turned["always-c"] != stated["always-c"] == turned["always-b"]
    for model, (value, inputs) in both.items():
        assert inputs == 2 * stated[model][1]
        assert value == pytest.approx((stated[model][0] + turned[model][0]) / 2)
    assert "--twice-only {stated,reversed}" in " ".join(twice("run", "--help").out.split())
    refused = twice("run", "zeroscrolls", *ask, "--twice-only", "stated", status=2)
    assert "--twice-only: zeroscrolls does not ask in two orders" in refused.err
    twice("run", "zeroscrolls", *ask, "--task", "quality")
    assert twice("verify").status == 0
    edit(tmp_path / "site" / "two_orders" / "twice.py", lambda text: text.replace("draw=1)", "draw=2)"))
    rows = twice("plan", "orders", *ask[:1], *own, "--json").document
    sampled = [(row["state"], row["why"]) for row in rows if row["stage"] == "sample"]
    assert sorted(state for state, _ in sampled) == ["reused", "stale"]
    assert "source two_orders.twice changed" in dict(sampled)["stale"]
    rows = twice("plan", "zeroscrolls", *ask[:1], *own, "--task", "quality", "--json").document
    assert {row["state"] for row in rows} == {"reused"}


Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Lay packages where this process finds them."""
    caches = (entry_points.installed_entry_points, designs.designs, designs.packaged_design)

    def lay(**packages: str) -> None:
        for number, (name, text) in enumerate(packages.items()):
            points = f"[scrollwork.designs]\nodd = {name}.odd\nfixed = {name}.odd\n"
            written(tmp_path, {f"{name}/__init__.py": "", f"{name}/odd.py": text, **dist(f"odd-{number}", points)})

    monkeypatch.syspath_prepend(str(tmp_path))
    for one in caches:
        one.cache_clear()
    yield lay
    for one in caches:
        one.cache_clear()
    for name in [name for name in sys.modules if name.startswith("odd_")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("odd_a", "ODD = 1\n", r"odd\.py lacks DESIGN; the module of a design has DESIGN"),
        ("odd_b", "DESIGN = 1\n", r"DESIGN of .*odd\.py lacks options, .*: build on scrollwork\.designs\.fixed\.Fixed"),
        ("odd_c", "import nowhere_at_all\n", r"odd\.py cannot be imported: ModuleNotFoundError"),
        ("odd_d", OWN, r"option 'twice_only' must be named odd_\.\.\., and its flag --odd-\.\.\. by itself"),
        (
            "odd_e",
            OWN.replace("twice_only", "odd_only").replace("alone", 'alone", flag="--json'),
            r"option 'odd_only' must be named odd_\.\.\., and its flag --odd-\.\.\. by itself",
        ),
        ("odd_f", OWN.replace("twice_only: str | None", "odd_only: Nothing"), r"options must be a dataclass \(name"),
        (
            "odd_h",
            f"{OWN}\n\nTwice.further = lambda self, chain, aggregated: []\ntogether = 1\n",
            "has further, which is named after_each_score now",
        ),
        ("odd_g", OWN.replace("options, group, does = Options", "options, group, does = 1"), "must be a dataclass"),
    ],
)
def test_package_that_nobody_asks_for_ends_every_command_or_a_bad_one_is_a_traceback(
    install: Install, name: str, text: str, said: str
) -> None:
    install(**{name: text})
    assert [*designs.designs()] == ["fixed", "runs", "windows"]
    with pytest.raises(UsageError, match=rf"^suite zeroscrolls: design 'odd' \(entry point of odd-0\): .*{said}"):
        designs.design_of(replace(load_suite("zeroscrolls"), design="odd"))


def test_package_changes_what_fixed_is_or_two_have_one_design(install: Install) -> None:
    text = OWN.replace("twice_only", "odd_only")
    install(odd_h=text)
    assert [*designs.designs()] == ["fixed", "runs", "windows", "odd"]
    assert designs.design_of(load_suite("zeroscrolls")) is designs.own_designs()["fixed"]
    for one in (entry_points.installed_entry_points, designs.designs, designs.packaged_design):
        one.cache_clear()
    install(odd_h=text, odd_i=text)
    assert [*designs.designs()] == ["fixed", "runs", "windows"]
    with pytest.raises(UsageError, match=r"two installed packages have a design 'odd' in scrollwork\.designs: odd-"):
        designs.design_of(replace(load_suite("zeroscrolls"), design="odd"))
