"""A model that is reached over the network: a table and a module that makes request bodies, in front of the engine."""

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
from scrollwork.models.hosted.tables import BASE_URLS, ENDPOINT_PATHS, MAX_TOKENS, key_name_of, temperature
from scrollwork.models.vendors.families import characters_per_token
from scrollwork.models.vendors.fill import most_output, without_family


class Hosted:
    """A model with one member.

    body: makes the request body of an Ask. client: makes the client, called in the event loop that sends.
    """

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
        """Return what the request key is the digest of: where the request goes and what it says, nothing else."""
        return self._payload(ask, self._table)

    def former_payload(self, ask: Ask) -> Mapping[str, Any] | None:
        """Return the payload as it was before anything was known about the model's family, None if it is the same.

        An answer that was paid for under its key is not requested again.
        """
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
        """Return the characters of English in a token, by the model's family, for estimates."""
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
        """Start the engine on calls and return its results as they come.

        gate: to the budget. stop: shared by all that runs in this process. ledger: processes share the vendor's limits
        through it. breaker: shared by the stages of a run.
        """
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
    """Return what a request key says about the endpoint: server, path and version.

    A server is given by the name that the table gives it, else by its address, so that a server with a name keeps its
    answers when it moves. The vendor's own address is left out.
    """
    path = ENDPOINT_PATHS[table["endpoint"]]
    version = f"; {table['version']}" if "version" in table else ""
    server = table.get("server") or table["base_url"]
    return f"{path}{version}" if server == BASE_URLS.get(provider) else f"{server} {path}{version}"


SEEDED = ("chat", "completions")  # endpoints that accept a seed; they promise little about its effect


def decoding(ask: Ask, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decoding parameters of a request, under the names that the model accepts.

    The token limit includes room for reasoning beyond the answer's own tokens. Temperature is left out if the table
    says that it must not be sent; a seed is sent only with a temperature above 0. The table's `stop` gives stop
    sequences, and its `extra` any other parameters, which replace ours.
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
    """Return (segments of the user's turn, beginning of the assistant's turn) of a prompt of the Claude variant.

    The variant's wrappers are "\\n\\nHuman: " before and "\\n\\nAssistant: Answer: <answer>" after the prompt (fact
    sheet 3.5). A prompt without wrappers is the user's turn as a whole.
    """
    wrappers = [segment.text for segment in segments if segment.role == "wrapper"]
    own = tuple(segment for segment in segments if segment.role != "wrapper")
    return own, wrappers[-1].partition("Assistant:")[2].strip() if len(wrappers) > 1 else ""
