"""Checkpoints in this process: trained on the spot, so that a right answer means something."""

from __future__ import annotations

import json
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.base import Answer, Attempt, CallFailed
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.local.checkpoint import Checkpoint, CheckpointError, need_device
from scrollwork.models.local.model import TURNS, loaded_checkpoint, prompt_tokens
from tests.models.local_kit import LETTERS, ask, asks, call, model, results, untrained

pytestmark = pytest.mark.slow
KINDS = ("t5", "llama")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(kind: str, request: pytest.FixtureRequest) -> Path:
    """Its trained checkpoint."""
    found: Path = request.getfixturevalue(f"tiny_{kind}")
    return found


def texts(found: list[Any]) -> list[str]:
    return [one.text for one in found]


def prompts(kind: str, count: int = 40, **more: Any) -> list[Any]:
    """What a kind was trained on, and other texts than it was trained on."""
    return asks(count, chat=kind == "llama", **more)


def test_trained_letter_does_not_come_back(kind: str, folder: Path, tmp_path: Path) -> None:
    found = results(model(folder, tmp_path), prompts(kind))
    right = sum(one.text == LETTERS[number % 4] for number, one in enumerate(found))
    assert right >= 38, texts(found)
    assert {one.finish_reason for one in found} == {"complete"}
    assert {one.usage.output_tokens for one in found} == {2}, "the letter and the end"
    assert all(one.usage.input_tokens > 10 for one in found)
    assert {one.reported_model for one in found} == {model(folder, tmp_path).table["checkpoint"]}


def test_answers_depend_on_the_batch_or_on_the_order(kind: str, folder: Path, tmp_path: Path) -> None:
    """Padding on the wrong side shows here: a short prompt beside a long one."""
    some = prompts(kind, longest=60)
    alone = texts(results(model(folder, tmp_path, batch_size=1), some))
    assert texts(results(model(folder, tmp_path, batch_size=8), some)) == alone
    assert texts(results(model(folder, tmp_path, batch_size=8), some[::-1])) == alone[::-1]
    assert texts(results(model(folder, tmp_path, batch_size=32, batch_tokens=100), some)) == alone
    assert len(set(alone)) > 2


def test_document_is_cut_elsewhere_than_at_its_end(kind: str, folder: Path, tmp_path: Path) -> None:
    made = model(folder, tmp_path, context=64)
    checkpoint = loaded_checkpoint("test", made)
    try:
        asked = ask("B", 300, chat=kind == "llama")
        found = prompt_tokens(call(made, asked).payload, checkpoint)
        whole = prompt_tokens(call(model(folder, tmp_path), asked).payload, checkpoint)
    finally:
        TURNS.keep("", None)
    assert found.cut
    assert not whole.cut
    shown = checkpoint.codec.tokenizer.decode(found.ids)
    query = "which letter ?"
    if kind == "llama":
        assert len(found.ids) <= 64 - asked.max_new_tokens
        assert shown.startswith("<s><|user|>read and answer .\n\n")
        assert shown.endswith(f"\n\n{query}<|end|><|assistant|>")
    else:
        rest = checkpoint.codec.ids(f"\n\n{query}\n\nanswer :", special=True)
        assert len(found.ids) == 64
        assert found.ids == whole.ids[: 64 - len(rest)] + rest, "ids are concatenated, nothing is decoded between"


def test_room_of_a_long_chat_template_is_not_kept_free(tiny_llama: Path, tmp_path: Path) -> None:
    talking = Path(shutil.copytree(tiny_llama, tmp_path / "talking"))
    template = talking / "chat_template.jinja"
    template.write_text(
        "you are a helpful machine of many words . today is {{ strftime_now('%d %B %Y') }} ." + template.read_text()
    )
    made = model(talking, tmp_path)
    checkpoint = loaded_checkpoint("test", made)
    TURNS.keep("", None)
    shown = checkpoint.codec.templated("word")
    assert "today is 26 July 2024 ." in shown, "a prompt of every day would be another"
    codec = checkpoint.codec
    assert made.table["around"] == len(codec.ids(shown, special=False)) - len(codec.ids("word", special=False))
    assert made.table["around"] > 20


def test_prompt_that_cannot_be_cut_ends_the_run_or_is_answered(kind: str, folder: Path, tmp_path: Path) -> None:
    made = model(folder, tmp_path, context=40)
    huge = ask("A", 5, chat=kind == "llama", max_new_tokens=35)
    if kind == "t5":
        huge = ask("A", chat=False, document="x", max_new_tokens=5)
        made = model(folder, tmp_path, context=3)
    failed, *_ = results(made, [huge])
    assert isinstance(failed, CallFailed)
    assert failed.kind == "terminal"
    assert "instruction and query alone are" in failed.message


