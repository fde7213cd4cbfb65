"""The keys of hosted models' tables, with their types, so that a mistake is reported before anything is paid for."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from scrollwork.models.addresses import is_open
from scrollwork.models.engine.retry import retry_policy
from scrollwork.models.table_keys import (
    ANY_TABLE,
    FLAG,
    FRESH,
    NUMBER,
    TEXT,
    TEXT_LIST,
    WHOLE,
    BadValue,
    Key,
    ListOf,
    Place,
    Table,
    nearest_known,
)
from scrollwork.models.vendors.families import vendors
from scrollwork.models.vendors.fill import with_family
from scrollwork.models.vendors.keys import BY_KEYS, DAY, ENDPOINTS, MAX_TOKENS_NAMES, OURS, OWN_FAMILY
from scrollwork.models.vendors.own_facts import PRICE, family_fault, price_fault
from scrollwork.models.vendors.tiers import FIELD, FLEX, STANDARD, has_flex, with_flex

ENDPOINT_PATHS = {
    "chat": "/chat/completions",
    "responses": "/responses",
    "completions": "/completions",
    "messages": "/v1/messages",
}
BASE_URLS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
# Anthropic's API version, part of the request key. The SDK has a version of its own, but upgrading it changes nothing.
VERSION = "2026-10-21"
KEY_ENV = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
MAX_TOKENS = {
    "chat": "max_completion_tokens",
    "responses": "max_output_tokens",
    "completions": "max_tokens",
    "messages": "max_tokens",
}

# The keys that a table of a hosted model may have. Only those of BODY reach the provider.
BODY = {
    "id": Key(TEXT, "The model's name at the provider."),
    "endpoint": Key(TEXT, "chat (default), responses or completions; messages for anthropic."),
    "base_url": Key(TEXT, "Another address than the vendor's, up to /v1."),
    "server": Key(TEXT, "A name that stands for the address in request keys."),
    "max_output": Key(WHOLE, "The most new tokens."),
    "reasoning_tokens": Key(WHOLE, "Room for thoughts beyond the task's tokens."),
    "parameters": Key(
        Table(
            {
                "max_tokens": Key(TEXT, "Under which name the model takes the most new tokens."),
                "temperature": Key(FLAG, "Whether one may be sent."),
            }
        ),
        "What parameters the model takes.",
    ),
    "temperature": Key(NUMBER, "Instead of the suite's."),
    "prefill": Key(FLAG, "The answer may be begun (Claude's tag)."),
    "stop": Key(TEXT_LIST, "Stop sequences."),
    "extra": Key(ANY_TABLE, "Further parameters of the request."),
    "version": Key(TEXT, "The header anthropic-version."),
}
PROMPT = {
    "context": Key(WHOLE, "Tokens of input and output together; prompts are cut to it."),
    "tokenizer": Key(TEXT, "What counts them: tiktoken:NAME, hf:FILE, words or estimate."),
    "variant": Key(TEXT, "How prompts are worded: plain, chat or claude (default: by the endpoint)."),
    "truncation": Key(TEXT, "How they are cut: a policy of preprocessing/prompts/truncation.py."),
}
PAYING = {
    "price": Key(
        PRICE,
        "What tokens cost, in place of what is known of the vendor's model; where neither is known, money is not "
        "counted and --budget is refused.",
    ),
    "rpm": Key(WHOLE, "Requests a minute at most."),
    "tpm": Key(WHOLE, "Tokens a minute at most."),
    "concurrency": Key(WHOLE, "Requests at once at most."),
    "service": Key(TEXT, 'The tier of service that is asked for: "standard", or "flex" where the model has it.'),
    "concurrency_start": Key(WHOLE, "Requests at once to begin with."),
    "warmup_s": Key(NUMBER, "Seconds until there may be `concurrency` at once."),
    "retry": Key(
        Table(
            {
                "attempts": Key(WHOLE, "Tries of a request."),
                "seconds": Key(NUMBER, "Seconds over which they go."),
                "longest_wait_s": Key(NUMBER, "Seconds between two of them at most."),
            }
        ),
        "How often a request is tried again.",
    ),
    "timeout_s": Key(NUMBER, "Seconds until a reply must have come."),
    "cache_minimum": Key(WHOLE, "Tokens below which the vendor caches no prefix."),
    "key_env": Key(TEXT, "The environment variable with the key."),
    "key_secret": Key(TEXT, "The Prefect Secret block with the key."),
    "insecure": Key(FLAG, "The key may be sent over plain http to another machine."),
    "cache_options": Key(ANY_TABLE, "Parameters that only say what the prefix cache does; no part of the request key."),
    "family": Key(OWN_FAMILY, "Facts of the model's family, over those of its vendor's file and by the same keys."),
    "vendor": Key(TEXT, "Whose model it is, where the address is not the vendor's own: a gateway, a proxy."),
    "retired": Key(DAY, "The day from which the vendor answers no more."),
    "source": Key(TEXT, "Where that is known from."),
    "fresh": FRESH,
}
CHOICE = {
    "provider": Key(TEXT, "The module that answers."),
    "suites": Key(ListOf(TEXT), "The suites that the model is defined for; all by default."),
    "tasks": Key(ListOf(TEXT), "The tasks that it is defined for; all by default."),
    "on": Key(ANY_TABLE, "By suite, what is otherwise there."),
}
KEYS: Mapping[str, Key] = {**BODY, **PROMPT, **PAYING, **CHOICE}
VARIANTS = ("plain", "chat", "claude")
SENT_AS_IS = ("extra", "cache_options")
OF_ANTHROPIC = ("version", "prefill")
SIMULATED = "rehearsal"  # `server` of simulated vendors: as part of request keys, it keeps their answers apart
POSITIVE = (
    *("context", "max_output", "rpm", "tpm", "concurrency"),
    *("concurrency_start", "timeout_s", "warmup_s", "cache_minimum"),
)
NOT_NEGATIVE = ("reasoning_tokens", "temperature")


class BadTable(ValueError):
    """A model's table is invalid; the message names model and key."""


