"""Local checkpoints by name: known by what is in their files, wherever they lie. No torch is needed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from scrollwork.flows.chains import Chain
from scrollwork.models.local.model import make
from scrollwork.models.registry import settings
from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.home import Home
from scrollwork.suites.checkpoints import adopt_name, with_checkpoint_facts
from scrollwork.suites.model_tables import tables_of
from scrollwork.suites.parts import parts, profile_of
from scrollwork.suites.request import Request
from tests.models.hosted_kit import ask

T5 = {"model_type": "t5", "is_encoder_decoder": True}
LLAMA = {"model_type": "llama", "max_position_embeddings": 2048}


def folder(place: Path, config: dict[str, Any] | None = None, weights: bytes = b"weights") -> Path:
    """What a checkpoint's folder holds, with weights that nothing loads."""
    place.mkdir(parents=True)
    engine = Tokenizer(models.WordLevel({"<unk>": 0, "</s>": 1, "word": 2}, unk_token="<unk>"))
    engine.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    engine.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    engine.save(str(place / "tokenizer.json"))
    (place / "config.json").write_text(json.dumps(LLAMA if config is None else config))
    (place / "model.safetensors").write_bytes(weights)
    return place


def table(place: Path | str, home: Path, **more: Any) -> dict[str, Any]:
    """The adopted table of a checkpoint."""
    checked = settings("lab", {"lab": {"provider": "transformers", "id": str(place), **more}})
    return with_checkpoint_facts("lab", checked, Home.at(str(home)))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_kind_and_window_are_not_read_from_the_checkpoint(tmp_path: Path, home: Path) -> None:
    t5 = table(folder(tmp_path / "t5", T5), home)
    assert (t5["kind"], t5["window"], t5["context"]) == ("encoder-decoder", 8192, 8192)
    llama = table(folder(tmp_path / "llama"), home)
    assert (llama["kind"], llama["window"]) == ("causal", 2048)
    assert llama["around"] == 1, "its tokenizer adds a token that the prompt stage does not count"
    assert llama["variant"] == "plain"
    nested = table(folder(tmp_path / "nested", {"text_config": {"max_position_embeddings": 77}}), home)
    assert nested["window"] == 77
    assert table(tmp_path / "t5", home, context=512)["window"] == 512


def test_context_that_nobody_knows_is_guessed(tmp_path: Path, home: Path) -> None:
    place = folder(tmp_path / "odd", {"model_type": "falcon"})
    with pytest.raises(UsageError, match="names no longest input; give it: context = TOKENS, or --context"):
        table(place, home)
    assert table(place, home, context=99)["window"] == 99


def test_moved_checkpoint_is_asked_again(tmp_path: Path, home: Path) -> None:
    place = folder(tmp_path / "a" / "lab")
    before = table(place, home)
    (tmp_path / "b").mkdir()
    place.rename(tmp_path / "b" / "lab")
    after = table(tmp_path / "b" / "lab", home)
    asked = ask()
    assert make("lab", before, "").payload(asked, "lab") == make("lab", after, "").payload(asked, "lab")
    assert str(tmp_path) not in json.dumps(make("lab", before, "").payload(asked, "lab"))


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json", "generation_config.json"])
def test_changed_file_of_a_checkpoint_keeps_its_answers(tmp_path: Path, home: Path, name: str) -> None:
    place = folder(tmp_path / "lab")
    before = table(place, home)["digest"]
    (place / "README.md").write_text("words")
    (place / "trainer_state.json").write_text("{}")
    assert table(place, home)["digest"] == before
    old = (place / name).read_bytes() if (place / name).is_file() else b""
    (place / name).write_bytes(old + b"\n" if old else b"{}")
    assert table(place, home)["digest"] != before


