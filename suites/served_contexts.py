"""The context of a model on the user's own server, where its table names none: what the server lists at GET /v1/models
(vLLM: `max_model_len`).

Prompts are cut by it when they are planned, and planning asks no server. So a run asks before it plans, once for each
address and model, and the home keeps the reply: a plan, an estimate and later runs, on any machine, read it there.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from scrollwork.models.registry import HOSTED, client_module
from scrollwork.models.vendors.families import counted_context, vendor_of
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.home import Home

log = logging.getLogger("scrollwork")
FOLDER = "servers"  # of the home
OWN_TOKENS = "own_tokens"  # of a reply that is kept: its context is in the model's tokens, not in our tokenizer's
LEAST, MOST = 1024, 2**27  # tokens; a server may say anything


def needs_context(table: Mapping[str, Any]) -> bool:
    """Whether nobody says the context of a table's model: neither the user nor a vendor's file."""
    known = "context" in table or "context" in table.get("family", {})
    return table["provider"] == "compatible" and vendor_of(table) is None and not known


def served_context(table: Mapping[str, Any], home: Home) -> int:
    """Return the context that the home keeps of a table's model, of prompt and answer, as the table's tokenizer counts
    tokens; 0 for none. What an earlier version noted stays as it is, so that prompts of paid answers do not change."""
    kept = home.agreed(_file(table))
    value = kept.get("context")
    if type(value) is not int or not LEAST <= value <= MOST:
        return 0
    return counted_context(value, table, table["tokenizer"]) if kept.get(OWN_TOKENS) else value


def may_list_context(table: Mapping[str, Any], home: Home) -> bool:
    """Return whether nobody says the context of a table's model, and its server was not yet asked for it."""
    return needs_context(table) and not home.agreed(_file(table))


def note_contexts(tables: Mapping[str, Mapping[str, Any]], home: Home) -> bool:
    """Ask the servers of models whose context nobody states, 5 s each at most, and keep what they list.

    Returns whether a server said what it lists. tables: of the called models of a run, by name. A server that lists
    none is asked once; one that is not there yet is asked by the next run again.
    """
    unknown = {model: table for model, table in tables.items() if may_list_context(table, home)}
    if not unknown or not home.writable:
        return False
    client_module("compatible", HOSTED)  # names the extra where aiohttp is absent, which listing imports
    from scrollwork.models.hosted.listing import context_at

    listed = {model: context_at(model, table) for model, table in unknown.items()}
    new = {model for model, tokens in listed.items() if tokens is not None and LEAST <= tokens <= MOST}
    for model, tokens in listed.items():
        if tokens is None:
            continue
        own = unknown[model]
        believed = tokens if model in new else 0
        told = {"base_url": own["base_url"], "id": own["id"], "context": believed, OWN_TOKENS: True}
        stands = home.agree(_file(own), told).get("context", believed)
        if stands != believed:
            log.warning("%s: its server lists a context of %s tokens; that of %s stands, which another run noted in "
                        "this home before", model, f"{tokens:,}", stands)  # fmt: skip
        elif model in new:
            log.warning("%s: its server lists a context of %s tokens, so longer prompts are cut; context = N in the "
                        "model's table goes over it", model, f"{tokens:,}")  # fmt: skip
        elif tokens:
            log.warning("%s: its server lists a context of %s tokens, which is not believed", model, f"{tokens:,}")
    return any(tokens is not None for tokens in listed.values())


def is_own_server(table: Mapping[str, Any]) -> bool:
    """Return whether a table's model is on a server of the user's own, not a vendor's."""
    return table["provider"] == "compatible" and vendor_of(table) is None


def served_weights(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Ask the user's own servers which weights they serve, 5 s each at most; those that say nothing are left out.

    tables: of the called models of a run, by name. Returns lines of `weights_at` (models/hosted/listing.py), by model.
    """
    own = {model: table for model, table in tables.items() if is_own_server(table)}
    if not own:
        return {}
    client_module("compatible", HOSTED)  # names the extra where aiohttp is absent, which listing imports
    from scrollwork.models.hosted.listing import weights_at

    told = {model: weights_at(model, table) for model, table in own.items()}
    return {model: lines for model, lines in told.items() if lines}


def _file(table: Mapping[str, Any]) -> str:
    return f"{FOLDER}/{sha256_of([table['base_url'], table['id']])[:16]}.json"
