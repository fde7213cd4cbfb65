"""From a name to a model: what cannot be is refused by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scrollwork.models.base import Ask, Segment
from scrollwork.models.baselines.naive import answer_by, span
from scrollwork.models.registry import UnknownModel, make, settings
from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.suite_files import load_models

TABLES = load_models()


def ask(task: str = "qmsum", *documents: str) -> Ask:
    texts = [Segment("document", text) for text in documents or ("a b c",)]
    return Ask(task, "e1", (Segment("instruction", "Do it."), *texts), "0" * 64, len(texts), 100)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("gpt-9", "no model is named 'gpt-9'; there are: "),
        ("", "no model is named ''"),
        ("naive:seed=-1", "'seed=-1' is no option of 'naive'; write naive:seed=7"),
        ("naive:seed=1.5", "'seed=1.5' is no option"),
        ("naive:seeds=3", "'seeds=3' is no option"),
        ("naive:rules=3", "'rules=3' is no option"),
        ("naive:seed=1,heat=2", "'heat=2' is no option"),
        ("naive:seed=1,seed=2", "option 'seed' is given twice"),
        ("bm25:seed=1", "'seed=1' is no option of 'bm25', which has none"),
        ("planted:noise=0.2,noise=0.3", "option 'noise' is given twice"),
    ],
)
def test_wrong_name_or_option_is_taken(spec: str, said: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        settings(spec, TABLES)
    assert said in str(caught.value)


def test_unknown_provider_of_a_users_own_table_is_not_named() -> None:
    with pytest.raises(UnknownModel, match=r"model 'mine': provider 'oracle' is none of .*baselines"):
        settings("mine", {"mine": {"provider": "oracle"}})
    with pytest.raises(UnknownModel, match="model 'mine': provider is missing, one of anthropic"):
        settings("mine", {"mine": {}})


@pytest.mark.parametrize("seeds", [0, -1, 10**9, 1.5, True])
def test_a_model_without_members_is_an_empty_evaluation(seeds: object) -> None:
    with pytest.raises(UnknownModel, match=f"'mine': seeds must be a whole number from 1 to 1000000, not {seeds}"):
        settings("mine", {"mine": {"provider": "baselines", "seeds": seeds, "rules": {"qasper": {"span": 3}}}})


def test_seeds_of_a_model_without_chance_are_ignored() -> None:
    table = {"provider": "extractive", "seeds": 5, "rules": {"qasper": {"answer_span": 3}}}
    with pytest.raises(UnknownModel, match="seeds"):
        settings("mine", {"mine": table})
    assert settings("mine", {"mine": {**table, "provider": "baselines"}})["seeds"] == 5


def test_option_changes_the_table_of_the_next_model() -> None:
    assert settings("naive:seed=7", TABLES)["seed"] == 7
    assert "seed" not in settings("naive", TABLES)


def test_task_without_a_rule_is_answered() -> None:
    model = make("naive", settings("naive", TABLES), "r1")
    with pytest.raises(ValueError, match=r"model 'naive': its table has no rule for task 'hotpot' \(rules\.hotpot\)"):
        model.payload(ask("hotpot"), "naive:seed=0")


def test_rule_of_another_task_enters_the_request() -> None:
    model = make("naive:seed=7", settings("naive:seed=7", TABLES), "r1")
    payload = model.payload(ask("musique"), "naive:seed=7")
    assert payload["rule"] == {"fixed": "Unanswerable"}
    assert payload["seed"] == 7


def test_own_table_of_models_is_not_put_over_ours(tmp_path) -> None:  # type: ignore[no-untyped-def]
    own = tmp_path / "models.toml"
    own.write_text('[mine]\nprovider = "baselines"\nrules.qmsum = { fixed = "yes" }\n')
    tables = load_models(str(own))
    assert set(tables) == {*TABLES, "mine"}
    model = make("mine", settings("mine", tables), "r1")
    assert model.members == ("mine:seed=0",)
    own.write_text("[mine")
    with pytest.raises(UsageError, match=r"models\.toml"):
        load_models(str(own))


def test_span_is_taken_from_the_instruction_or_one_document_only() -> None:
    text = answer_by({"span": 6}, ask("qmsum", "a b c", "d e f"), seed=0)
    assert text == "a b c d e f"


@pytest.mark.parametrize(("text", "words"), [("", 4), (" \n", 4), ("one", 4), ("one two three four", 4)])
def test_short_document_raises_or_is_cut(text: str, words: int) -> None:
    assert span(text, words, 0, "t", "e") == " ".join(text.split())


def test_last_word_is_never_reached() -> None:
    assert {span("a b c d e", 4, 0, "t", f"e{number}") for number in range(50)} == {"a b c d", "b c d e"}


def test_price_of_ones_own_takes_a_known_model_away(tmp_path):
    own = tmp_path / "prices.toml"
    own.write_text("[gpt-4o-mini]\nprice = { input = 1.0, output = 2.0 }\n")
    table = load_models(str(own))["gpt-4o-mini"]
    assert table == {**TABLES["gpt-4o-mini"], "price": {"input": 1.0, "output": 2.0}}
    own.write_text('[gpt-4o-mini]\nprovider = "compatible"\nid = "other"\n')
    assert load_models(str(own))["gpt-4o-mini"] == {"provider": "compatible", "id": "other"}


def test_id_of_a_vendor_without_a_table_is_said_to_be_a_package() -> None:
    with pytest.raises(UnknownModel, match=r"OpenAI has such a model: write openai:gpt-5\.4-mini"):
        settings("gpt-5.4-mini", {})
    with pytest.raises(UnknownModel, match=r"xAI has such a model: write xai:grok-4\.6"):
        settings("grok-4.6", {})


def test_model_of_a_vendor_without_a_client_of_ours_needs_its_address() -> None:
    """VENDOR:ID brings address, key and the name in request keys, as the tables of this vendor's models do."""
    found = settings("xai:grok-4.6", {})
    assert found["provider"] == "compatible"
    assert {key: found[key] for key in ("base_url", "server", "key_env")} == {
        "base_url": "https://api.x.ai/v1",
        "server": "xai",
        "key_env": "XAI_API_KEY",
    }
    with pytest.raises(UnknownModel, match=r"write xai:ID"):
        settings("xai", {})