def test_name_on_the_spot_holds_a_path_or_is_not_found_again(tmp_path: Path, home: Path) -> None:
    place = folder(tmp_path / "my lab")
    at = Home.at(str(home))
    name = adopt_name(f"transformers:{place}", at)
    assert name.startswith("transformers:my-lab~")
    assert adopt_name(name, at) == name, "a worker is given the lasting name"
    found = with_checkpoint_facts(name, settings(name, {}), at)
    assert (found["place"], found["checkpoint"]) == (str(place), name.partition(":")[2])
    (place / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(UsageError, match="have changed; name the folder again"):
        with_checkpoint_facts(name, settings(name, {}), at)
    place.rename(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="is gone; name its folder again"):
        with_checkpoint_facts(name, settings(name, {}), at)


def test_other_models_of_a_run_are_renamed(tmp_path: Path, home: Path) -> None:
    at = Home.at(str(home))
    assert adopt_name("naive:seed=7", at) == "naive:seed=7"
    assert adopt_name("compatible:transformers", at) == "compatible:transformers"


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda place: (place / "config.json").unlink(), "holds no config.json: no checkpoint"),
        (lambda place: (place / "config.json").write_text("{"), r"config\.json: Expecting"),
        (lambda place: (place / "config.json").write_text("[]"), "is no JSON object"),
        (lambda place: (place / "model.safetensors").unlink(), "holds no weights"),
        (lambda place: (place / "tokenizer.json").unlink(), r"has no tokenizer\.json to count prompts with"),
        (
            lambda place: (place / "model.safetensors.index.json").write_text(
                '{"weight_map": {"a": "two.safetensors"}}'
            ),
            r"model\.safetensors\.index\.json names two\.safetensors, which is not there",
        ),
    ],
)
def test_broken_folder_is_told_when_hours_of_prompts_are_built(
    tmp_path: Path, home: Path, break_it: Any, said: str
) -> None:
    place = folder(tmp_path / "lab")
    break_it(place)
    with pytest.raises(UsageError, match=said):
        table(place, home)


def test_checkpoint_of_the_hub_is_looked_for_in_the_network(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("the network was asked"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(UsageError, match=r"not in the hub's cache: org/model.*only a table may allow its download"):
        table("org/model", home)
    with pytest.raises(UsageError, match="download = true needs id = org/model@COMMIT, 40 hexadecimal digits"):
        table("org/model@main", home, download=True)
    with pytest.raises(UsageError, match=r"there is no folder \./model"):
        table("./model", home)


@pytest.mark.parametrize(
    ("suite", "config", "policy", "limit"),
    [
        ("zeroscrolls", T5, "input", 8192),
        ("zeroscrolls", LLAMA, "openai", 2047),
        ("scrolls", T5, "prefix", 8192),
        ("scrolls", LLAMA, "prefix", 2048 - 1024 - 1),
    ],
)
def test_prompts_leave_no_room_for_the_answer_or_are_cut_another_way_than_the_suite(
    tmp_path: Path, house: Path, suite: str, config: dict[str, Any], policy: str, limit: int
) -> None:
    """Of an encoder-decoder the limit is its input's (fact sheet 4.3); a causal model writes into the same window."""
    place = folder(tmp_path / "lab", config)
    request = Request.of(suite, home=str(tmp_path / "home"), sample=True, models=(f"transformers:{place}",))
    (table,) = tables_of(request).values()
    profile = profile_of(request, table)
    assert (profile.policy, profile.limit_tokens) == (policy, limit)
    assert profile.tokenizer.startswith("hf:lab~")


def test_chat_is_asked_of_what_cannot_chat(tmp_path: Path, home: Path) -> None:
    with pytest.raises(UsageError, match="chat = true, but its tokenizer has no chat template"):
        table(folder(tmp_path / "llama"), home, chat=True)
    with pytest.raises(UsageError, match="chat = true, but it is an encoder-decoder"):
        table(folder(tmp_path / "t5", T5), home, chat=True)


def test_device_or_place_changes_the_key_of_a_stage(tmp_path: Path, house: Path) -> None:
    """What `plan` compares: the same checkpoint elsewhere, on another device, is the same stage."""
    keys = []
    for number, more in enumerate([{}, {"device": "cuda:0", "batch_size": 1, "threads": 3}, {"dtype": "bfloat16"}]):
        place = folder(tmp_path / str(number) / "lab", T5)
        own = tmp_path / f"{number}.toml"
        lines = [
            f"{key} = {json.dumps(value)}"
            for key, value in {"provider": "transformers", "id": str(place), **more}.items()
        ]
        own.write_text("[lab]\n" + "\n".join(lines))
        request = Request.of(
            "zeroscrolls",
            home=str(tmp_path / "home"),
            sample=True,
            tasks=("qmsum",),
            models=("lab",),
            models_file=str(own),
        )
        assert Chain(request).scored[0].stage == "aggregate"
        part = replace(parts(request)[0], model="lab", table=tables_of(request)["lab"])
        keys.append(Chain(request).generate(part).params)
    assert keys[0] == keys[1]
    assert keys[0] != keys[2]
    assert str(tmp_path) not in json.dumps(keys)
