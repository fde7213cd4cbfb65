"""Samples of shares: rows, order and facts are those of one process, whatever is chosen and however the data are cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.cli.main import main
from scrollwork.flows.chains import Chain
from scrollwork.flows.epochs import words_of
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.preprocessing import sampling
from scrollwork.preprocessing.sampling import Policy
from scrollwork.readings.home_artifacts import unscored
from scrollwork.records.example import Example, metadata
from scrollwork.storage.artifacts import parts as stored_parts
from scrollwork.storage.artifacts.artifact import Artifact, Artifacts
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.storage.home import Home
from scrollwork.suites.parts import parts
from scrollwork.suites.request import Request
from scrollwork.tasks.sample import run, share, together
from tests.preprocessing.sampling_kit import heads
from tests.some_slow import one_in
from tests.tasks.test_curate_shares import SUITE, joined, note

OPTIONS: dict[str, dict[str, Any]] = {
    "size": {"size": 9},
    "by": {"by": "kind", "strata": {"true": 6, "false": 2}},
    "order_by": {"order_by": "worth"},
    "unique_by": {"unique_by": "twin"},
    "group_by": {"group_by": "book"},
    "skip": {"skip": 3},
    "limit": {"limit": 5},
}
COMBINATIONS = [names for count in range(len(OPTIONS) + 1) for names in combinations(OPTIONS, count)]


def policy_of(names: Sequence[str]) -> dict[str, Any]:
    return {key: value for name in names for key, value in OPTIONS[name].items()}


def example(number: int, kind: bool, worth: int, twin: int, book: int) -> Example:
    """An example on one document or two, which others may have, too."""
    facts = metadata(kind=kind, worth=worth, twin=twin, book=f"b{book}")
    documents = tuple(f"{one:064d}" for one in {number // 2, worth})
    return Example("t", "test", f"e{number}", documents, ("r",) * (number % 3), metadata=facts)


SMALL = st.integers(0, 6)
EXAMPLES = st.lists(st.tuples(st.booleans(), SMALL, SMALL, SMALL), max_size=60).map(
    lambda listed: [example(number, *facts) for number, facts in enumerate(listed)]
)


@st.composite
def cut(draw: st.DrawFn) -> list[list[Example]]:
    """Examples in 2 to 7 shares, of which some may have none."""
    examples = draw(EXAMPLES)
    borders = sorted(draw(st.lists(st.integers(0, len(examples)), min_size=1, max_size=6)))
    return [examples[start:end] for start, end in pairwise([0, *borders, len(examples)])]


@given(cut(), st.sampled_from(COMBINATIONS), st.integers(0, 3), st.integers(0, 9))
def test_a_share_leaves_out_what_is_chosen_of_the_whole(
    shares: list[list[Example]], names: Sequence[str], cut_at: int, size: int
) -> None:
    policy = Policy(seed=3, **{**policy_of(names), **({"size": size} if "size" in names else {})})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sampling, "CUT", cut_at)
        kept = [some[one.place] for some in shares for one in policy.candidates(heads(some))]
        found = [one.example_id for one in policy.choice(heads(kept))]
        assert found == [one.example_id for one in policy.choice(heads([one for some in shares for one in some]))]
    if policy.takes_foremost:
        room = 8 if "by" in names else policy.skip + (policy.size or policy.limit)
        assert len(kept) <= room * len(shares)


def stored(home: Path, slot: str, examples: Sequence[Example]) -> Artifact:
    """A curated artifact."""
    writing = Artifacts(str(home)).write(Ingredients("curate", slot, {}, {}, {}, {}))
    with writing as writer:
        table = writer.table("examples", Example)
        for one in examples:
            table.add(one)
        documents = {name for one in examples for name in one.document_ids}
        writer.facts = {"examples": len(examples), "documents": len(documents)} if examples else {}
    return writing.artifact


def sampled(home: Path, module: Any, slot: str, policy: dict[str, Any], **inputs: list[Artifact]) -> Artifact:
    """What a module of stage sample makes of artifacts."""
    params = {"suite": "s", "seed": 3, **policy}
    writing = Artifacts(str(home)).write(Ingredients("sample", slot, {"": module.__name__}, params, {}, {}))
    with writing as writer:
        module.run(Node("sample", (), params, module.__name__), InputArtifacts(inputs), None, writer)
    return writing.artifact


def rows_of(artifact: Artifact) -> list[Example]:
    return list(artifact.rows("examples", Example))


def files_of(artifact: Artifact) -> list[str]:
    return [part.sha256 for part in artifact.manifest.parts("examples") if part.rows]


FACTS = [(n % 3 > 0, n * 7 % 5, n * 5 % 11, n * 3 % 4) for n in range(40)]
CUTS = ((0, 17, 40), (0, 0, 40, 40), (0, 5, 6, 30, 40), (0, 1, 9, 9, 30, 40), (0, 6, 12, 18, 24, 24, 40))
CUTS = (*CUTS, (0, 4, 11, 19, 19, 26, 33, 40))  # two to seven shares


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, pytest.param(3, marks=pytest.mark.slow)])
def test_what_is_put_together_differs_from_what_one_process_writes(first: int, tmp_path: Path) -> None:
    """For every combination of the options, each with another number of shares than the one before."""
    examples = [example(number, *facts) for number, facts in enumerate(FACTS)]
    whole = stored(tmp_path, "whole", examples)
    several = [
        [
            stored(tmp_path, f"{n}-of-{len(cut) - 1}", examples[slice(*borders)])
            for n, borders in enumerate(pairwise(cut))
        ]
        for cut in CUTS
    ]
    for number, names in enumerate(COMBINATIONS):
        shares = several[(first + number) % len(CUTS)]
        make = partial(sampled, policy=policy_of(names))
        alone = make(tmp_path, run, f"alone-{number}", curated=[whole])
        kept = [make(tmp_path, share, f"kept-{number}-{n}", curated=[one]) for n, one in enumerate(shares)]
        found = make(tmp_path, together, f"found-{number}", curated=[whole], shares=kept)
        assert rows_of(found) == rows_of(alone), names
        assert found.facts == alone.facts, names
        assert (len(rows_of(found)) == 40) == (not {*names} & {"size", "by", "unique_by", "skip", "limit"}), names
        if not names:
            assert files_of(found) == [file for one in kept for file in files_of(one)]


@pytest.mark.parametrize("names", [(), ("size",), ("by", "limit")])
def test_an_id_in_two_shares_is_taken_twice(names: Sequence[str], tmp_path: Path) -> None:
    """Curation has put all together again then, without the second one."""
    examples = [example(number, *facts) for number, facts in enumerate(FACTS)]
    whole = stored(tmp_path, "whole", examples)
    shares = [stored(tmp_path, "1", examples[:20]), stored(tmp_path, "2", [examples[7], *examples[20:]])]
    make = partial(sampled, policy=policy_of(names))
    kept = [make(tmp_path, share, f"kept-{n}", curated=[one]) for n, one in enumerate(shares)]
    found = make(tmp_path, together, "found", curated=[whole], shares=kept)
    alone = make(tmp_path, run, "alone", curated=[whole])
    assert (rows_of(found), found.facts) == (rows_of(alone), alone.facts)


@pytest.mark.parametrize("names", [(), ("size",)])
def test_a_data_set_of_which_everything_was_filtered_has_no_sample(names: Sequence[str], tmp_path: Path) -> None:
    empty = [stored(tmp_path, name, []) for name in ("whole", "1", "2")]
    make = partial(sampled, policy=policy_of(names))
    kept = [make(tmp_path, share, f"kept-{n}", curated=[one]) for n, one in enumerate(empty[1:])]
    found = make(tmp_path, together, "found", curated=empty[:1], shares=kept)
    assert (rows_of(found), found.facts) == ([], {"examples": 0, "documents": 0, "references": 0})


def test_all_examples_are_held_while_they_are_chosen_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of 64 kB: 13 MB in all, of which a few are in memory at a time."""
    import tracemalloc

    monkeypatch.setattr(stored_parts, "GROUP_BYTES", 256 << 10)
    texts = (chr(97 + number % 26) * 65_536 for number in range(200))
    whole = stored(tmp_path, "whole", [Example("t", "test", f"e{n}", ("d",), (one,)) for n, one in enumerate(texts)])
    for policy in ({}, {"size": 199}):
        tracemalloc.start()
        found = sum(len(one.references[0]) for one in run.Parameters(suite="s", seed=0, **policy).chosen(whole))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == policy.get("size", 200) * 65_536
        assert peak < 2_000_000


