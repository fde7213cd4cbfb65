"""`export hf`: what `datasets` loads is what was built, typed as the card says, and the folder is whole or not there."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from scrollwork.exchange import hf, hf_rows
from scrollwork.exchange.hf import export_hf, licences
from scrollwork.exchange.hf_card import Config, Licence, Split, card, quoted
from scrollwork.fetching.sources import load_catalogue
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import build
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.preprocessing.prompts.template import Template, official_rows
from scrollwork.readings.results import Results
from scrollwork.records.example import Example
from scrollwork.storage.errors import StorageError
from scrollwork.storage.folder import files_below
from scrollwork.suites.parts import parts
from scrollwork.suites.request import Request
from tests.some_slow import one_in

TEXT = ["id", "pid", "input", "output"]
OFFSETS = ["document_start_index", "document_end_index", "query_start_index", "query_end_index"]
SUITES = {"zeroscrolls": (), "scrolls": ("gov_report", "summ_screen_fd", "qmsum", "qasper", "narrative_qa", "quality")}


@pytest.fixture(scope="module")
def datasets() -> Any:
    """The library, which takes a second to import: not in every process that collects tests."""
    return pytest.importorskip("datasets", reason="the extra hf is not installed")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Request, Path]]:
    """Both suites, built of the sample and exported."""
    folder = tmp_path_factory.mktemp("exported")
    made = {}
    for suite, tasks in SUITES.items():
        request = Request.of(suite, home=str(folder / "home"), sample=True, tasks=tasks)
        assert build(Chain(request)).failed == []
        export_hf(Chain(request), folder / suite)
        made[suite] = (request, folder / suite)
    return made


def rows_of(request: Request) -> dict[str, list[dict[str, Any]]]:
    """The official records of each task, made without Parquet."""
    chain = Chain(request)
    results, made = Results(chain), {}
    for part in parts(request):
        curated, sampled = results.artifact(chain.curate(part)), results.artifact(chain.sample(part))
        assert curated is not None
        assert sampled is not None
        template, texts = Template(**part.task.template), curated.texts()
        made[part.task.name] = [
            row for one in sampled.rows("examples", Example) for row in official_rows(one, template, texts)
        ]
    return made


def front(folder: Path) -> Any:
    """The card's YAML."""
    return yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


@pytest.mark.parametrize("suite", one_in(2, reversed(SUITES)))
def test_every_configuration_loads_with_the_rows_that_were_built(
    datasets: Any, exported: dict[str, tuple[Request, Path]], suite: str, tmp_path: Path
) -> None:
    request, folder = exported[suite]
    built = rows_of(request)
    assert datasets.get_dataset_config_names(str(folder)) == list(built)
    for name, rows in built.items():
        loaded = datasets.load_dataset(str(folder), name, cache_dir=str(tmp_path))
        assert list(loaded) == ["test"]
        assert loaded["test"].to_list() == rows
        streamed = datasets.load_dataset(str(folder), name, split="test", streaming=True)
        assert list(streamed) == rows


@pytest.mark.parametrize("suite", SUITES)
def test_features_are_those_of_the_release_and_of_the_card(
    datasets: Any, exported: dict[str, tuple[Request, Path]], suite: str, tmp_path: Path
) -> None:
    request, folder = exported[suite]
    declared = {info["config_name"]: info for info in front(folder)["dataset_info"]}
    for task in request.chosen_tasks():
        expected = {name: datasets.Value("string") for name in TEXT}
        if suite == "zeroscrolls":
            expected |= {name: datasets.Value("int32") for name in OFFSETS}
            expected["truncation_seperator"] = datasets.Value("string")
        if task.kind == "aggregation" or task.name == "musique":
            expected["inner_docs_start_indices"] = datasets.List(datasets.Value("int32"))
        loaded = datasets.load_dataset(str(folder), task.name, split="test", cache_dir=str(tmp_path))
        assert list(loaded.features.items()) == list(expected.items()), task.name
        assert datasets.Features._from_yaml_list(declared[task.name]["features"]) == loaded.features
        builder = datasets.load_dataset_builder(str(folder), task.name, cache_dir=str(tmp_path))
        assert builder.info.features == loaded.features
        split = declared[task.name]["splits"][0]
        assert (split["name"], split["num_examples"]) == ("test", loaded.num_rows)
        assert split["num_bytes"] == pytest.approx(loaded.dataset_size, rel=0.02)


