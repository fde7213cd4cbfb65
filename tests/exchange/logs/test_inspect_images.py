"""Prompts of inspect_ai logs that hold images and files, or several texts: as 0.3.58, 0.3.100 and 0.3.285 write them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.analysis.logs.items import items_of
from scrollwork.analysis.logs.log import BEGINNING_PART, Log, ReadOptions
from scrollwork.analysis.logs.pairing import pair_items
from scrollwork.exchange.logs.inspect_ai.prompts import CUT_MARK, NOT_LOGGED, TEXT_ALONE
from scrollwork.exchange.logs.inspect_ai.reader import read
from tests.exchange.logs.log_kit import compact, header, sample, whole, zipped

NO_IDS = {"dataset": {"samples": 3}}


def one(path: Path) -> Log:
    (log,) = read(path, ReadOptions())
    return log


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def user(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": list(parts)}]


def pictures(order: str) -> list[dict[str, Any]]:
    """One question about a picture each; the pictures are attached to their samples, as inspect does."""
    return [
        sample(number, float(ord(name) % 3), attachments={"hash": f"data:image/png;base64,{name}"})
        | {"input": user(text("What is shown?"), {"type": "image", "image": "attachment://hash", "detail": "auto"})}
        for number, name in enumerate(order, start=1)
    ]


def shown(one: dict[str, Any]) -> dict[str, Any]:
    """The summary of a sample with a picture."""
    return {key: value for key, value in one.items() if key != "attachments"} | {
        "input": user(text("What is shown?"), text("(Image)"))
    }


def archive(path: Path, samples: list[dict[str, Any]], summaries: list[dict[str, Any]], **more: Any) -> Path:
    members = {f"samples/{one['id']}_epoch_1.json": compact(one) for one in samples}
    return zipped(path, {**members, "summaries.json": compact(summaries), "header.json": compact(header(**more))})


def pairing(a: Log, b: Log) -> tuple[int, int, int]:
    """(pairs, those whose prompts could not be compared, those whose prompts differ)"""
    found = pair_items(items_of(a), items_of(b))
    return len(found.groups), found.unconfirmed, len(found.changed)


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_questions_about_other_pictures_are_one_item(tmp_path: Path, kind: str) -> None:
    logs = []
    for name, order in (("a", "xyz"), ("b", "zxy")):
        samples, path = pictures(order), tmp_path / f"{name}.{kind}"
        if kind == "eval":
            archive(path, samples, [shown(each) for each in samples], model=name, **NO_IDS)
        else:
            whole(path, *samples, model=name, **NO_IDS)
        logs.append(one(path))
    a, b = logs
    assert a.prompts is not None
    assert b.prompts is not None
    assert a.ids is None
    assert a.prompt_part == ""
    assert [a.prompts[row] for row in (2, 0, 1)] == list(b.prompts)
    assert pairing(a, b) == (3, 0, 0)


@pytest.mark.parametrize("lost", [text("(Image)"), {"type": "image", "image": NOT_LOGGED}])
def test_a_picture_that_was_not_logged_passes_for_equal(tmp_path: Path, lost: dict[str, Any]) -> None:
    """0.3.100 writes "(Image)" into the samples themselves, `--no-log-images` a mark."""
    named = [sample(name, float(place)) | {"input": user(text("?"), lost)} for place, name in enumerate("abc")]
    unnamed = [sample(place, float(place)) | {"input": user(text("?"), lost)} for place in (1, 2, 3)]
    different = [each | {"input": user(text(f"{each['id']}?"), lost)} for each in unnamed]
    logs = {
        name: one(archive(tmp_path / f"{name}.eval", samples, [shown(each) for each in samples], **more))
        for name, samples, more in (("ids", named, {}), ("none", unnamed, NO_IDS), ("texts", different, NO_IDS))
    }
    assert {log.prompt_part for log in logs.values()} == {TEXT_ALONE}
    assert pairing(logs["ids"], logs["ids"]) == (3, 3, 0)
    assert pairing(logs["none"], logs["none"]) == (0, 0, 0)  # one question three times, of which nothing is known
    assert pairing(logs["texts"], logs["texts"]) == (3, 0, 0)
    assert "3 prompts have images or files that are not in the log: compared by their text alone" in logs["ids"].notes


def test_a_log_with_pictures_refutes_one_that_lacks_them(tmp_path: Path) -> None:
    with_them = whole(tmp_path / "with.json", *pictures("xyz"))
    lacking = whole(tmp_path / "lacking.json", *(shown(each) for each in pictures("xyz")))
    a, b = one(with_them), one(lacking)
    a, b = (replace(log, ids=["p", "q", "r"], positions=None) for log in (a, b))
    assert pairing(a, b) == (3, 3, 0)


def test_a_message_of_several_texts_of_which_one_was_cut_is_taken_for_whole(tmp_path: Path) -> None:
    long = "x" * 6000
    samples = [sample(name) | {"input": user(text(long), text(f"{name}?"))} for name in "ab"]
    cut = [each | {"input": user(text(long[:5120] + CUT_MARK), text(f"{each['id']}?"))} for each in samples]
    archived, plain = archive(tmp_path / "a.eval", samples, cut), whole(tmp_path / "a.json", *samples)
    assert one(archived).prompt_part == BEGINNING_PART
    assert pairing(one(archived), one(plain)) == (2, 0, 0)