SAMPLES = {
    "all": "",
    "some": "sample = { size = 6 }\n",
    "strata": 'sample = { size = 8, by = "odd", strata = { true = 5, false = 3 } }\n',
    "unique": 'sample = { size = 8, unique_by = "twin" }\n',
}


def notes(folder: Path, *more: str) -> None:
    """Raw files of 30 records and these."""
    listed = [note(f"n{n}", metadata={"odd": n % 2 > 0, "twin": n // 2}) for n in range(30)]
    (folder / "raw" / "notes").mkdir(parents=True)
    (folder / "raw" / "notes" / "a.jsonl").write_bytes(joined([*listed, *more]))


def suite_of(folder: Path, shards: int, sample: str) -> Path:
    path = folder / f"suite-{shards}.toml"
    path.write_text(SUITE + sample + (f"shards = {shards}\n" if shards > 1 else ""))
    return path


def samples_in(folder: Path, shards: int, sample: str) -> dict[str, Artifact]:
    """Build the suite of a folder; the artifacts of stage sample by slot."""
    home, suite = folder / f"home-{shards}", suite_of(folder, shards, sample)
    told = ("--quiet", "build", "--suite", str(suite), "--raw", str(folder / "raw"), "--engine", "inline")
    main(["--home", str(home), *told])  # its status tells malformed records
    made = [one for one in Artifacts(f"{home}/artifacts").everything() if one.folder.url.split("/")[-3] == "sample"]
    return {one.manifest.ingredients.slot: one for one in made}


@pytest.mark.parametrize(
    ("kind", "more"), one_in(3, product(SAMPLES, [(), (note("n3", "again", metadata={"odd": True, "twin": 1}),)]))
)
def test_a_build_in_shares_has_other_inputs(kind: str, more: tuple[str, ...], tmp_path: Path) -> None:
    notes(tmp_path, *more)
    alone, several = (samples_in(tmp_path, shards, SAMPLES[kind]) for shards in (1, 4))
    slots = [f"own.notes.test.{number}-of-4" for number in range(1, 5)]
    assert [*several] == ["own.notes.test", *(slots if kind != "unique" else [])]  # a share could leave nothing out
    whole = several["own.notes.test"]
    assert rows_of(whole) == rows_of(alone["own.notes.test"])
    assert whole.facts == alone["own.notes.test"].facts
    if kind == "all":
        adopted = [file for slot in slots for file in files_of(several[slot])]
        assert (files_of(whole) == adopted) == (not more)


def test_shares_are_shown_as_samples(tmp_path: Path) -> None:
    """The frames of a home show what is built: all of it once."""
    notes(tmp_path)
    whole = samples_in(tmp_path, 4, "")["own.notes.test"]
    samples, _ = unscored(Home(str(tmp_path / "home-4")), "own", ())
    assert [one.content for one in samples] == [whole.content]


def nodes_of(folder: Path, shards: int, canary: bool) -> Iterator[tuple[Node, Node]]:
    """The curation of a task and its sample."""
    suite = suite_of(folder, shards, SAMPLES["some"])
    request = Request.of(str(suite), home=str(folder / "home"), raw=str(folder / "raw"))
    chain = Chain(replace(request, canary=canary))
    return ((chain.curate(part), chain.sample(part)) for part in parts(request))


@pytest.mark.parametrize("canary", [False, True])
def test_a_sample_is_of_a_share(canary: bool, tmp_path: Path) -> None:
    """Later stages find the whole data set behind a sample: its texts."""
    notes(tmp_path)
    ((curated, sample),) = nodes_of(tmp_path, 4, canary)
    assert sample.input("curated") == curated
    assert curated.label("shard") == sample.label("shard") == ""
    if not canary:
        assert [one.input("curated") for one in sample.each("shares")] == list(curated.each("shares"))


def test_shares_make_an_epoch_another(tmp_path: Path) -> None:
    """A model would be asked anew, and paid."""
    notes(tmp_path)
    alone, several = (words_of(sample, {}) for shards in (1, 4) for _, sample in nodes_of(tmp_path, shards, False))
    assert alone == several
