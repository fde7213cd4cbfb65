"""What is known of vendors' models: by hand from the vendors' pages of November 2026, and refused where it cannot be."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.base import Usage
from scrollwork.models.engine.budget import Budget, Meter
from scrollwork.models.engine.prices import Price, UnknownPrice, nano, price_of
from scrollwork.models.engine.settings import settings as engine_settings
from scrollwork.models.hosted.tables import BadTable, answer_relevant, checked_table, temperature
from scrollwork.models.registry import HOSTED, make, settings
from scrollwork.models.vendors import families as families_module
from scrollwork.models.vendors.families import BadVendor, families, family_context, family_of, read, vendors
from scrollwork.models.vendors.fill import beyond_answer, most_output
from scrollwork.models.vendors.keys import FACTS
from scrollwork.models.vendors.marks import cache_minimum
from scrollwork.models.vendors.own_facts import unknown_effort
from scrollwork.suites.suite_files import load_models
from tests.models.clock import call
from tests.models.hosted_kit import ask

TABLES = load_models()
NOW = datetime(2026, 11, 25, 12, tzinfo=UTC).timestamp()  # a Wednesday
HOSTS = {
    "deepseek": "https://api.deepseek.com/v1",
    "grok": "https://api.x.ai/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
}


def on_the_spot(spec: str, **more: Any) -> dict[str, Any]:
    """The table of a model that no table names."""
    provider, _, model_id = spec.partition(":")
    own = next((url for name, url in HOSTS.items() if model_id.startswith(name)), None)
    return checked_table(spec, {"provider": provider, "id": model_id, **({"base_url": own} if own else {}), **more})


def price(spec: str) -> Price:
    """Its price."""
    return price_of(spec, on_the_spot(spec))


def test_no_vendor_is_read() -> None:
    assert {"openai", "anthropic", "gemini", "deepseek", "xai", "groq", "mistral", "openrouter"} <= set(vendors())
    assert len(families()) >= 45
    assert len({(one.vendor, one.id) for one in families()}) == len(families())


# (model, input, cached, written, output) tokens, a moment, dollars: from the price lists, by hand
BILLS = [
    ("anthropic:claude-haiku-5-5", (100_000, 0, 0, 500), NOW, "0.01025"),
    ("anthropic:claude-haiku-5-5", (150_000, 0, 0, 500), NOW, "0.07625"),
    ("anthropic:claude-haiku-5-5", (150_000, 100_000, 0, 500), NOW, "0.03125"),
    ("openai:gpt-6.1-terra", (300_000, 0, 300_000, 500), NOW, "0.75375"),
    ("openai:gpt-6.1-terra", (272_000, 0, 272_000, 500), NOW, "0.3425"),
    ("openai:gpt-6-luna", (1_000_000, 900_000, 50_000, 1_000), NOW, "0.04125"),
    ("openai:gpt-5.4-mini", (300_000, 0, 0, 0), NOW, "0.225"),
    ("openai:gpt-5.6-sol", (100_000, 0, 0, 1_000), datetime(2026, 11, 21, 23, tzinfo=UTC).timestamp(), "0.42"),
    ("openai:gpt-5.6-sol", (100_000, 0, 0, 1_000), NOW, "0.53"),
    ("anthropic:claude-sonnet-5-5", (100_000, 100_000, 0, 0), datetime(2026, 10, 6, tzinfo=UTC).timestamp(), "0.02"),
    ("anthropic:claude-sonnet-5-5", (100_000, 100_000, 0, 0), NOW, "0.01"),
    ("compatible:gemini-3.8-flash", (100_000, 0, 0, 10_000), NOW, "0.1125"),
    ("compatible:gemini-3.8-flash", (100_000, 0, 0, 10_000), datetime(2027, 1, 1, tzinfo=UTC).timestamp(), "0.225"),
    ("compatible:gemini-3.1-pro-preview", (200_001, 0, 0, 0), NOW, "0.800004"),
    ("compatible:deepseek-flash", (100_000, 50_000, 0, 10_000), NOW, "0.01365"),
    ("compatible:deepseek-flash", (100_000, 50_000, 0, 10_000), NOW - 3 * 3600, "0.0273"),
    ("compatible:deepseek-flash", (100_000, 50_000, 0, 10_000), NOW + (3 * 24 - 3) * 3600, "0.01365"),
    ("compatible:grok-4.7", (199_999, 0, 0, 1_000), NOW, "0.405998"),
    ("compatible:grok-4.7", (200_000, 0, 0, 1_000), NOW, "0.812"),
]


@pytest.mark.parametrize(("spec", "tokens", "moment", "dollars"), BILLS)
def test_bill_is_that_of_another_tier_day_or_hour(
    spec: str, tokens: tuple[int, int, int, int], moment: float, dollars: str
) -> None:
    given, cached, written, made = tokens
    assert price(spec).of(Usage(given, cached, written, made), moment) == nano(dollars)


def test_batch_of_a_long_prompt_is_not_half_of_its_tier() -> None:
    batch = price("openai:gpt-6.1-terra").in_batch()
    assert batch.of(Usage(300_000, 0, 0, 1_000), NOW) == nano("0.30375")


def test_reservation_is_below_the_dearest_that_a_call_can_come_to() -> None:
    haiku = price("anthropic:claude-haiku-5-5")
    assert haiku.most(100_000, 0, NOW) == nano("0.0125"), "no tier below is paid"
    assert haiku.most(100_001, 0, NOW) >= nano("0.0625")
    flash = price("compatible:gemini-3.8-flash")
    minute_before = datetime(2026, 12, 31, 23, 59, tzinfo=UTC).timestamp()
    assert flash.most(1_000_000, 0, minute_before) == nano("1.5"), "the dearer price comes while it is under way"
    deepseek = price("compatible:deepseek-flash")
    assert deepseek.most(1_000_000, 0, datetime(2026, 11, 25, 5, 50, tzinfo=UTC).timestamp()) == nano("0.3")


@pytest.mark.parametrize(("size", "spec"), [(120_000, "anthropic:claude-haiku-5-5"), (300_000, "openai:gpt-6.1-terra")])
def test_budget_is_passed_by_more_than_a_call_above_a_border(size: int, spec: str) -> None:
    table = on_the_spot(spec)
    charged = price(spec).of(Usage(size, 0, size, 100))
    budget = Budget(10 * charged)
    gate = Meter(budget, price_of(spec, table))
    sent = 0
    while gate.reserve(one := call(sent, tokens=size, new=100)):
        gate.settle(one, Usage(size, 0, size, 100))
        sent += 1
    assert sent >= 8
    assert budget.spent <= budget.limit + charged


def test_table_of_ones_own_does_not_go_over_the_family() -> None:
    own = {"input": 1.0, "output": 2.0}
    mine = price_of("m", on_the_spot("anthropic:claude-haiku-5-5", price=own))
    assert mine.of(Usage(1_000_000, 0, 1_000_000, 0)) == nano("6.25"), "tiers and writing are the family's"
    flat = price_of("m", on_the_spot("anthropic:claude-haiku-5-5", price={**own, "long": []}))
    assert flat.of(Usage(1_000_000, 0, 0, 0)) == nano("1")
    assert flat.batch == Decimal("0.5")


def test_price_of_a_shipped_model_changed_when_it_moved() -> None:
    """Dollars a million tokens (input, cached, written, output) of the tables before, which are those of the lists."""
    moved = {
        "gpt-6-luna": ("0.1", "0.01", "0.125", "0.5"),
        "gpt-6-sol": ("2", "0.2", "2.5", "10"),
        "gpt-6.1-terra": ("1", "0.05", "1.25", "5"),
        "gpt-5.6-luna": ("0.2", "0.02", "0.25", "1.2"),
        "gpt-5.6-terra": ("2", "0.2", "2.5", "12"),
        "gpt-5.6-sol": ("5", "0.5", "6.25", "30"),
        "gpt-6.1-sol": ("2", "0.1", "2.5", "10"),
        "gpt-6.2-sol": ("2", "0.1", "2.5", "10"),
        "gpt-6.2-astra": ("8", "0.4", "10", "40"),
        "claude-haiku-5-5": ("0.1", "0.01", "0.125", "0.5"),
        "claude-sonnet-5-5": ("2", "0.1", "2.5", "10"),
        "claude-opus-5-5": ("4", "0.2", "5", "20"),
        "claude-fable-5-2": ("8", "0.2", "10", "40"),
        "claude-opus-5": ("5", "0.5", "6.25", "25"),
        "claude-sonnet-5": ("2", "0.2", "2.5", "10"),
        "claude-haiku": ("1", "0.1", "1.25", "5"),
        "claude-opus": ("5", "0.5", "6.25", "25"),
        "gemini-3.8-flash": ("0.75", "0.075", "0.75", "3.75"),
        "gemini-3.5-flash-lite": ("0.3", "0.03", "0.3", "2.5"),
        "grok-4.7": ("2", "0.5", "2", "6"),
        "deepseek-flash": ("0.15", "0.003", "0.15", "0.6"),
        "gpt-4o": ("2.5", "1.25", "2.5", "10"),
        "gpt-4o-mini": ("0.15", "0.075", "0.15", "0.6"),
        "gpt-4.1": ("2", "0.5", "2", "8"),
        "gpt-5": ("1.25", "0.125", "1.25", "10"),
        "gpt-5-mini": ("0.25", "0.025", "0.25", "2"),
    }
    for name, per_million in moved.items():
        rates = price_of(name, settings(name, TABLES)).rates(0, NOW)
        found = (rates.input, rates.cached, rates.cache_write, rates.output)
        assert found == tuple(Decimal(one) * 1000 for one in per_million), name


# what is sent for ten tokens beside model and messages, of models that no table names
SENT: dict[str, dict[str, Any]] = {
    "openai:gpt-5.5": {"max_completion_tokens": 10, "reasoning_effort": "none"},
    "openai:gpt-5.4-nano": {"max_completion_tokens": 10, "reasoning_effort": "none"},
    "openai:gpt-5.2": {"max_completion_tokens": 10, "temperature": 0.0},
    "openai:gpt-5-nano": {"max_completion_tokens": 4_106, "reasoning_effort": "minimal"},
    "openai:gpt-6-astra": {"max_completion_tokens": 4_106, "reasoning_effort": "low"},
    "openai:gpt-6-luna-2026-12-24": {"max_completion_tokens": 10, "reasoning_effort": "none", "temperature": 0.0},
    "openai:gpt-9": {"max_completion_tokens": 10},
    "openai:o3": {"max_completion_tokens": 25_010},
    "openai:gpt-4-turbo": {"max_completion_tokens": 10, "temperature": 0.0},
    "anthropic:claude-mythos-5-1": {"max_tokens": 4_106, "output_config": {"effort": "low"}},
    "compatible:gemini-3.1-flash-lite": {"max_tokens": 25_010, "temperature": 0.0},
    "anthropic:claude-fable-5": {"max_tokens": 4_106, "output_config": {"effort": "low"}},
    "anthropic:claude-opus-4-8": {"max_tokens": 10},
    "anthropic:claude-opus-6": {"max_tokens": 10},
    "compatible:deepseek-v4-pro": {"max_tokens": 25_010, "temperature": 0.0},
    "compatible:grok-4.6": {"max_tokens": 4_106, "temperature": 0.0, "reasoning_effort": "low"},
    "compatible:gemini-3.5-flash": {"max_tokens": 4_106, "temperature": 0.0, "reasoning_effort": "minimal"},
}


@pytest.mark.parametrize("spec", SENT)
def test_model_on_the_spot_is_refused_or_left_without_room(spec: str) -> None:
    body = dict(make(spec, on_the_spot(spec), "").payload(ask(max_new_tokens=10), spec)["body"])  # type: ignore[call-overload]
    assert {key: value for key, value in body.items() if key not in ("model", "messages")} == SENT[spec]


def test_temperature_of_the_table_is_lost_where_nobody_knows_the_model() -> None:
    table = checked_table("m", {"provider": "openai", "id": "ft:gpt-4o:me", "temperature": 0.5})
    assert dict(make("m", table, "").payload(ask(), "m")["body"])["temperature"] == 0.5  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("model", "version", "sent"),
    [
        ("claude-haiku-4-5", "2023-06-01", {"temperature": 0.0}),
        ("claude-haiku-4-5", "2026-10-21", {}),
        ("claude-haiku-5-5", "2023-06-01", {}),
    ],
)
def test_temperature_goes_where_no_version_takes_it_or_stays_where_one_does(
    model: str, version: str, sent: dict[str, float]
) -> None:
    made = make("m", checked_table("m", {"provider": "anthropic", "id": model, "version": version}), "")
    body = made.payload(ask(), "m")["body"]
    assert {key: value for key, value in body.items() if key == "temperature"} == sent  # type: ignore[attr-defined]
    former = made.former_payload(ask())  # type: ignore[attr-defined]
    assert former is None or "temperature" not in former["body"]


def test_endpoint_that_a_table_says_its_model_has_is_not_asked() -> None:
    given = {"provider": "openai", "id": "gpt-7", "family": {"endpoints": {"responses": {"min_output": 16}}}}
    table = checked_table("m", given)
    assert (table["endpoint"], most_output(10, table)) == ("responses", 16)
    assert checked_table("m", {**given, "endpoint": "chat"})["endpoint"] == "chat"
    with pytest.raises(BadTable, match=r"family\.endpoints 'messages' is none of chat, responses, completions"):
        checked_table("m", {**given, "family": {"endpoints": {"messages": {}}}})


def test_openai_behind_a_server_is_asked_with_a_name_that_it_refuses() -> None:
    behind = {"provider": "compatible", "id": "gpt-6-luna", "base_url": "http://127.0.0.1:9/v1", "vendor": "openai"}
    model = make("m", checked_table("m", behind), "")
    body, former = model.payload(ask(max_new_tokens=10), "m"), model.former_payload(ask(max_new_tokens=10))  # type: ignore[attr-defined]
    assert body["body"]["max_completion_tokens"] == former["body"]["max_tokens"] == 10  # type: ignore[index]
    own = {**behind, "parameters": {"max_tokens": "max_tokens"}}
    assert "max_tokens" in make("m", checked_table("m", own), "").payload(ask(), "m")["body"]  # type: ignore[index]


def test_responses_endpoint_is_asked_for_fewer_tokens_than_it_takes() -> None:
    table = on_the_spot("openai:gpt-6-luna", endpoint="responses")
    assert (most_output(10, table), most_output(512, table)) == (16, 512)
    body: Any = make("m", table, "").payload(ask(max_new_tokens=10), "m")["body"]
    assert (body["max_output_tokens"], body["reasoning"]) == (16, {"effort": "none"})


@pytest.mark.parametrize(
    ("more", "sent"),
    [
        ({"extra": {"reasoning_effort": "high"}}, {"reasoning_effort": "high", "max_completion_tokens": 25_010}),
        ({"extra": {"reasoning_effort": "none"}}, {"reasoning_effort": "none", "max_completion_tokens": 10, "temperature": 0.0}),
        ({"reasoning_tokens": 5}, {"max_completion_tokens": 15}),
        ({"extra": {"reasoning_effort": "low"}, "reasoning_tokens": 7}, {"reasoning_effort": "low", "max_completion_tokens": 17}),
    ],
)  # fmt: skip
def test_table_that_says_how_it_thinks_is_overruled(more: dict[str, Any], sent: dict[str, Any]) -> None:
    body: Any = make("m", on_the_spot("openai:gpt-6-sol", **more), "").payload(ask(max_new_tokens=10), "m")["body"]
    assert {key: value for key, value in body.items() if key not in ("model", "messages")} == sent


def test_temperature_of_ones_own_is_dropped_without_a_word() -> None:
    with pytest.raises(BadTable, match=r"temperature = 0.7 would not be sent"):
        on_the_spot("openai:gpt-6.2-sol", temperature=0.7)
    assert on_the_spot("openai:gpt-6-luna", temperature=0.7)["extra"] == {"reasoning_effort": "none"}


def test_body_of_a_shipped_table_is_another_than_answers_were_paid_with() -> None:
    for name, table in TABLES.items():
        if table["provider"] in HOSTED and "base_url" in (known := {"base_url": "http://127.0.0.1:9/v1", **table}):
            own = settings(
                name, TABLES, given={} if "base_url" in table or table["provider"] != "compatible" else known
            )
            model: Any = make(name, own, "")
            assert model.former_payload(ask(max_new_tokens=10)) is None, name


def test_gateway_takes_what_its_vendor_knows_where_the_table_names_it() -> None:
    behind = {"provider": "compatible", "id": "gpt-6-luna", "base_url": "http://127.0.0.1:9/v1"}
    assert family_of(checked_table("m", behind)) is None, "whose model a server of one's own has is not known"
    known = family_of(checked_table("m", {**behind, "vendor": "openai"}))
    assert known is not None
    assert (known.exact, known.family.id) == (True, "gpt-6-luna")
    with pytest.raises(BadTable, match=r"vendor 'opnai' is none of .*did you mean 'openai'\?"):
        checked_table("m", {**behind, "vendor": "opnai"})


HEAD = (
    'vendor = "V"\nprovider = "openai"\naddress = "https://v.example/v1"\nkey_env = "V_KEY"\n[sources]\npage = "a page"\n'
    "[default.source]\n" + "".join(f'{fact} = ["page"]\n' for fact in FACTS)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[m]\ncontxt = 5\n", r"v\.toml: \[m\]: unknown key 'contxt'; .*did you mean 'context'\?"),
        ('[m]\nends = "2026-13-01"\n', r'v\.toml: \[m\]: ends must be a date such as "2026-11-30", not'),
        (
            '[m]\nprice = [{ from = "2026-01-01", input = -1.0, output = 2.0 }]\n',
            "input must be a number from 0 to 100000, not -1.0",
        ),
        ('[m]\nprice = [{ from = "2026-01-01", output = 2.0 }]\n', "price.*lacks input"),
        (
            "[m]\nlong = [{ above = 5, input = 2.0 }, { above = 5, input = 3.0 }]\n",
            r"long: 'above' of \[5, 5\] overlap",
        ),
        ('[m]\ngroup = "g"\n', r"\[m\]: group 'g'"),
        ('[m]\neffort = { field = "e", values = ["low"], off = "none" }\n', "effort.off 'none' is none of its values"),
        ('[m]\nsampling = "effort_off"\n', 'sampling = "effort_off" needs effort.off'),
        ("[m]\ncontext = 5\nmax_input = 6\n", "max_input is more than context"),
        ('[m]\nreleased = "2026-02-01"\nends = "2026-01-01"\n', "ends before it is released"),
        ('[m]\nsource = { price = ["pag"] }\n', r"\[m\]: source 'pag' is none of \[sources\]: page"),
        ('[m]\nsource = { prise = ["page"] }\n', r"source: key 'prise' is none of .*did you mean 'price'\?"),
        ('[m]\nsource = ["page"]\n', "source: must be a table"),
        ("[m]\ncontext = 5\nsource = { context = [] }\n", r"\[m\]: context needs a source: source = { context ="),
        ('[m]\naliases = ["n"]\n[n]\ncontext = 5\n', "alias 'n' is there already"),
        ('[m]\ncache = { rule = "blocks", write = { "30x" = 1.0 } }\n', "key must be a lifetime .*, not '30x'"),
        ('[m]\ncache = { rule = "blocks", write = { "0m" = 1.0 } }\n', "key must be a lifetime .*, not '0m'"),
        ('[m]\ncache = { rule = "blocks", write = { "1h" = 2.0, "5m" = 1.25 } }\n', "must rise, the shortest first"),
        ("[m]\nroom = { hihg = 5 }\n", "room: key 'hihg' is none of .*did you mean 'high'"),
        ("[m]\nendpoints = { respones = { min_output = 1 } }\n", "'respones' is none of .*did you mean 'responses'"),
        ("[m]\npeak = { days = [1], hours = [[4, 1]], factor = 2.0 }\n", "hours must be hours .* not"),
        ("[m]\npeak = { days = [1], hours = [[1, 4], [3, 5]], factor = 2.0 }\n", "hours must be hours .* not"),
        ('[m]\nends = "20261117"\n', "ends must be a date such as"),
        ('[m]\nends = "2026-W47-2"\n', "ends must be a date such as"),
        ('[m]\neffort = { field = "e", values = ["high", "low"] }\n', "effort.values must be in the order of"),
        ('[default]\neffort = { values = ["low"] }\n', r"\[default\]: effort needs effort.field"),
        ("[m]\ncontext = 5\nmax_output = 6\n", "max_output is more than context"),
        ("[m]\nmax_output = 6\nendpoints = { chat = { min_output = 7 } }\n", "min_output is more than max_output"),
        ("[m]\npeak = { days = [1.5], hours = [[1, 4]], factor = 2.0 }\n", r"days\[0\] must be a whole number from 1"),
        ("[m]\nroom = { low = 5.5 }\n", "low must be a whole number from 0"),
        ('[m]\neffort = { field = "a..b", values = ["low"] }\n', "field must be the name of a parameter"),
        ('[m]\neffort = { field = "e", values = ["default"] }\n', "'default' is none of"),
        ('[m]\ncache = { rule = "blocks", write = { "60m" = 2.0, "1h" = 1.25 } }\n', "must rise, the shortest first"),
        ('[m]\ncache = { rule = "blocks", batch_hits = 5 }\n', "batch_hits must be a number from 0 to 1"),
        ("[m]\ncache = { minimum = 1024 }\n", r"\[m\]: cache needs cache.rule"),
        ('[m]\ncache = { rule = "prefix", header = "X-Api-Key" }\n', "cache: header must be a header such as"),
        ('[m]\ncache = { rule = "prefix", header = "x-a\\nb" }\n', "cache: header must be a header such as"),
        ("[m]\nendpoints = { messages = {} }\n", r"of provider openai, endpoint 'messages' is none of chat, responses"),
        ('[m]\npasses = ["v"]\n', r"\[m\] passes is of the whole vendor"),
        ('[m]\nreleased = "2026-02-01"\nkeeps = "2026-01-01"\n', "keeps to a day before it is released"),
        ('[""]\ncontext = 5\n', "the name of a table must be a name, not ''"),
        ("[defaults]\ncontext = 5\n", r"\[defaults\] is not the name of a family.* did you mean 'default'"),
        ('[group.g]\nsource = { price = ["pag"] }\n[m]\ngroup = "g"\n', "source 'pag' is none of"),
        ("[group.g]\ncontext = 5\n[m]\ncontext = 6\n", r"\[group\.g\] is the group of no family"),
        ('[default]\ngroup = "g"\n[group.g]\n', r"\[default\] group belongs in a family"),
        (
            '[m]\neffort = { field = "messages.x", values = ["low"] }\n',
            "field must be the name of a parameter, and none of",
        ),
        ('[m]\nprice = [{ from = "2026-01-01", input = 2e-6, output = 8e-6 }]\n', "2e-06 is next to nothing"),
        ("m = 5\n", "unknown key 'm'"),
        ("[m\n", r"v\.toml: "),
    ],
)
def test_file_of_a_vendor_that_cannot_be_is_taken(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "v.toml"
    path.write_text(text + HEAD if text.startswith("m") else HEAD + text)
    with pytest.raises(BadVendor, match=said):
        read(path)


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ('"openai"', '"compatable"', r"provider 'compatable' is none of .* did you mean 'compatible'\?"),
        ("https://v.example/v1", "v.example/v1", 'address must be an address such as "https://HOST/v1"'),
        ("https://v.example/v1", "https://me:key@v.example/v1", "address must be an address"),
        ("https://v.example/v1", "https://[::1/v1", "v.toml: address 'https://.::1/v1': Invalid IPv6 URL"),
        ("https://v.example/v1", "https://v.example:port/v1", "v.toml: address .* could not be cast to integer"),
        ("V_KEY", "MY KEY", "key_env must be the name of an environment variable, not 'MY KEY'"),
    ],
)
def test_vendor_that_nobody_could_ask_is_taken(good: str, bad: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "v.toml"
    path.write_text(HEAD)
    read(path)
    path.write_text(HEAD.replace(good, bad))
    with pytest.raises(BadVendor, match=said):
        read(path)


def test_models_are_passed_on_from_a_vendor_that_nobody_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "v.toml").write_text(f'{HEAD}[default]\npasses = ["v", "w"]\n')
    monkeypatch.setattr(families_module, "FOLDER", tmp_path)
    with pytest.raises(BadVendor, match=r"v\.toml: \[default\]: passes 'w' is none of google, v, x-ai"):
        vendors.__wrapped__()


def test_days_of_a_price_overlap(tmp_path: Path) -> None:
    path = tmp_path / "v.toml"
    twice = '{ from = "2026-01-01", input = 1.0, output = 2.0 }'
    path.write_text(f"{HEAD}[m]\nprice = [{twice}, {twice}]\n")
    with pytest.raises(BadVendor, match=r"v\.toml: \[m\]: price: 'from' of .* overlap"):
        read(path)


def test_fewest_tokens_of_an_endpoint_are_not_set_aside() -> None:
    """16 are asked for where the task wants 10; a budget must know of the other six."""
    table = on_the_spot("openai:gpt-6-luna", endpoint="responses")
    for new in (1, 10, 16, 512):
        assert new + beyond_answer(table) >= most_output(new, table)
    assert beyond_answer(on_the_spot("openai:gpt-6-luna")) == 0
    assert beyond_answer(settings("gpt-6.2-sol", TABLES)) == 25_000


@pytest.mark.parametrize(
    ("long", "said"),
    [
        ([{"above": 9, "input": 2.0}, {"above": 9, "input": 3.0}], r"price.long: 'above' of \[9, 9\] overlap"),
        ([{"above": -9, "input": 2.0}], r"price.long.*above must be 1 or more, not -9"),
        ([{"input": 2.0}], r"price.long.*lacks above"),
        ([{"above": 9, "input": -2.0}], r"price.long.*input must be a number from 0 to 100, not -2"),
        ([{"abov": 9}], r"price.long.*unknown key 'abov'"),
    ],
)  # fmt: skip
def test_tiers_of_ones_own_that_cannot_be_are_taken(long: Any, said: str) -> None:
    with pytest.raises(BadTable, match=said):
        on_the_spot("openai:gpt-6-luna", price={"input": 1.0, "output": 1.0, "long": long})


def test_facts_of_ones_own_do_not_go_over_the_family() -> None:
    """A model that the files here do not know yet: what the user says of it decides what is sent, paid and cached."""
    own = {
        "context": 300_000,
        "max_output": 9_000,
        "characters_per_token": 3.0,
        "effort": {"field": "reasoning_effort", "values": ["low", "high"], "default": "high"},
        "room": {"low": 1_000},
        "price": [
            {"from": "2026-01-01", "input": 1.0, "output": 2.0},
            {"from": "2027-01-01", "input": 3.0, "output": 4.0},
        ],
        "cache": {"rule": "prefix", "minimum": 2048, "step": 128, "read": 0.5},
    }
    plain, table = on_the_spot("compatible:grok-9"), on_the_spot("compatible:grok-9", family=own)
    with pytest.raises(UnknownPrice):
        price_of("m", plain)
    assert [day for day, _ in price_of("m", table).listed] == ["2026-01-01", "2027-01-01"]
    assert price_of("m", table).listed[0][1].cached == Decimal(500)
    assert (table["extra"], table["reasoning_tokens"], table["max_output"]) == (
        {"reasoning_effort": "low"},
        1_000,
        9_000,
    )
    known = family_of(table)
    assert known is not None
    assert not known.exact, "the vendor's file still does not know it"
    assert known.family.get("endpoints.chat.min_output") == 1, "what is not said stays as the vendor's models have it"
    assert cache_minimum(table) == 2048
    assert answer_relevant({**table, "family": {}}) == answer_relevant(table), "facts would change the request key"


def test_server_of_ones_own_has_no_facts_of_its_own() -> None:
    table = on_the_spot(
        "compatible:tiny",
        base_url="http://127.0.0.1:9/v1",
        family={"context": 4096, "effort": {"field": "reasoning_effort", "values": ["low"]}, "room": {"low": 512}},
    )
    assert (table["extra"], table["reasoning_tokens"]) == ({"reasoning_effort": "low"}, 512)
    assert family_context(table, "hf:own") == 4096


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"contxt": 5}, "family: unknown key 'contxt'"),
        ({"group": "g"}, "family: unknown key 'group'"),
        ({"context": -5}, "context must be 1 or more"),
        ({"effort": {"values": ["low"]}}, "family: effort needs effort.field"),
        (
            {"effort": {"field": "e", "values": ["low"], "off": "none"}},
            "family: effort.off 'none' is none of its values",
        ),
        ({"peak": {"days": [1], "hours": [[4, 1]], "factor": 2.0}}, "hours must be hours"),
        ({"price": [{"from": "2026-01-01", "output": 2.0}]}, "lacks input"),
        (5, "family: must be a table"),
    ],
)
def test_facts_of_ones_own_that_cannot_be_are_taken(own: Any, said: str) -> None:
    with pytest.raises(BadTable, match=said):
        on_the_spot("compatible:grok-9", family=own)


def test_effort_that_the_family_does_not_take_is_sent_without_a_word() -> None:
    told = unknown_effort(on_the_spot("openai:gpt-6-luna", extra={"reasoning_effort": "ultra"}))
    assert told.startswith("extra.reasoning_effort = 'ultra' is not known to be taken; known are none, low")
    assert unknown_effort(on_the_spot("openai:gpt-6-luna", extra={"reasoning_effort": "low"})) == ""
    assert unknown_effort(on_the_spot("openai:gpt-6-luna")) == ""


def test_effort_with_which_thoughts_cannot_be_stopped_is_sent_without_a_word() -> None:
    table = {
        "provider": "anthropic",
        "id": "claude-opus-5",
        "base_url": "https://api.anthropic.com",
        "endpoint": "messages",
    }
    for effort, said in (("high", False), ("max", True)):
        extra = {"output_config": {"effort": effort}, "thinking": {"type": "disabled"}}
        assert ("with thoughts off; high is the highest" in unknown_effort({**table, "extra": extra})) == said


@pytest.mark.parametrize("rate", ["input", "cached", "cache_write", "output"])
def test_price_of_one_token_in_a_family_makes_the_budget_blind(rate: str) -> None:
    rates = {"from": "2026-01-01", "input": 2.0, "cached": 0.2, "cache_write": 2.5, "output": 8.0, rate: 2e-6}
    said = f"{rate} is in USD per million tokens, and 2e-06 is next to nothing"
    with pytest.raises(BadTable, match=rf"family price\[0\]: {said}"):
        checked_table("m", {"provider": "openai", "id": "m", "family": {"price": [rates]}})
    given = {key: value for key, value in rates.items() if key != "from"}
    with pytest.raises(BadTable, match=rf"price\.{said}"):
        checked_table("m", {"provider": "openai", "id": "m", "price": given})


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("ft:gpt-4o-mini-2024-07-18:acme::AbC", "gpt-4o-mini"),
        ("ft:gpt-4.1:acme:label:AbC", "gpt-4.1"),
        ("ft:gpt-4.9:acme::AbC", ""),
    ],
)
def test_fine_tuned_model_loses_its_temperature_or_has_the_price_of_its_base(model: str, family: str) -> None:
    table = checked_table("m", {"provider": "openai", "id": model})
    known = family_of(table)
    assert known is not None
    assert (known.family.id, known.exact) == (family, False)
    with pytest.raises(UnknownPrice):
        price_of("m", table)
    assert temperature(table) == (0.0 if family else None)


def test_smaller_context_of_a_table_contradicts_its_vendors_file() -> None:
    for vendor, model, context in (("openai", "gpt-6-luna", 400_000), ("deepseek", "deepseek-flash", 131_072)):
        own = {**vendors()[vendor].client, "id": model, "family": {"context": context}}
        known = family_of(checked_table("m", own))
        assert known is not None
        assert [known.family.get(key, context) for key in ("context", "max_input")] == [context, context]
        assert known.family.get("max_output") <= context
    with pytest.raises(BadTable, match="family: max_output is more than context"):
        checked_table("m", {"provider": "openai", "id": "m", "family": {"context": 5, "max_output": 6}})


@pytest.mark.parametrize(
    ("table", "written"),
    [
        ({"provider": "compatible", "vendor": "openrouter", "id": "anthropic/claude-opus-5.5"}, False),
        ({"provider": "compatible", "vendor": "anthropic", "id": "claude-opus-5-5"}, False),
        ({"provider": "anthropic", "id": "claude-opus-5-5"}, True),
        (
            {"provider": "compatible", "vendor": "anthropic", "id": "claude-opus-5-5", "extra": {"cache_control": {}}},
            True,
        ),
        ({"provider": "compatible", "vendor": "openrouter", "id": "openai/gpt-6-luna"}, True),
    ],
)
def test_prompt_that_cannot_be_marked_counts_as_written(table: dict[str, Any], written: bool) -> None:
    """A reply that does not say what was written; OpenAI's newer models write without being asked to."""
    own = {
        "price": {"input": 4.0, "cached": 0.4, "cache_write": 5.0, "output": 20.0},
        "base_url": "http://127.0.0.1:9/v1",
    }
    price = price_of("m", checked_table("m", {**own, **table}))
    asked = call(1, "p", tokens=10_000).ask
    assert price.counted(Usage(10_000, 0, None, 0, 0), asked) == 10_000 * (5_000 if written else 4_000)


