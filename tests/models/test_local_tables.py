"""Tables of local checkpoints, and whose turn it is on the device: no torch is needed."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from scrollwork.models.engine.stopping import Stop
from scrollwork.models.local.device_turns import Turns
from scrollwork.models.local.local_tables import RUNS, answer_relevant
from scrollwork.models.registry import UnknownModel, settings
from scrollwork.suites.suite_files import load_models

LAB = {"provider": "transformers", "id": "/checkpoints/lab"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dytpe": "float16"}, "dytpe is no key of its table; there are: batch_size, "),
        ({"dtype": "half"}, "dtype 'half' is none of auto, float32, float16, bfloat16"),
        ({"id": ""}, "id is missing: the folder of a checkpoint, or OWNER/NAME@REVISION"),
        ({"batch_size": 0}, "batch_size must be positive"),
        ({"batch_tokens": -1}, "batch_tokens must be positive"),
        ({"max_new_tokens": 0}, "max_new_tokens must be positive"),
        ({"context": 0}, "context must be positive"),
        ({"chat": "yes"}, "chat must be true or false, not 'yes'"),
        ({"variant": "claude"}, "variant 'claude' is none of plain, chat"),
        ({"device": "cpu", "device_map": "auto"}, "device and device_map exclude each other"),
        ({"device_map": 3}, "device_map must be text or a table, not 3"),
        ({"generation": {"temprature": 1}}, "generation.temprature is no key"),
        ({"generation": {"temperature": 0.7}}, "generation.temperature does nothing without generation.do_sample"),
        ({"base_url": "http://127.0.0.1/v1"}, "base_url is no key"),
    ],
)
def test_slip_in_a_local_table_is_found_after_hours(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        settings("lab", {"lab": {**LAB, **change}})
    assert str(caught.value).startswith("model 'lab': ")
    assert said in str(caught.value)


def test_provider_without_a_folder_is_told_as_if_it_were_hosted() -> None:
    with pytest.raises(UnknownModel, match="'transformers' is a provider, not a model: write transformers:FOLDER"):
        settings("transformers", {})
    with pytest.raises(UnknownModel, match="'lab' has no options"):
        settings("lab:seed=3", {"lab": LAB})


def test_options_of_hosted_models_break_a_local_one_beside_them() -> None:
    given = {"base_url": "http://127.0.0.1:9/v1", "rpm": 5, "concurrency": 3, "context": 77, "tokenizer": "words"}
    table = settings("transformers:./tiny", {}, given=given)
    assert (table["id"], table["context"], table["tokenizer"]) == ("./tiny", 77, "words")
    assert not {"base_url", "rpm", "concurrency"} & set(table)


def test_place_or_device_enters_the_key_or_what_decides_the_answer_does_not() -> None:
    table = settings("lab", {"lab": {**LAB, "device": "cuda:1", "batch_size": 4, "dtype": "float16"}})
    kept = answer_relevant({**table, "place": "/somewhere", "digest": "d", "kind": "causal", "window": 9})
    assert not set(kept) & set(RUNS)
    assert {"digest", "kind", "window", "dtype", "provider"} <= set(kept)


def test_open_models_of_the_paper_are_not_asked_as_the_paper_did() -> None:
    papers = {name: table for name, table in load_models().items() if table["provider"] == "transformers"}
    assert len(papers) == 9
    for name, limit in (("bart-base", 1024), ("led-base", 16384)):
        table = settings(name, load_models(), "scrolls")
        assert (table["context"], table["max_new_tokens"], table["suites"]) == (limit, 1024, ["scrolls"])
        del papers[name]
    for name in papers:
        table = settings(name, load_models(), "zeroscrolls")
        assert (table["context"], table["max_new_tokens"], table["dtype"]) == (8192, 1024, "float16")
        assert (table["batch_size"], table["device_map"]) == (1, "auto")
        assert "truncation" not in table, "the suite's own: input for ZeroSCROLLS"


def test_two_checkpoints_take_turns_and_are_loaded_again_and_again() -> None:
    turns, order = Turns(), []
    assert turns.take("a", Stop())
    turns.keep("a", "weights of a")
    threads = []
    for key in ("b", "a", "b", "a"):
        thread = threading.Thread(target=work, args=(turns, key, order))
        threads.append(thread)
        thread.start()
        while len(turns._waiting) < len(threads):
            pass
    turns.give()
    for thread in threads:
        thread.join(5)
    assert order == ["a", "a", "b", "b"]


def work(turns: Turns, key: str, order: list[str]) -> None:
    """One stage's turn."""
    assert turns.take(key, Stop())
    if turns.loaded(key) is None:
        turns.keep(key, f"weights of {key}")
    order.append(key)
    turns.give()


def test_stage_that_waits_for_its_turn_cannot_be_stopped() -> None:
    turns, stop = Turns(), Stop()
    assert turns.take("a", stop)
    stop.set()
    assert turns.take("b", stop) is False
    turns.give()
    assert turns.take("b", Stop()), "who left does not stand in the way"