def test_limit_of_new_tokens_is_the_librarys_twenty(kind: str, folder: Path, tmp_path: Path) -> None:
    endless = Path(shutil.copytree(folder, tmp_path / "endless"))
    settings = json.loads((endless / "generation_config.json").read_text())
    (endless / "generation_config.json").write_text(json.dumps({**settings, "eos_token_id": 900, "pad_token_id": 0}))
    (cut,) = results(model(endless, tmp_path), [ask("A", chat=kind == "llama", max_new_tokens=45)])
    assert (cut.finish_reason, cut.usage.output_tokens) == ("length", 45)
    (table,) = results(model(endless, tmp_path, max_new_tokens=7), [ask("A", chat=kind == "llama", max_new_tokens=45)])
    assert (table.finish_reason, table.usage.output_tokens) == ("length", 7)
    (one,) = results(model(folder, tmp_path), [ask("A", chat=kind == "llama", max_new_tokens=1)])
    assert (one.finish_reason, one.usage.output_tokens, one.text) == ("length", 1, "A")


def test_settings_of_the_checkpoint_make_it_sample(kind: str, folder: Path, tmp_path: Path) -> None:
    """Many checkpoints ship do_sample = true; greedy means greedy, twice the same."""
    hot = Path(shutil.copytree(folder, tmp_path / "hot"))
    settings = json.loads((hot / "generation_config.json").read_text())
    wild = {**settings, "do_sample": True, "temperature": 9.0, "top_k": 0}
    (hot / "generation_config.json").write_text(json.dumps(wild))
    some = prompts(kind)
    greedy = texts(results(model(folder, tmp_path), some))
    assert texts(results(model(hot, tmp_path), some)) == greedy
    sampled = {"do_sample": True, "temperature": 9.0}
    wished = model(hot, tmp_path, generation=sampled)
    first = texts(results(wished, some))
    assert first != greedy
    assert texts(results(wished, some[::-1]))[::-1] == first, "a seed a request, whatever stands beside it"


def test_settings_of_the_checkpoint_make_answers_depend_on_the_clock(kind: str, folder: Path, tmp_path: Path) -> None:
    odd = Path(shutil.copytree(folder, tmp_path / "odd"))
    settings = json.loads((odd / "generation_config.json").read_text())
    wild = {"max_time": 1e-6, "return_dict_in_generate": True, "output_scores": True, "stop_strings": ["A", "B"]}
    (odd / "generation_config.json").write_text(json.dumps({**settings, **wild}))
    some = prompts(kind, 8)
    assert texts(results(model(odd, tmp_path), some)) == texts(results(model(folder, tmp_path), some))


def test_failure_in_a_checkpoint_names_neither_model_nor_prompt(tmp_path: Path) -> None:
    """Learned positions end where they end, whatever the table says."""
    made = model(untrained("gpt2", tmp_path / "gpt2"), tmp_path, context=1000)
    said = r"model 'tiny': the checkpoint fails with \d+ tokens of input and 5 new ones: IndexError"
    with pytest.raises(CheckpointError, match=said):
        results(made, [ask("A", 200, max_new_tokens=5)])
    (short,) = results(made, [ask("A", 3, max_new_tokens=5)])
    assert isinstance(short, Answer)


def test_led_looks_at_its_window_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = model(untrained("led", tmp_path / "led"), tmp_path)
    checkpoint = loaded_checkpoint("test", made)
    TURNS.keep("", None)
    real, given = checkpoint._model.generate, []
    monkeypatch.setattr(checkpoint._model, "generate", lambda **options: [given.append(options), real(**options)][1])
    assert checkpoint.generate([[5] * 40, [7] * 9], 3, seed=0, cancelled=lambda: False)
    mask = given[0]["global_attention_mask"]
    assert (mask.sum().item(), mask[:, 0].tolist(), list(mask.shape)) == (2, [1, 1], [2, 40])


def test_network_is_asked_for_a_checkpoint(
    kind: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("the network was asked"))
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: pytest.fail("the network was asked"))
    TURNS.keep("", None)
    (found,) = results(model(folder, tmp_path), [ask("D", chat=kind == "llama")])
    assert found.text == "D"


def test_broken_weights_are_a_traceback_of_the_library(folder: Path, tmp_path: Path) -> None:
    torn = Path(shutil.copytree(folder, tmp_path / "torn"))
    weights = torn / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(CheckpointError, match=r"model 'tiny': .*torn cannot be loaded: "):
        results(model(torn, tmp_path), [ask()])


