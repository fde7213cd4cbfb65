"""What is released: the list of components, and what the check of a sdist and a wheel refuses (docs/release.md)."""

from __future__ import annotations

import io
import re
import runpy
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import Marker

from tests.conftest import PROJECT, developers_certificates, environment

Script = dict[str, Any]
HOST = re.compile(r"https?://|\b[\w-]+\.(?:org|com|io|net)\b")


@pytest.fixture(scope="module")
def sbom() -> Script:
    return runpy.run_path(str(PROJECT / ".ci" / "sbom.py"))


@pytest.fixture(scope="module")
def document(sbom: Script) -> dict[str, Any]:
    found = sbom["bom"]()
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def release() -> Script:
    return runpy.run_path(str(PROJECT / ".ci" / "release.py"))


def needed_by(component: dict[str, Any]) -> set[str]:
    return {one["value"] for one in component.get("properties", ()) if one["name"] == "scrollwork:needed-by"}


def test_a_field_that_cyclonedx_requires_is_missing_or_a_reference_stands_twice(document: dict[str, Any]) -> None:
    assert (document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.6", 1)
    every = [document["metadata"]["component"], *document["components"]]
    assert len({one["bom-ref"] for one in every}) == len(every)
    for one in every:
        assert one["type"] in ("application", "library")
        assert one["purl"] == f"pkg:pypi/{one['name']}@{one['version']}"
        (licence,) = one["licenses"]
        assert licence.get("expression") or licence["license"]["name"]


def test_what_is_installed_is_missing_or_has_another_version(document: dict[str, Any]) -> None:
    """Of each line of the lock whose marker is true here, so far as it is installed."""
    seen = 0
    for one in document["components"]:
        markers = [mark["value"] for mark in one.get("properties", ()) if mark["name"] == "scrollwork:marker"]
        if not all(Marker(mark).evaluate() for mark in markers):
            continue
        try:
            assert metadata.version(one["name"]).partition("+")[0] == one["version"], one["name"]
        except metadata.PackageNotFoundError:
            continue
        seen += 1
    assert seen > 120


def test_a_component_is_not_of_the_part_that_needs_it(document: dict[str, Any], sbom: Script) -> None:
    by = {one["name"]: needed_by(one) for one in document["components"]}
    assert {"core"} <= by["prefect"] & by["pyarrow"] & by["sqlalchemy"] & by["starlette"]
    assert by["polars-runtime-32"] == {"frames", "dev"}
    assert "core" not in by["pandas"] | by["openai"] | by["polars"]
    assert "api" in by["aiohttp"]
    assert {"prefect-aws"} <= {name for name, parts in by.items() if parts == {"aws"}}
    assert by["s3fs"] == {"aws", "dev"}  # tests of homes on S3
    assert not {"prefect", "polars", "openai"} & set(sbom["unreached"](document))


def test_two_calls_differ_or_a_host_is_named(document: dict[str, Any], sbom: Script, tmp_path: Path) -> None:
    """In two processes: sets have another order in each."""
    out = tmp_path / "dist" / "a.json"
    subprocess.run([sys.executable, PROJECT / ".ci" / "sbom.py", out], env=environment(), check=True, timeout=60)
    text = out.read_text(encoding="utf-8")
    assert text == sbom["written"](document)
    assert HOST.findall(text) == []
    assert not {"serialNumber", "timestamp"} & set(re.findall(r'"(\w+)":', text))


def test_a_line_of_the_lock_that_pins_nothing_passes(sbom: Script) -> None:
    assert sbom["locked"]("b==2 ; python_version < '3'\n# a comment\nA_x==1.0\n") == [
        ("a-x", "1.0", ""), ("b", "2", "python_version < '3'"),
    ]  # fmt: skip
    for line in ("prefect>=3", "prefect @ file:///x", "-e ."):
        with pytest.raises(ValueError, match=r"requirements\.lock, line 2"):
            sbom["locked"](f"a==1\n{line}\n")


# ---- sdist and wheel


def wheel(release: Script, path: Path, *, without: str = "", more: tuple[str, ...] = (), version: str = "") -> Path:
    """A wheel of empty files, with all that is asked for."""
    info = f"scrollwork-{release['version']()}.dist-info"
    names = [f"scrollwork/{name}" for name in release["OF_THE_WHEEL"]]
    names += [f"{info}/{name}" for name in ("METADATA", "entry_points.txt", "licenses/LICENSE")]
    with zipfile.ZipFile(path, "w") as archive:
        for name in [*names, *more]:
            text = f"Name: scrollwork\nVersion: {version or release['version']()}\n" if "METADATA" in name else ""
            if name != without:
                archive.writestr(name, text)
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"more": ("cli/main.py",)}, "holds cli beside scrollwork/"),
        ({"more": ("../evil.py",)}, "holds .. beside scrollwork/"),
        ({"more": ("scrollwork/tests/test_a.py",)}, "holds scrollwork/tests/test_a.py"),
        ({"without": "scrollwork/py.typed"}, "lacks scrollwork/py.typed"),
        ({"version": "9.9"}, "METADATA has another version"),
    ],
    ids=["whole", "a second package", "a way out", "tests", "no types", "version"],
)
def test_a_wheel_that_is_wrong_passes(release: Script, tmp_path: Path, change: dict[str, Any], said: str) -> None:
    lines = release["wrong_wheel"](wheel(release, tmp_path / "a.whl", **change))
    assert [said in line for line in lines] == ([True] if said else [])


def sdist(release: Script, path: Path, change: Callable[[tarfile.TarFile, str], None]) -> Path:
    """A sdist of empty files, with all that is asked for."""
    top = f"scrollwork-{release['version']()}"
    with tarfile.open(path, "w:gz") as archive:
        for name in release["OF_THE_SDIST"]:
            archive.addfile(tarfile.TarInfo(f"{top}/{name}"), io.BytesIO())
        change(archive, top)
    return path


def add_link(archive: tarfile.TarFile, top: str) -> None:
    link = tarfile.TarInfo(f"{top}/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc"
    archive.addfile(link)


def test_a_sdist_that_is_wrong_passes(release: Script, tmp_path: Path) -> None:
    assert release["wrong_sdist"](sdist(release, tmp_path / "a.tar.gz", lambda archive, top: None)) == []
    outside = sdist(release, tmp_path / "b.tar.gz", lambda archive, top: archive.addfile(tarfile.TarInfo("../x")))
    (line,) = release["wrong_sdist"](outside)
    assert line.startswith("b.tar.gz: ../x is outside scrollwork-")
    (line,) = release["wrong_sdist"](sdist(release, tmp_path / "c.tar.gz", add_link))
    assert line.endswith("/link is a link")


def test_a_changelog_of_another_version_passes(release: Script) -> None:
    assert release["wrong_changelog"](f"# Changelog\n\n## {release['version']()} (a day)\n") == []
    assert release["wrong_changelog"]("# Changelog\n\n## Unreleased\n") == []
    assert len(release["wrong_changelog"]("# Changelog\n\n## 9.9\n")) == 1
    assert len(release["wrong_changelog"]("")) == 1


@pytest.mark.slow
def test_the_sdist_and_wheel_of_this_tree_are_wrong(
    release: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in developers_certificates().items():  # it fetches from the internet
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
    out = tmp_path / "dist"
    out.mkdir()
    try:
        files = release["build"](tmp_path, out)
    except subprocess.CalledProcessError as error:
        if error.cmd[0] != PROJECT / ".ci" / "environment":
            raise
        pytest.skip("no environment without a network")
    assert release["wrong_sdist"](files[0]) + release["wrong_wheel"](files[1]) == []
