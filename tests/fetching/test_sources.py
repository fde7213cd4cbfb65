"""The list of sources: what is bundled, and what is said of a wrong one."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scrollwork.fetching.sources import load_catalogue, needs, releases
from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import load_suite


def request(*tasks: str, splits: tuple[str, ...] = (), **options: object) -> Request:
    return Request("zeroscrolls", "/nowhere", "/nowhere/raw", tasks=tasks, splits=splits, options=options or None)


def paths(request: Request, *alternatives: str) -> dict[str, list[str]]:
    return {need.role: [s.path for s in need.sources] for need in needs(request, load_catalogue(), alternatives)}


def test_every_role_of_every_task_has_a_source() -> None:
    both = request(splits=("validation", "test"))
    lacking = [(need.task, need.role) for need in needs(both, load_catalogue()) if not need.sources]
    assert lacking == []


def test_task_of_dolce_has_no_source() -> None:
    asked = Request("dolce", "/nowhere", "/nowhere/raw")
    found = needs(asked, load_catalogue())
    assert [need.task for need in found if need.sources] == list(load_suite("dolce").tasks)
    sizes = {len(need.sources) for need in found if need.task.startswith("bamboo")}
    assert sizes == {2}, "4K and 16K"


def test_every_task_has_its_official_release() -> None:
    found = releases(request(), load_catalogue())
    assert [need.task for need in found] == list(load_suite("zeroscrolls").tasks)
    assert all(len(need.sources) == 1 for need in found)


def test_what_lies_in_a_repository_is_pinned_to_a_commit() -> None:
    for source in load_catalogue().sources:
        for url in source.urls:
            host = urlsplit(url).hostname
            if host == "raw.githubusercontent.com" or (host == "huggingface.co" and source.dataset != "scico"):
                assert re.search(r"/[0-9a-f]{40}/", url), url


def test_published_digests_are_those_of_the_shared_files(shared: Path) -> None:
    sums = {}
    for line in (shared / "SHA256SUMS").read_text().splitlines():
        sha256, _, path = line.partition("  ")
        sums[path.removeprefix("raw/")] = sha256
    compared = 0
    for source in load_catalogue().sources:
        if source.path in sums:
            compared += 1
            assert source.sha256 == sums[source.path], source.path
            assert source.bytes == (shared / "raw" / source.path).stat().st_size
    assert compared > 30


def test_option_of_a_task_decides_which_release_is_fetched() -> None:
    assert paths(request("squality")) == {"records": ["squality/v1-2/txt/test.jsonl"]}
    assert paths(request("squality", **{"squality.release": "v1-3"})) == {"records": ["squality/v1-3/txt/test.jsonl"]}


def test_alternative_stands_in_place_of_the_others() -> None:
    assert paths(request("narrative_qa"))["stories"] == ["narrativeqa/tmp/{document_id}.content"]
    chosen = paths(request("narrative_qa"), "narrativeqa-copy")
    assert chosen["stories"] == ["narrativeqa/narrativeqa_full_text.zip"]
    with pytest.raises(UsageError, match="there are: musique-hub, narrativeqa-copy"):
        needs(request(), load_catalogue(), ("elsewhere",))


GOOD = '[qmsum]\nfiles = [{ path = "a.jsonl", url = "http://h/a" }]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[qmsum\n", "line 1"),
        ("[qmsum]\n", "must be a table with a list `files`"),
        (GOOD.replace("path", "pfad"), r"qmsum, files\[0\]: unknown key 'pfad'"),
        (GOOD.replace("a.jsonl", "../a"), "must lie below the raw folder"),
        (GOOD.replace("a.jsonl", "/../a"), "must lie below the raw folder"),
        (GOOD.replace("http://h/a", "file:///etc/passwd"), "is no http or https URL"),
        (GOOD.replace("http://h/a", "http://[h/a"), "is no http or https URL"),
        (GOOD.replace(" }", ', sha256 = "ABC" }'), "`sha256` must be 64 hexadecimal digits"),
        (GOOD.replace(" }", ', bytes = "7" }'), "`bytes` must be a number"),
        (GOOD.replace(" }", ', members = ["../x"] }'), "must lie below the raw folder"),
        (GOOD.replace(', url = "http://h/a"', ""), "needs `url`"),
        (GOOD.replace(" }", ", rows = { url = 'u' } }"), "`rows` needs `table`"),
        ('[hosts]\n"h" = { at_once = 0 }\n', r"hosts\.h: write"),
    ],
)
def test_wrong_list_is_named_with_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text)
    with pytest.raises(UsageError, match=said) as caught:
        load_catalogue(str(own))
    assert "own.toml" in str(caught.value)


def test_own_table_stands_in_place_of_ours_and_the_others_stay(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(GOOD)
    found = load_catalogue(str(own)).sources
    assert [source.path for source in found if source.dataset == "qmsum"] == ["qmsum/a.jsonl"]
    assert {source.dataset for source in found} == {source.dataset for source in load_catalogue().sources}
