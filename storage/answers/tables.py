"""The tables of the response store in their present version. migrations.py migrates older ones.

A reply may contain any character. PostgreSQL cannot hold NUL, and neither database can hold a lone surrogate. So in
both databases NUL, lone surrogates and the escape character itself (U+001A, "substitute") are written as U+001A and
four hex digits. All other characters are written as they are.
"""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa

SCHEMA_VERSION = 5
MARK = "scrollwork response store"
KEY = sa.String(64)

ESCAPE = "\x1a"
_TO_ESCAPE = re.compile("[\0\x1a\ud800-\udfff]")
_ESCAPES = {number: f"{ESCAPE}{number:04x}" for number in (0, ord(ESCAPE), *range(0xD800, 0xE000))}
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


def escape_text(text: str) -> str:
    """Return the text with escapes, so that both databases can hold it."""
    return text.translate(_ESCAPES) if _TO_ESCAPE.search(text) else text


def unescape_text(text: str) -> str:
    """Undo `escape_text`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if ESCAPE in text else text


class AnyText(sa.TypeDecorator[str]):
    """Column type for text with any characters: they are escaped when written and restored when read."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        return None if value is None else escape_text(value)

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        return unescape_text(value) if isinstance(value, str) else value  # a damaged SQLite may give bytes or a number


def _tokens() -> list[sa.Column[Any]]:
    names = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")
    return [sa.Column(name, sa.BigInteger) for name in names]


tables = sa.MetaData()

about = sa.Table(
    "scrollwork_about", tables, sa.Column("name", sa.String(64), primary_key=True), sa.Column("value", sa.Text)
)
responses = sa.Table(
    "responses",
    tables,
    sa.Column("request_key", KEY, primary_key=True),
    sa.Column("provider", AnyText, nullable=False),
    sa.Column("model", AnyText, nullable=False),
    sa.Column("text", AnyText, nullable=False),
    sa.Column("finish_reason", sa.String(16), nullable=False),
    *_tokens(),
    sa.Column("reported_model", AnyText, nullable=False),
    sa.Column("latency_s", sa.Float),  # this and `attempts`: NULL if refilled from a snapshot that does not hold it
    sa.Column("attempts", sa.Integer),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("cost_nano_usd", sa.BigInteger),
    sa.Column("masked", sa.Boolean, nullable=False),
    sa.Column("origin", sa.String(16), nullable=False),
    sa.Column("digest", KEY, nullable=False),
    sa.Column("service_tier", AnyText),
    sa.Column("fingerprint", AnyText),
    sa.Column("output_limit", sa.BigInteger),
)
failures = sa.Table(
    "failures",
    tables,
    sa.Column("request_key", KEY, primary_key=True),
    sa.Column("provider", AnyText, nullable=False),
    sa.Column("model", AnyText, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("message", AnyText, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("digest", KEY, nullable=False),
)
attempts = sa.Table(  # the key has four columns, so that an attempt that is added or imported twice is stored once
    "attempts",
    tables,
    sa.Column("request_key", KEY, primary_key=True),
    sa.Column("owner", sa.String(128), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("started", sa.Float, primary_key=True),
    sa.Column("provider", AnyText, nullable=False),
    sa.Column("model", AnyText, nullable=False),
    sa.Column("outcome", sa.String(16), nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("message", AnyText, nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    *_tokens(),
    sa.Column("cost_nano_usd", sa.BigInteger),
    sa.Column("digest", KEY, nullable=False),
)
set_aside = sa.Table(  # rows that `store repair` took out of other tables, as JSON
    "set_aside",
    tables,
    sa.Column("name", KEY, primary_key=True),  # sha256 of the table's name and the row
    sa.Column("taken_from", sa.String(16), nullable=False),
    sa.Column("request_key", AnyText, nullable=False),
    sa.Column("row", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("moved", sa.Float, nullable=False),
)
claims = sa.Table(  # who is asking a request now: an owner in a process (host, pid, born: see processes.py)
    "claims",
    tables,
    sa.Column("request_key", KEY, primary_key=True),
    sa.Column("owner", sa.String(128), nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("pid", sa.BigInteger, nullable=False),
    sa.Column("born", sa.Text, nullable=False),
    sa.Column("expires", sa.Float, nullable=False),
)
batches = sa.Table(
    "batches",
    tables,
    sa.Column("batch_id", KEY, primary_key=True),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("provider", AnyText, nullable=False),
    sa.Column("model", AnyText, nullable=False),
    sa.Column("provider_batch_id", AnyText),
    sa.Column("requests_sha256", KEY, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("submitted", sa.Float),
    sa.Column("ended", sa.Float),
    sa.Column("owner", sa.String(128), nullable=False),
    sa.Column("place", AnyText, nullable=False),
    sa.Column("most_nano_usd", sa.BigInteger),
    sa.Column("message", AnyText, nullable=False),
)
batch_requests = sa.Table(
    "batch_requests",
    tables,
    sa.Column("batch_id", KEY, primary_key=True),
    sa.Column("request_key", KEY, primary_key=True),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Index("batch_requests_of_a_key", "request_key"),
)
paces = sa.Table(  # schedules, each shared by all processes that call a model with the same API key (shared_limits.py)
    "paces",
    tables,
    sa.Column("name", KEY, primary_key=True),
    sa.Column("free", sa.Float, nullable=False),  # from this moment on the schedule is free; all times: unix seconds
    sa.Column("changed", sa.Float, nullable=False),  # the store's clock when a process last took a stretch
    sa.Column("requests_limit", sa.BigInteger),  # per minute, as the provider last said
    sa.Column("tokens_limit", sa.BigInteger),
    sa.Column("said", sa.Float),  # when the provider said it
)
