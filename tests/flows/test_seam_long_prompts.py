"""Prompts of SEAM that are longer than a model's window: what is cut, what is never cut, what is written down of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.flows.seam_kit import Row, Scripted, asking, examples, hosted, rendered, rows, scripted, seam
from tests.flows.seam_raw import lines, text, write

pytestmark = pytest.mark.slow

WINDOW, ANSWER = 1100, 500  # words; new tokens of the suite
LONG = [" ".join(f"{name}{n}" for n in range(count)) for name, count in (("aa", 2000), ("bb", 1000), ("cc", 0))]
DOCUMENT = re.compile(r"Document (\d+): ```(.*?)```", re.DOTALL)


@pytest.fixture
def vendor() -> Iterator[Scripted]:
    with scripted() as running:
        running.reply = lambda model, prompt: "fine"
        yield running


@pytest.fixture
def work(scrollwork: Scrollwork, vendor: Scripted, tmp_path: Path) -> Scrollwork:
    """A model with a window of WINDOW words, raw files with long documents."""
    write(tmp_path / "raw")
    text(tmp_path / "raw/multi_news/data/test.src.cleaned", f"{LONG[0]} ||||| {LONG[1]}\n")
    text(tmp_path / "raw/multi_news/data/test.tgt", "So.\n")
    paragraphs = [f"{LONG[1]} Rome.", f"Rome {LONG[1]}", f"Oslo {LONG[1]}"]
    listed = [
        {"idx": n, "title": "T", "paragraph_text": one, "is_supporting": n == 0} for n, one in enumerate(paragraphs)
    ]
    asked = [("2hop__1", "Rome"), ("2hop__2", "Oslo"), ("2hop__3", "bb999"), ("2hop__4", "nowhere")]
    records = [
        {"id": name, "question": "Q?", "answer": answer, "answerable": True, "paragraphs": listed}
        for name, answer in asked
    ]
    records.append({"id": "2hop__4", "question": "Q?", "answer": "Rome", "answerable": False, "paragraphs": listed})
    lines(tmp_path / "raw/musique/musique_full_v1.0_dev.jsonl", records)
    return hosted(scrollwork, vendor.url, "small", context=WINDOW, tokenizer="words")


def profile(home: Path) -> str:
    """The name of the one profile that prompts were made for."""
    (name,) = {path.name.split(".")[3] for path in (home / "artifacts" / "prompt").iterdir()}
    return name


def asked(work: Scrollwork, task: str, *arguments: str) -> tuple[dict[str, str], list[Row]]:
    """(texts, prompt rows) of run 0."""
    raw = ("--raw", str(work.home.parent / "raw"))
    seam(work, *raw, *arguments, *asking(work, "small"), tasks=(task,))
    return rendered(work.home, task, 0, profile(work.home)), rows(
        work.home, "prompt", f"seam.{task}.test.*.full.0", "prompts"
    )


def whole(work: Scrollwork, task: str, tmp_path: Path) -> dict[str, str]:
    """The texts without a limit."""
    free = work.with_(home=tmp_path / "free" / "home")
    free(
        "build", "seam", "--raw", str(tmp_path / "raw"), "--task", task, "--runs", "1", "--engine", "inline", "--quiet"
    )
    return rendered(free.home, task, 0)


def test_cue_or_demonstrations_are_cut_or_the_receipt_is_wrong(
    work: Scrollwork, vendor: Scripted, tmp_path: Path
) -> None:
    found, (row,) = asked(work, "multi_news")
    (cut,), (full,) = found.values(), whole(work, "multi_news", tmp_path).values()
    assert vendor.prompts("small") == [cut]
    assert WINDOW - ANSWER - 15 < len(cut.split()) <= WINDOW - ANSWER
    assert row["tokens_prompt"] == len(cut.split())
    ending = "```\n*Answer*: "
    assert cut.endswith(ending)
    front = full[: full.rindex("*The documents*:\n")]
    assert len(front) > 100
    assert cut.startswith(front)
    (of,) = examples(work.home, "multi_news", 0)
    permuted = [n for n in of["facts"]["permutation"] if n < 2]
    shown = DOCUMENT.findall(cut[len(front) :])
    assert [place for place, _ in shown] == ["1", "2"]
    shares = [len(text) / len(LONG[number]) for number, (_, text) in zip(permuted, shown, strict=True)]
    assert all(LONG[number].startswith(text) for number, (_, text) in zip(permuted, shown, strict=True))
    assert shares[0] == pytest.approx(shares[1], abs=0.001)
    assert row["truncated"]
    assert row["kept_chars"] == sum(len(text) for _, text in shown)
    assert row["kept_chars"] + row["dropped_chars"] == len(LONG[0]) + len(LONG[1])
    assert [(span["start"], span["end"]) for span in row["dropped"]] == [
        (len(text), len(LONG[number])) for number, (_, text) in zip(permuted, shown, strict=True)
    ]


def test_official_cut_keeps_another_part_than_the_first_tokens_of_the_window(
    work: Scrollwork, vendor: Scripted, tmp_path: Path
) -> None:
    """The right end goes, cue and all, at window - 500 (fact sheet 2, 12)."""
    found, (row,) = asked(work, "multi_news", "--truncation", "official")
    (cut,), (full,) = found.values(), whole(work, "multi_news", tmp_path).values()
    assert cut.split() == full.split()[: WINDOW - ANSWER]
    assert full.startswith(cut)
    assert not cut.endswith("*Answer*: ")
    assert row["truncated"]
    assert vendor.prompts("small") == [cut]


def test_limit_of_the_command_line_is_cut_by_an_answer_that_it_does_not_hold(
    work: Scrollwork, vendor: Scripted, tmp_path: Path
) -> None:
    """--max-input-tokens N is of the prompt, for a model that writes 500 tokens as for a baseline that writes none."""
    found, (row,) = asked(work, "multi_news", "--max-input-tokens", "700")
    assert 685 < row["tokens_prompt"] == len(next(iter(found.values())).split()) <= 700
    own = work.with_(home=tmp_path / "own" / "home")
    seam(own, "--raw", str(tmp_path / "raw"), "--max-input-tokens", "700", "--model", "lead", tasks=("multi_news",))
    assert rendered(own.home, "multi_news", 0, profile(own.home)) == found


def test_answer_or_evidence_of_musique_is_looked_for_in_the_wrong_place(work: Scrollwork) -> None:
    _, found = asked(work, "musique")
    places = {row["example_id"]: row["answer_in"] for row in found}
    # Rome begins paragraph 1 and ends paragraph 0; Oslo begins paragraph 2; bb999 ends each
    assert places == {
        "2hop__1": "both",
        "2hop__2": "kept",
        "2hop__3": "dropped",
        "2hop__4": "absent",
        "2hop__4_unanswerable": None,
    }
    assert {row["evidence_in"] for row in found} == {"split"}


def test_window_without_room_for_demonstrations_cuts_them_or_is_a_traceback(work: Scrollwork) -> None:
    narrow = hosted(work, "http://127.0.0.1:9", "small", context=520, tokenizer="words")
    raw = ("--raw", str(work.home.parent / "raw"))
    done = seam(narrow, *raw, *asking(narrow, "small"), tasks=("multi_news",), status=1)
    assert "leave no room for the documents: instructions and demonstrations need" in done.err
    assert "multi_news, 0" in done.err
    assert "Traceback" not in done.err


def test_prompt_that_fits_is_another_with_a_limit(work: Scrollwork, vendor: Scripted, tmp_path: Path) -> None:
    found, prompts = asked(work, "ecb_plus")
    assert found == whole(work, "ecb_plus", tmp_path)
    assert not any(row["truncated"] or row["dropped"] for row in prompts)
    for row in prompts:  # marks are no words of their own
        assert row["tokens_prompt"] == len(found[row["example_id"]].split())
    assert sorted(found.values()) == sorted(vendor.prompts("small"))