def test_offsets_point_into_the_loaded_input(
    datasets: Any, exported: dict[str, tuple[Request, Path]], tmp_path: Path
) -> None:
    _, folder = exported["zeroscrolls"]
    row = datasets.load_dataset(str(folder), "musique", split="test", cache_dir=str(tmp_path))[0]
    assert row["input"][row["document_start_index"] :].startswith("Title: ")
    starts = row["inner_docs_start_indices"]
    assert len(starts) == 20
    assert starts[0] == row["document_start_index"]
    assert all(row["input"][start:].startswith("Title: ") for start in starts)
    assert row["input"][row["query_start_index"] : row["query_end_index"]].startswith("Question:")


def test_parquet_is_zstd_in_small_row_groups(exported: dict[str, tuple[Request, Path]]) -> None:
    file = pq.ParquetFile(exported["zeroscrolls"][1] / "squality/test-00000-of-00001.parquet")
    assert file.metadata.num_row_groups == 3  # 40 rows
    assert file.metadata.row_group(0).column(2).compression == "ZSTD"


def digests(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files_below(folder)}


def test_second_export_has_equal_bytes_and_changes_nothing(
    exported: dict[str, tuple[Request, Path]], tmp_path: Path
) -> None:
    request, folder = exported["zeroscrolls"]
    export_hf(Chain(request), tmp_path / "other name")
    assert digests(tmp_path / "other name") == digests(folder)
    before = {name: (folder / name).stat().st_mtime_ns for name in files_below(folder)}
    export_hf(Chain(request), folder)
    assert {name: (folder / name).stat().st_mtime_ns for name in files_below(folder)} == before


def small(exported: dict[str, tuple[Request, Path]], *tasks: str) -> Request:
    return replace(exported["zeroscrolls"][0], tasks=tasks)