def test_model_of_a_vendor_passes_by_its_table() -> None:
    """Also by one of the user's own, whatever else it says; never by that of another server."""
    own = {"provider": "compatible", "id": "grok-4.6", "base_url": "https://api.x.ai/v1", "key_env": "MINE"}
    assert settings("xai:grok-4.6", {"mine": own})["key_env"] == "MINE"
    elsewhere = {**own, "base_url": "http://127.0.0.1:8000/v1"}
    assert settings("xai:grok-4.6", {"mine": elsewhere})["key_env"] == "XAI_API_KEY"


@pytest.mark.parametrize(
    "module", ["tasks.generate.hosted", "readings.verify", "readings.estimate", "cli.commands.store"]
)
def test_checkpoint_or_a_reading_needs_the_clients_of_hosted_models(module: str) -> None:
    """Checkpoints are asked by the stage of hosted models, and a wheel without [openai] has no aiohttp."""
    code = f"import sys; sys.modules['aiohttp'] = None; import scrollwork.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nearest_model_of_a_wrong_name_is_not_said() -> None:
    with pytest.raises(UnknownModel, match=r"did you mean 'tiny-lm'\?"):
        settings("tiny-ml", {"tiny-lm": {"provider": "openai", "id": "t"}})
    with pytest.raises(UnknownModel, match=r"did you mean 'deepseek:deepseek-v4-pro'\?"):
        settings("deepseek-v4-prp", {})