def test_endpoint_chosen_by_a_table_loses_what_its_vendor_says_of_it() -> None:
    table = checked_table("m", {"provider": "openai", "id": "gpt-6-luna", "family": {"endpoints": {"responses": {}}}})
    assert (table["endpoint"], most_output(10, table)) == ("responses", 16)
    known = family_of({"provider": "openai", "id": "gpt-6-luna"})
    assert known is not None
    assert known.family.get("endpoints.responses.min_output") == 16, "the table changed what others read"


def test_concurrency_of_a_family_is_passed() -> None:
    own = {"provider": "compatible", "id": "m", "base_url": "http://127.0.0.1:9/v1"}
    for more, at_once in (({}, 32), ({"family": {"concurrency": 2}}, 2), ({"family": {"concurrency": 2}, "concurrency": 8}, 2),
                          ({"family": {"concurrency": 2}, "concurrency": 1}, 1)):  # fmt: skip
        assert engine_settings("m", checked_table("m", {**own, **more}), key_name="").caps.concurrency == at_once


def test_temperature_that_a_table_says_is_taken_is_not_sent() -> None:
    for more, sent in (
        ({}, None),
        ({"family": {"sampling": "always"}}, 0.0),
        ({"family": {"sampling": "never"}}, None),
    ):
        assert temperature(checked_table("m", {"provider": "anthropic", "id": "claude-opus-5-7", **more})) == sent