def test_interrupted_export_leaves_no_half_folder(
    exported: dict[str, tuple[Request, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, written = tmp_path / "out", iter(range(2))
    real = hf.write_split

    def interrupted(*arguments: Any) -> Split:
        if next(written) == 1:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(hf, "write_split", interrupted)
    with pytest.raises(KeyboardInterrupt):
        export_hf(Chain(small(exported, "qmsum", "musique")), out)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    export_hf(Chain(small(exported, "qmsum")), out)
    assert files_below(out) == ["README.md", "qmsum/test-00000-of-00001.parquet"]


def test_export_of_other_tasks_leaves_none_of_the_earlier_ones_behind(
    datasets: Any, exported: dict[str, tuple[Request, Path]], tmp_path: Path
) -> None:
    export_hf(Chain(small(exported, "qmsum", "squality")), tmp_path / "out")
    export_hf(Chain(small(exported, "musique")), tmp_path / "out")
    assert datasets.get_dataset_config_names(str(tmp_path / "out")) == ["musique"]
    assert files_below(tmp_path / "out") == ["README.md", "musique/test-00000-of-00001.parquet"]


def test_folder_with_other_files_is_refused(exported: dict[str, tuple[Request, Path]], tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# My thesis\n")
    with pytest.raises(StorageError, match=r"holds files that are no export \(README\.md\)"):
        export_hf(Chain(small(exported, "qmsum")), tmp_path)
    assert (tmp_path / "README.md").read_text() == "# My thesis\n"


def test_task_that_is_not_built_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    request = Request.of("zeroscrolls", home=str(tmp_path / "home"), sample=True, tasks=("qmsum",))
    with pytest.raises(StageFailed, match="qmsum, split test: not built; run `scrollwork build zeroscrolls` first"):
        export_hf(Chain(request), tmp_path / "out")
    assert not (tmp_path / "out").exists()


# ---- the card


def test_card_says_sizes_keys_and_how_it_was_built_and_no_path_of_this_machine(
    exported: dict[str, tuple[Request, Path]],
) -> None:
    request, folder = exported["zeroscrolls"]
    text = (folder / "README.md").read_text(encoding="utf-8")
    head = front(folder)
    assert head["license"] == ["apache-2.0"]
    assert head["size_categories"] == ["n<1K"]
    assert head["task_categories"] == ["summarization", "question-answering", "text-generation"]
    assert "`scrollwork export hf zeroscrolls --sample --out FOLDER`" in text
    chain = Chain(request)
    results = Results(chain)
    for part in parts(request):
        artifact = results.artifact(chain.curate(part))
        assert artifact is not None
        assert artifact.content[:20] in text
    assert str(folder) not in text
    assert request.home not in text
    assert os.sep + "tmp" not in text


def test_licences_are_those_of_the_sources_of_the_raw_files(tmp_path: Path) -> None:
    from scrollwork.records.raw_file import RawFile

    request = Request("zeroscrolls", str(tmp_path), str(tmp_path))
    files = [RawFile("x", path, "0" * 64, 1) for path in ("narrativeqa/qaps.csv", "narrativeqa/tmp/a.content", "own/a")]
    found = licences(request, load_catalogue(), files)
    assert [(one.title, one.licence[:19]) for one in found] == [
        ("NarrativeQA", "Apache-2.0 (tables)"),
        ("own", "none stated"),
    ]
    assert "The NarrativeQA Reading Comprehension Challenge" in found[0].paper


def test_every_task_of_every_suite_has_a_paper_and_a_licence_of_its_data_set() -> None:
    catalogue = load_catalogue()
    known = {source.path.partition("/")[0]: source for source in catalogue.sources}
    for suite in SUITES:
        for task in Request(suite, "/nowhere", "/nowhere").chosen_tasks():
            for patterns in task.raw.values():
                source = known[patterns[0].partition("/")[0]]
                assert source.paper, task.name
                assert source.licence, task.name


SPLIT = Split("test", 1, 2, 2, 3, 4, 5, 6, "0" * 64, "a" * 64, "b" * 64)


def made(name: str, *, licence: str = "CC BY 4.0", title: str = "T") -> str:
    request = Request("zeroscrolls", "/nowhere", "/nowhere/raw")
    config = Config(name, "qa", {"id": "string"}, [SPLIT], {Licence(title, licence, "A paper"): None})
    return card(request, [config], hf_rows)


NAMES = [
    "no",
    "null",
    "1e3",
    "0x10",
    "~",
    "- a",
    "# b",
    'say "x"',
    "back\\slash",
    "a: b",
    "ü é 漢 🙂",
    "a\nb",
    "---",
    "\x85\x7f\u2028",
    "{x}",
    "%d",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_read_back_from_the_yaml_as_it_is(name: str) -> None:
    head = yaml.safe_load(made(name).split("\n---\n")[0])
    assert head["configs"][0]["config_name"] == name
    assert head["dataset_info"][0]["config_name"] == name
    assert yaml.safe_load(quoted(name)) == name


@pytest.mark.parametrize("name", ["../out", "a/b", "a*", "[a]", ".hidden", "", "a b", "c:"])
def test_name_that_datasets_or_a_folder_cannot_have_is_refused(
    exported: dict[str, tuple[Request, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    request = small(exported, "qmsum")
    tasks = [replace(task, name=name) for task in request.chosen_tasks()]
    monkeypatch.setattr(Request, "chosen_tasks", lambda self: tasks)
    with pytest.raises(UsageError, match="cannot be the name of a configuration"):
        export_hf(Chain(request), tmp_path / "sub/out")
    assert files_below(tmp_path) == []


@pytest.mark.parametrize(
    ("licence", "ids"),
    [
        ("CC BY 4.0", ["cc-by-4.0"]),
        ("MIT; reviews from TripAdvisor", ["mit", "other"]),
        ("none stated", ["unknown"]),
        ("Apache-2.0 (tables); books: Project Gutenberg licence; film scripts: their owners", ["apache-2.0", "other"]),
        ("a licence of its own", ["other"]),
    ],
)
def test_licence_ids_claim_no_more_than_the_publisher_states(licence: str, ids: list[str]) -> None:
    assert yaml.safe_load(made("x", licence=licence).split("\n---\n")[0])["license"] == ids


def test_licence_text_cannot_leave_its_cell() -> None:
    text = made("x", licence="a | b\n## c <script>", title="t|u")
    (line,) = [line for line in text.splitlines() if line.startswith("| x | test | 1 |")]
    assert "t\\|u | a \\| b ## c &lt;script> |" in line
    assert "\n## c" not in text


def test_private_references_are_counted() -> None:
    assert "- References of 2 rows of x, test: they are not published." in made("x")


def test_command_names_what_was_asked_for() -> None:
    from scrollwork.exchange.hf_card import command

    request = Request(
        "zeroscrolls",
        "/nowhere",
        "/nowhere/raw",
        tasks=("squality", "qmsum"),
        splits=("validation",),
        limit=5,
        seed=7,
        options={"squality.release": "v1-3", "qmsum.drop_vocalsound": True},
    )
    assert command(request) == (
        "scrollwork export hf zeroscrolls --task squality --task qmsum --split validation --limit 5 --seed 7 "
        "--set qmsum.drop_vocalsound=true --set squality.release=v1-3 --out FOLDER"
    )
    assert json.dumps("/nowhere") not in command(request)
