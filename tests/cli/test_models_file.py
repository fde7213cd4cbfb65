"""Mistakes in a user's own file of models: each is told with file, table and key before anything is built or sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.models.hosted_kit import OPENAI_KEY

GOOD = 'provider = "openai"\nid = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
MISTAKES = {
    'id = "m"': "provider is missing, one of anthropic, ",
    'provider = "opnai"\nid = "m"': "provider 'opnai' is none of",
    'provider = "openai"': "id is missing",
    GOOD + "contxt = 3": "contxt is no key of its table",
    GOOD + 'context = "8k"': "context must be a whole number, not '8k'",
    GOOD + "price = { inptu = 1, output = 2 }": "price.inptu is no key",
    GOOD + "price = { input = nan, output = 2 }": "price.input must be a number, not nan",
    GOOD + "price = { input = -1, output = 2 }": "price.input must not be negative",
    GOOD + "price = { input = 1 }": "price.output is missing",
    GOOD + "price = { input = 1, output = 2, batch = 50 }": "price.batch is the share that a batch costs",
    GOOD + "retry = { attempts = 0 }": "retry.attempts = 0 must be a positive number",
    GOOD + "retry = { seconds = inf }": "retry.seconds must be a number, not inf",
    GOOD + "timeout_s = inf": "timeout_s must be a number, not inf",
    GOOD + "temperature = -1": "temperature must not be negative",
    GOOD + "reasoning_tokens = -5": "reasoning_tokens must not be negative",
    GOOD + "stop = [1]": "stop[0] must be text, not 1",
    GOOD + "extra = { top_p = nan }": "extra.top_p = nan cannot be sent as JSON",
    GOOD + "extra = { day = 2020-01-01 }": "extra.day = ",
    GOOD + 'retired = "soon"': "retired must be a date such as",
    GOOD + 'vendor = "opnai"': "vendor 'opnai' is none of",
    GOOD
    + "price = { input = 1, output = 2, long = [{ above = 5 }, { above = 5 }] }": "price.long: 'above' of [5, 5] overlap",
    GOOD + 'truncation = "foo"': "truncation 'foo' is none of none, input",
    GOOD + 'tokenizer = "gpt2"': "tokenizer: no tokenizer is named 'gpt2'; there are: words",
    GOOD + "on = 3": "on must be a table, not 3",
    GOOD + "on.zeroscrolls = 3": "on.zeroscrolls must be a table, not 3",
    'provider = "openai"\nid = "m"\nbase_url = "http://10.0.0.7/v1"': "base_url http://10.0.0.7/v1 is plain http to another",
    'provider = "baselines"\nrules = 3': "rules must be a table, not 3",
}


@pytest.mark.parametrize(("table", "said"), list(MISTAKES.items()), ids=list(MISTAKES.values()))
def test_mistake_is_a_traceback_or_does_not_say_where(
    call: Call, monkeypatch: pytest.MonkeyPatch, table: str, said: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    file = call.home.parent / "own.toml"
    file.write_text(f"[mine]\n{table}\n")
    status, _, err = call("run", "zeroscrolls", "--sample", "--models", str(file), "--model", "mine")
    assert status == 2
    assert err.startswith(f"scrollwork: --models {file}: model 'mine': {said}"), err
    assert not call.home.exists()


def test_key_goes_unencrypted_to_the_address_of_the_command_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_KEY", OPENAI_KEY)
    file = call.home.parent / "own.toml"
    file.write_text('[mine]\nprovider = "compatible"\nid = "m"\nkey_env = "LAB_KEY"\n')
    given = ("--models", str(file), "--model", "mine", "--base-url", "http://gpu.lan:8000/v1")
    status, _, err = call("run", "zeroscrolls", "--sample", *given)
    assert status == 2
    assert "others could read the key in LAB_KEY" in err
    assert "insecure = true in its table" in err
    assert OPENAI_KEY not in err
    assert not call.home.exists()


@pytest.mark.parametrize("model", ["openai:gpt-9", "naive", "gpt-4o-mini"])
def test_base_url_is_dropped_and_the_vendor_is_asked(call: Call, monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    given = ("--model", model, "--base-url", "http://127.0.0.1:9/v1", "--engine", "inline")
    status, _, err = call("run", "zeroscrolls", "--sample", "--task", "qmsum", *given)
    assert status == 2
    assert "--base-url is for compatible:ID, or a model of that provider whose table has no base_url" in err


def vocabulary(folder: Path) -> Path:
    """A folder with a tokenizer of words."""
    tokenizers = pytest.importorskip("tokenizers")
    folder.mkdir()
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(folder / "tokenizer.json"))
    return folder


def test_hub_is_asked_for_a_tokenizer_each_time_that_tables_are_read(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    folder = vocabulary(call.home.parent / "vocabulary")
    asked: list[str] = []
    monkeypatch.setattr(hub, "hf_hub_download", lambda owner, name, **_: asked.append(owner) or folder / name)
    file = call.home.parent / "own.toml"
    file.write_text(f'[mine]\n{GOOD}context = 3000\ntokenizer = "hf:lab/words-{folder.stat().st_ino}"\n')
    given = ("--models", str(file), "--model", "mine", "--task", "qmsum", "--json")
    status, _, err = call("estimate", "zeroscrolls", "--sample", *given)
    assert status == 0, err
    assert len(asked) == 1


def test_tokenizer_of_a_table_is_not_found_in_the_home(call: Call) -> None:
    """A vocabulary that a table names by its folder is taken into the home as one that --tokenizer names."""
    folder = vocabulary(call.home.parent / "vocabulary")
    file = call.home.parent / "own.toml"
    file.write_text(f'[mine]\n{GOOD}context = 3000\ntokenizer = "hf:{folder}"\n')
    own = ("--models", str(file), "--model", "mine")
    status, out, err = call("estimate", "zeroscrolls", "--sample", "--task", "qmsum", "--json", *own)
    assert status == 0, err
    (row,) = json.loads(out)
    assert row["counted"]
    assert 0 < row["input_tokens"] <= 3000 * row["requests"]
