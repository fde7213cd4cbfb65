"""What lengths are counted by: cl100k_base where its table lies in tiktoken's folder, white-space words elsewhere. The
table of these tests is a small one of our own, read by tiktoken itself; the real one is used where it is on the machine.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from scrollwork.pipeline.errors import UsageError
from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt, render
from scrollwork.records.ranking import LENGTH, Correlated, LengthPoint
from scrollwork.storage.home import Home
from scrollwork.suites import tokenizers, vocabularies
from scrollwork.suites.tokenizers import OF_LENGTHS, WORDS, length_tokenizer
from scrollwork.suites.vocabularies import load
from tests.conftest import Call

pytest.importorskip("tiktoken")
from tiktoken import registry
from tiktoken.load import load_tiktoken_bpe

NAME = hashlib.sha1(tokenizers.TABLE.encode()).hexdigest()
MERGED = (b"th", b"the", b" the", b"in", b"an", b"and", b" and", b"er", b"[[", b"]]", b"], ")
PIECES = r"""\p{N}{1,3}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+"""


def table() -> bytes:
    """A vocabulary as tiktoken's files have it: all bytes, then some pairs, a token and its rank on a line."""
    tokens = [bytes([number]) for number in range(256)] + list(MERGED)
    lines = (f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(tokens))
    return "\n".join([*lines, ""]).encode()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """tiktoken's folder, empty; nothing of the machine's own is seen."""
    place = tmp_path / "tables"
    place.mkdir()
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(place))
    monkeypatch.setattr(registry, "ENCODINGS", {})
    vocabularies._load.cache_clear()
    yield place
    vocabularies._load.cache_clear()


@pytest.fixture
def own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with our table in the place of cl100k_base's, whose digest tiktoken and we then ask for."""
    data = table()
    digest = hashlib.sha256(data).hexdigest()

    def made() -> dict[str, object]:
        ranks = load_tiktoken_bpe(tokenizers.TABLE, expected_hash=digest)
        return {"name": "cl100k_base", "pat_str": PIECES, "mergeable_ranks": ranks, "special_tokens": {}}

    registry.list_encoding_names()  # finds its constructors, so that ours stays
    assert registry.ENCODING_CONSTRUCTORS is not None
    monkeypatch.setitem(registry.ENCODING_CONSTRUCTORS, "cl100k_base", made)
    monkeypatch.setattr(tokenizers, "TABLE_SHA256", digest)
    (folder / NAME).write_bytes(data)
    return folder


def counted(text: str) -> int:
    """Tokens by that vocabulary: pairs of neighbours are merged, those of the lowest rank first."""
    total = 0
    for piece in re.findall(r"[0-9]{1,3}| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+", text):
        parts = [bytes([byte]) for byte in piece.encode()]
        while True:
            pairs = [a + b for a, b in pairwise(parts)]
            best = min((MERGED.index(pair) for pair in pairs if pair in MERGED), default=None)
            if best is None:
                break
            at = pairs.index(MERGED[best])
            parts[at : at + 2] = [pairs[at]]
        total += len(parts)
    return total


def test_table_in_the_folder_is_not_used(own: Path, tmp_path: Path) -> None:
    assert length_tokenizer() == OF_LENGTHS
    tokenizer = load(OF_LENGTHS, Home(str(tmp_path / "home")))
    for text in ("the thin man and the other", "[[12, 345], [6]]", "a b\n\nthe  end, <|endoftext|> é", ""):
        assert tokenizer.count(text) == counted(text) <= len(text.encode())
    assert [tokenizer.count(text) for text in (" the and", "]]", "<|endoftext|>")] == [2, 1, 13]


def test_no_table_is_fetched_or_passed_over_in_silence(folder: Path) -> None:
    assert length_tokenizer() == WORDS
    assert list(folder.iterdir()) == []
    assert length_tokenizer(OF_LENGTHS) == OF_LENGTHS, "what was asked for is taken or refused, not replaced"


