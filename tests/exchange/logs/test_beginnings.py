"""Logs with whole prompts know their beginnings, as those that keep no more have them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from scrollwork.analysis.logs.items import items_of
from scrollwork.analysis.logs.log import BEGINNING_PART, Log, ReadOptions
from scrollwork.analysis.logs.pairing import pair_items
from scrollwork.exchange.logs.inspect_ai.prompts import CUT_MARK
from scrollwork.exchange.logs.read import read_log
from tests.exchange.logs.log_kit import archived, line, sample, samples_file, sha, whole

LONG = "Łódź " * 1_100
PROMPTS = {"q1": LONG + "one?", "q2": LONG + "two?", "q3": "short?", "q4": "x" * 5_120, "q5": "other " * 1_000}
CUT = [sample(name, input=text if len(text) <= 5_120 else text[:5_120] + CUT_MARK) for name, text in PROMPTS.items()]


def written(folder: Path, kind: str) -> Path:
    """A log of that kind in which the prompts are whole."""
    rows = [{"id": name, "score": 1.0, "prompt": text} for name, text in PROMPTS.items()]
    path = folder / f"log.{kind}"
    if kind == "json":
        return whole(path, *(sample(name, input=text) for name, text in PROMPTS.items()))
    if kind == "parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif kind == "csv":
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    else:
        made = [
            line(place, name, exact=1.0, arguments={"gen_args_0": {"arg_0": text, "arg_1": {}}})
            for place, (name, text) in enumerate(PROMPTS.items())
        ]
        return samples_file(folder, *made)
    return path


@pytest.mark.parametrize("kind", ["json", "csv", "jsonl", "parquet", "lm_eval"])
def test_a_cut_log_cannot_be_held_against_a_whole_one(tmp_path: Path, kind: str) -> None:
    (cut,) = read_log(archived(tmp_path / "cut.eval", *CUT), ReadOptions())
    (log,) = read_log(written(tmp_path, kind), ReadOptions())
    assert isinstance(log, Log)
    assert (cut.prompt_part, cut.beginnings, log.prompt_part) == (BEGINNING_PART, None, "")
    assert log.prompts == [sha(text) for text in PROMPTS.values()]
    assert log.beginnings == cut.prompts
    found = pair_items(items_of(cut), items_of(log))
    assert (found.by, found.unconfirmed, found.by_beginning) == ({"id": 5}, 0, True)


def test_choices_and_messages_are_left_out_of_the_beginning(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": LONG + "!"}, {"role": "user", "content": "why"}]
    cut = [{"role": "system", "content": messages[0]["content"][:5_120] + CUT_MARK}, messages[1]]
    given = [("a", LONG + "?", ["x", "y"]), ("b", messages, None)]
    shown = [("a", (LONG + "?")[:5_120] + CUT_MARK, ["x", "y"]), ("b", cut, None)]
    logs = [
        read_log(
            write(tmp_path / name, *(sample(one, input=text, choices=more) for one, text, more in rows)), ReadOptions()
        )
        for write, name, rows in ((whole, "a.json", given), (archived, "b.eval", shown))
    ]
    assert logs[0][0].beginnings == logs[1][0].prompts
