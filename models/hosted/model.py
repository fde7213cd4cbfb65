"""A model that somebody hosts: a table and a module that makes the body, in front of the engine that sends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from scrollwork.models.base import Answer, Ask, Attempt, Call, CallFailed, Client, Segment
from scrollwork.models.engine.answers import Run, answer
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.budget import Gate
from scrollwork.models.engine.limits_ledger import LimitsLedger
from scrollwork.models.engine.settings import settings
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.hosted.tables import BASE_URLS, MAX_TOKENS, PATHS, key_name_of, temperature
from scrollwork.models.vendors.families import characters_per_token
from scrollwork.models.vendors.fill import most_output, without_family


class Hosted:
    """One member. body: what the provider's endpoint gets for an Ask. client: made in the loop that sends."""

    def __init__(
        self,
        name: str,
        provider: str,
        table: Mapping[str, Any],
        body: Callable[[Ask, Mapping[str, Any]], dict[str, Any]],
        client: Callable[[str, Mapping[str, Any]], Client],
    ) -> None:
        self.name, self.provider = name, provider
        self.members: Sequence[str] = (name,)
        self._table, self._body, self._client = table, body, client
        self._former = without_family(table)

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """What the request key is the digest of: where it goes and what it says, nothing else."""
        return self._payload(ask, self._table)

    def former_payload(self, ask: Ask) -> Mapping[str, Any] | None:
        """What reached the provider before anything was known of the model's family, None where that is the same: an
        answer that was paid under its key is not asked again."""
        if self._former is None:
            return None
        former = self._payload(ask, self._former)
        return None if former == self._payload(ask, self._table) else former

    def _payload(self, ask: Ask, table: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            "provider": self.provider,
            "endpoint": place_of(self.provider, table),
            "body": self._body(ask, table),
            "sample": ask.draw,
        }

    @property
    def characters_per_token(self) -> float:
        """Of English, as its family has it, for estimates."""
        return characters_per_token(self._table)

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer | CallFailed | Attempt]:
        """Yield the results of calls, without a budget."""
        return self.run(calls)

    def run(
        self,
        calls: Iterable[Call],
        *,
        gate: Gate | None = None,
        stop: Stop | None = None,
        ledger: LimitsLedger | None = None,
        breaker: Breaker | None = None,
    ) -> Run:
        """Start the engine on calls. gate: the budget. stop: shared by all that run in this process. ledger: through
        which processes share the limits. breaker: shared by the stages of a run."""
        table = {**self._table, "provider": self.provider}
        key_name = key_name_of(self.provider, self._table)
        how = settings(self.name, table, key_name=key_name)
        return answer(
            lambda: self._client(self.name, self._table),
            calls,
            how,
            gate=gate,
            stop=stop,
            ledger=ledger,
            breaker=breaker,
        )


def place_of(provider: str, table: Mapping[str, Any]) -> str:
    """Path of the endpoint, after the server: by the name that the table gives it, by its address where that is not the
    vendor's own. A server that moves keeps its answers if it is named."""
    path = PATHS[table["endpoint"]]
    version = f"; {table['version']}" if "version" in table else ""
    server = table.get("server") or table["base_url"]
    return f"{path}{version}" if server == BASE_URLS.get(provider) else f"{server} {path}{version}"


SEEDED = ("chat", "completions")  # endpoints that take a seed; they promise little


def decoding(ask: Ask, table: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of decoding under the names that the model knows.

    reasoning_tokens: room for thoughts beyond what the task allows for the answer. temperature: left out where the
    table says that it may not be sent. stop: the table's stop sequences. extra: whatever else the table wants sent.
    """
    names = table.get("parameters", {})
    endpoint = table["endpoint"]
    body: dict[str, Any] = {names.get("max_tokens", MAX_TOKENS[endpoint]): most_output(ask.max_new_tokens, table)}
    if (sent := temperature(table)) is not None:
        body["temperature"] = sent
    if sent and ask.seed is not None and endpoint in SEEDED:
        body["seed"] = ask.seed
    if table.get("stop"):
        body["stop_sequences" if endpoint == "messages" else "stop"] = list(table["stop"])
    return {**body, **table.get("extra", {})}


def split_wrapper(segments: tuple[Segment, ...]) -> tuple[tuple[Segment, ...], str]:
    """(the segments of the person's turn, what the assistant is to begin with) of a prompt of the Claude variant.

    The variant's wrappers are "\\n\\nHuman: " in front and "\\n\\nAssistant: Answer: <answer>" behind (fact sheet 3.5);
    a prompt without wrappers is all the person's.
    """
    wrappers = [segment.text for segment in segments if segment.role == "wrapper"]
    own = tuple(segment for segment in segments if segment.role != "wrapper")
    return own, wrappers[-1].partition("Assistant:")[2].strip() if len(wrappers) > 1 else ""