@pytest.mark.parametrize("data", [b"", table()[:100], table()], ids=["empty", "cut", "another"])
def test_damaged_table_is_taken_and_fetched_anew(folder: Path, data: bytes) -> None:
    (folder / NAME).write_bytes(data)
    assert length_tokenizer() == WORDS
    assert (folder / NAME).read_bytes() == data


def test_folder_that_is_switched_off_is_the_one_we_are_in(
    folder: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert length_tokenizer() == WORDS


def test_tokenizer_that_is_asked_for_and_is_not_there_is_a_crash(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*arguments: object, **more: object) -> None:
        raise ConnectionError("no network in tests")

    monkeypatch.setattr("requests.get", refused)
    with pytest.raises(UsageError, match="set TIKTOKEN_CACHE_DIR to a folder that has it"):
        load(OF_LENGTHS, Home(str(tmp_path / "home")))


@pytest.mark.slow
def test_lengths_of_prompts_are_words_where_the_table_is_there(call: Call, own: Path) -> None:
    run = (
        "run",
        "seam",
        "--sample",
        "--task",
        "multi_news",
        "--shots",
        "1",
        "--runs",
        "2",
        "--engine",
        "inline",
        "--quiet",
    )
    assert call(*run, "--model", "naive", "--model", "lead")[0] == 0
    kept = list(Home(str(call.home)).artifacts.everything())
    (ranking,) = [one for one in kept if one.manifest.ingredients.stage == "rank"]
    (curated,) = [one for one in kept if one.manifest.ingredients.stage == "curate"]
    text_of = curated.texts()
    prompts = [
        (prompt.example_id, prompt.draw, counted(render(prompt.parts, text_of)))
        for one in kept
        if one.manifest.ingredients.stage == "prompt"
        for prompt in one.rows("prompts", Prompt)
    ]
    first = {example_id: length for example_id, draw, length in sorted(prompts, key=lambda one: -one[1])}
    points = list(ranking.rows("lengths", LengthPoint))
    assert len(points) == 2 * len(first) > 0
    assert {(point.instance, point.length) for point in points} == set(first.items())
    assert {row.unit for row in ranking.rows("correlations", Correlated) if row.against == LENGTH} == {OF_LENGTHS}


def test_data_sets_are_counted_in_words_where_the_table_is_there(call: Call, own: Path) -> None:
    build = ("build", "seam", "--sample", "--task", "sci_co", "--runs", "1", "--engine", "inline", "--quiet")
    status, out, _ = call(*build, "--json")
    (row,) = json.loads(out)
    (curated,) = [
        one for one in Home(str(call.home)).artifacts.everything() if one.manifest.ingredients.stage == "curate"
    ]
    golds = [str(json.loads(example.references[0])) for example in curated.rows("examples", Example)]
    assert (status, row["data_set"]["tokenizer"]) == (0, "cl100k_base")
    assert row["data_set"]["tokens_out"] == pytest.approx(sum(map(counted, golds)) / len(golds))
    assert row["data_set"]["difference"]["tokens_out"] is None, "one split of three"
    splits = [word for split in ("train", "validation", "test") for word in ("--split", split)]
    read = json.loads(call(*build, *splits, "--json")[1])[0]["data_sets_read"]
    assert read["difference"]["tokens_out"] is not None
    assert "tokens of cl100k_base (tiktoken)" in " ".join(call(*build)[1].split())


def test_real_table_gives_other_counts(tmp_path: Path) -> None:
    if length_tokenizer() != OF_LENGTHS:
        pytest.skip("the table of cl100k_base is not on this machine")
    tokenizer = load(OF_LENGTHS, Home(str(tmp_path / "home")))
    assert tokenizer.count("hello world") == 2
    assert tokenizer.count("[[12, 3], [4]]") == 9  # [[ 12 , blank 3 ], " [" 4 ]]