def test_four_bits_without_the_library_is_a_traceback(folder: Path, tmp_path: Path) -> None:
    try:
        import bitsandbytes  # noqa: F401
    except ImportError:
        with pytest.raises(CheckpointError, match="load_in_4bit needs bitsandbytes: pip install bitsandbytes"):
            results(model(folder, tmp_path, load_in_4bit=True), [ask()])
    else:
        pytest.skip("bitsandbytes is installed")


def test_device_that_is_not_there_is_a_traceback(folder: Path, tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    with pytest.raises(CheckpointError, match="device = 'cuda:0', but torch finds no CUDA device here"):
        results(model(folder, tmp_path, device="cuda:0"), [ask()])


def test_device_that_is_not_there_is_an_error_of_the_driver() -> None:
    for fine, there in (("", 0), ("cpu", 0), ("auto", 0), ("cuda", 1), ("cuda:0", 1), ("cuda:3", 4)):
        need_device("m", fine, there)
    with pytest.raises(CheckpointError, match="device = 'cuda', but torch finds no CUDA device here"):
        need_device("m", "cuda", 0)
    for wrong in ("cuda:2", "cuda:first", "cuda:-1", "cuda1"):
        with pytest.raises(CheckpointError, match=f"device = '{wrong}', but torch finds only cuda:0, cuda:1 here"):
            need_device("m", wrong, 2)


def test_batch_that_does_not_fit_on_the_device_ends_the_run(
    kind: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The device takes three prompts at once, and none of over 60 tokens."""
    import torch

    made = model(folder, tmp_path)
    some = prompts(kind, 10, longest=20)
    calm = texts(results(made, some))
    checkpoint: Checkpoint = TURNS._loaded
    real = checkpoint._model.generate
    rows = []

    def generate(**options: Any) -> Any:
        rows.append(options["inputs"].shape[0])
        if options["inputs"].shape[0] > 3 or options["inputs"].shape[1] > 60:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return real(**options)

    monkeypatch.setattr(checkpoint._model, "generate", generate)
    found = results(made, [*some, ask("A", 100, chat=kind == "llama")])
    assert texts(found[:-1]) == calm
    assert isinstance(found[-1], CallFailed)
    assert found[-1].kind == "transient"
    assert "out of memory with" in found[-1].message
    assert rows.count(8) == 1, "a size that failed is not tried again"


def test_stop_loses_answers_or_begins_another_batch(kind: str, folder: Path, tmp_path: Path) -> None:
    made = model(folder, tmp_path, batch_size=4)
    stop = Stop()
    calls = [call(made, one) for one in prompts(kind, 20)]
    with made.run(iter(calls), stop=stop) as running:
        found = [next(running)]
        assert stop.heard
        stop.set("stopped by Ctrl-C")
        found += list(running)
        assert running.stopped == "stopped by Ctrl-C"
    assert sum(isinstance(one, Answer) for one in found) == 4, "the batch that ran is whole"
    assert sum(isinstance(one, Attempt) for one in found) == 4
    assert not stop.heard
    with made.run(iter(calls), stop=Stop()) as running:
        assert sum(isinstance(one, Answer) for one in running) == 20
        assert running.stopped == ""


def test_second_stop_waits_for_the_batch(folder: Path, kind: str, tmp_path: Path) -> None:
    endless = Path(shutil.copytree(folder, tmp_path / "endless"))
    (endless / "generation_config.json").write_text(json.dumps({"eos_token_id": 900, "decoder_start_token_id": 0}))
    made = model(endless, tmp_path)
    stop = Stop()
    results(made, [ask("B", chat=kind == "llama", max_new_tokens=2)])  # loaded
    calls = [call(made, ask("A", chat=kind == "llama", max_new_tokens=3500))]
    timer = threading.Timer(0.3, lambda: (stop.set("now"), stop.set()))
    with made.run(calls, stop=stop) as running:
        timer.start()
        began = time.monotonic()
        assert list(running) == []
        assert running.stopped == "now"
    assert time.monotonic() - began < 2


def test_no_more_prompts_are_taken_than_fit_a_window(folder: Path, kind: str, tmp_path: Path) -> None:
    made = model(folder, tmp_path, batch_size=2)
    taken = []

    def calls() -> Any:
        for number, one in enumerate(prompts(kind, 100)):
            taken.append(number)
            yield call(made, one)

    with made.run(calls()) as running:
        next(running)
        assert len(taken) == 32
    assert TURNS.take("another", Stop()), "who closes gives the device back"
    TURNS.give()