def checked_table(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a hosted model, with endpoint, address and what its family adds filled in.

    Raises BadTable.
    """
    provider = str(table["provider"])
    check_keys(name, table, KEYS)
    for key in POSITIVE:
        if table.get(key, 1) <= 0:
            raise BadTable(f"model {name!r}: {key} must be positive")
    for key in NOT_NEGATIVE:
        if table.get(key, 0) < 0:
            raise BadTable(f"model {name!r}: {key} must not be negative")
    if not table.get("id"):
        raise BadTable(f"model {name!r}: id is missing: the model's name at the provider")
    stated = table.get("family", {}).get("endpoints", {})
    for one in stated:
        check_choice(name, "family.endpoints", one, ENDPOINTS[provider])
    endpoint = table.get("endpoint", next(iter(stated), ENDPOINTS[provider][0]))
    check_choice(name, "endpoint", endpoint, ENDPOINTS[provider])
    check_choice(name, "variant", table.get("variant", "plain"), VARIANTS)
    check_choice(
        name, "parameters.max_tokens", table.get("parameters", {}).get("max_tokens", "max_tokens"), MAX_TOKENS_NAMES
    )
    for part in SENT_AS_IS:
        check_choice(name, part, next(iter(sorted({*OURS, *BY_KEYS} & set(table.get(part, {})))), None), (None,))
    if fault := price_fault(table.get("price", {})) or family_fault(table):
        raise BadTable(f"model {name!r}: {fault}")
    check_sendable(name, table)
    check_fitting(name, provider, endpoint, table)
    base_url = checked_address(name, str(table.get("base_url") or BASE_URLS.get(provider, "")))
    check_encrypted(name, provider, table, base_url)
    check_choice(name, "vendor", table.get("vendor"), (None, *vendors()))
    found = with_family({**defaults(provider, endpoint), **table, "endpoint": endpoint, "base_url": base_url})
    sent_temperature(name, found)
    check_choice(name, "service", table.get("service"), (None, STANDARD, *([FLEX] if has_flex(found) else [])))
    if "service" in table and FIELD in {**table.get("extra", {}), **table.get("cache_options", {})}:
        raise BadTable(f"model {name!r}: {FIELD} stands in the request, and service in its table: give one")
    return with_flex(found) if table.get("service") == FLEX else found


def check_fitting(name: str, provider: str, endpoint: str, table: Mapping[str, Any]) -> None:
    """Check for values that do not fit together, or that nobody wants to send. Raises BadTable."""
    if table.get("server") == SIMULATED:
        raise BadTable(f"model {name!r}: server {SIMULATED!r} is the name of simulated vendors; take another")
    if not all(isinstance(one, str) and one for one in table.get("stop", [])):
        raise BadTable(f"model {name!r}: stop must be a list of texts")
    if provider != "anthropic" and (foreign := [key for key in OF_ANTHROPIC if key in table]):
        raise BadTable(f"model {name!r}: {foreign[0]} is for anthropic")
    if provider == "anthropic" and "cache_options" in table:
        raise BadTable(f"model {name!r}: cache_options is not for anthropic: its breakpoints are set by cache_minimum")
    if both := sorted(set(table.get("extra", {})) & set(table.get("cache_options", {}))):
        raise BadTable(f"model {name!r}: {both[0]} stands in extra and in cache_options")
    try:
        retry_policy(table.get("retry", {}))
    except ValueError as error:
        raise BadTable(f"model {name!r}: {error}") from None


def sent_temperature(name: str, table: Mapping[str, Any]) -> None:
    """Check that the temperature of a table, if it has one, would be sent. Raises BadTable."""
    if "temperature" in table and temperature(table) is None:
        raise BadTable(
            f"model {name!r}: temperature = {table['temperature']!r} would not be sent; parameters = "
            "{ temperature = true } says that the model takes one"
        )


def check_sendable(name: str, table: Mapping[str, Any]) -> None:
    """Check that what is sent exactly as it is in the table can be JSON. Raises BadTable."""
    for part in SENT_AS_IS:
        for key, value in table.get(part, {}).items():
            try:
                json.dumps(value, allow_nan=False)
            except (TypeError, ValueError):
                raise BadTable(f"model {name!r}: {part}.{key} = {value!r} cannot be sent as JSON") from None


def defaults(provider: str, endpoint: str) -> dict[str, str]:
    """Return how prompts are made unless the table says it; text completions get the plain prompt (fact sheet 3.5)."""
    if provider == "anthropic":
        return {"variant": "claude", "tokenizer": "estimate", "version": VERSION}
    return {"variant": "plain" if endpoint == "completions" else "chat", "tokenizer": "estimate"}


def check_keys(name: str, table: Mapping[str, Any], known: Mapping[str, Key], prefix: str = "") -> None:
    """Check keys and their kinds, also in tables within the table. prefix: of the key in messages. Raises BadTable."""
    for key, value in table.items():
        if key not in known:
            there = sorted(known)
            others = f"there are: {', '.join(there)}{nearest_known(key, there)}"
            raise BadTable(f"model {name!r}: {prefix}{key} is no key of its table; {others}")
        kind = known[key].kind
        within = isinstance(kind, Table) and not kind.inline
        try:
            (ANY_TABLE if within else kind).check(Place(f"model {name!r}"), f"{prefix}{key}", value)
        except BadValue as error:
            raise BadTable(str(error)) from None
        if isinstance(kind, Table) and within:
            check_keys(name, value, kind.keys, f"{prefix}{key}.")


def check_choice(name: str, key: str, value: Any, known: tuple[Any, ...]) -> None:
    """Check that a value is one of those known. Raises BadTable."""
    if value not in known:
        others = ", ".join(str(one) for one in known if one is not None)
        near = nearest_known(value, [one for one in known if one is not None])
        hint = f"is none of {others}{near}" if others else "is set by the request itself"
        raise BadTable(f"model {name!r}: {key} {value!r} {hint}")


def checked_address(name: str, url: str) -> str:
    """Check a base URL and return it without a "/" at its end. Raises BadTable.

    It must contain no key, as it is written to request keys, logs and reports.
    """
    if not url:
        raise BadTable(f"model {name!r}: base_url is missing: the address of the server up to /v1 (--base-url URL)")
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine:
        raise BadTable(f"model {name!r}: base_url is no address of the form https://HOST/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadTable(
            f"model {name!r}: base_url must not hold a user, a password or a query; keys come from the environment "
            '(key_env = "NAME")'
        )
    return url.rstrip("/")


def check_encrypted(name: str, provider: str, table: Mapping[str, Any], base_url: str) -> None:
    """Check that no key would be sent unencrypted, so that others could read it. Raises BadTable."""
    key = key_name_of(provider, table)
    if key and is_open(base_url) and not table.get("insecure", False):
        raise BadTable(
            f"model {name!r}: base_url {base_url} is plain http to another machine: others could read the key in "
            f"{key}. Use https, or a tunnel to 127.0.0.1; in a network that you trust, insecure = true in its table"
        )


_secrets: dict[str, str] = {}  # by name of the block; in this process only


def provide_secret(block: str, key: str) -> None:
    """Set a key that is kept in a secret store (`key_secret`), which this package does not read itself."""
    _secrets[block] = key


def key_of(name: str, provider: str, table: Mapping[str, Any]) -> str:
    """Return the API key from the environment, or a secret that was provided; "" if the table names none.

    Raises BadTable, which says where the key was expected. A compatible server gets a key only if its table names the
    variable: OpenAI's key goes to nobody else.
    """
    block = table.get("key_secret", "")
    variable = key_name_of(provider, table)
    key = (_secrets.get(block, "") if block else os.environ.get(variable, "")).strip()
    if block and not key:
        raise BadTable(
            f"model {name!r}: no key; there is no Prefect Secret block {block!r}, or it was not read, which is done "
            "where Prefect runs the stages: leave out --engine inline"
        )
    if variable and not key:
        raise BadTable(f"model {name!r}: no key; set {variable} in the environment")
    if not key.isprintable() or not key.isascii():
        raise BadTable(f"model {name!r}: the key in {variable} holds characters that no header can carry")
    return key


def key_name_of(provider: str, table: Mapping[str, Any]) -> str:
    """Return where the key is, in words; "" if none is sent. Tables that name the same place use the same account."""
    if block := table.get("key_secret"):
        return f"Secret block {block}"
    return str(table.get("key_env") or KEY_ENV.get(provider, ""))


def temperature(table: Mapping[str, Any]) -> float | None:
    """Return the temperature that is sent, None if none may be. The default is 0: the papers decode greedily.

    Suites that sample set their own.
    """
    if not table.get("parameters", {}).get("temperature", table["endpoint"] != "messages"):
        return None
    return float(table.get("temperature", 0.0))


def answer_relevant(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table with only those keys on which the prompt or the answer depends.

    Left out are price, limits, retries, the name of the key, and the address of a server that has a name.
    """
    moves = ("base_url",) if table.get("server") else ()
    return {key: value for key, value in table.items() if key not in PAYING and key not in moves}
