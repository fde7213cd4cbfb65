"""Local checkpoints by name: what is in the folder, known by the digest of its files; where it lies is in no key.

`transformers:FOLDER` and `transformers:OWNER/NAME@REVISION` become `transformers:NAME~DIGEST`. The home remembers where
that lies, so that a worker with the same home finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrollwork.models.local.checkpoint import CAUSAL, CheckpointError, Vocabulary
from scrollwork.models.local.model import PROVIDER
from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.home import Home
from scrollwork.suites.checkpoint_files import (
    CONFIG,
    digest_of,
    find_checkpoint,
    has_template,
    kind_of,
    read_json_object,
    window_of,
)
from scrollwork.suites.tokenizers import DIGEST_CHARS, FILE, adopt_tokenizer
from scrollwork.suites.vocabularies import load

PLACES, TEMPLATES = "checkpoints.json", "cache/chat-templates.json"


def adopt_name(spec: str, home: Home) -> str:
    """The lasting name of a checkpoint that a person named on the spot. Raises UsageError with what to do."""
    provider, _, wanted = spec.partition(":")
    if provider != PROVIDER or not wanted or ("~" in wanted and home.remembered(PLACES).get(wanted.rpartition("~")[2])):
        return spec
    place, label = find_checkpoint(spec, wanted, download=False)
    short = digest_of(spec, place, home)[:DIGEST_CHARS]
    places = home.remembered(PLACES)
    if places.get(short) != str(place):
        home.remember(PLACES, {**places, short: str(place)})
    return f"{PROVIDER}:{label}~{short}"


def with_checkpoint_facts(name: str, table: Mapping[str, Any], home: Home) -> dict[str, Any]:
    """A checked table with what the checkpoint itself says: digest, kind, window, tokenizer, how prompts are made.

    Raises UsageError with what to do.
    """
    wanted = str(table["id"])
    short = wanted.rpartition("~")[2] if "~" in wanted else ""
    if known := home.remembered(PLACES).get(short):
        place, label = Path(known), wanted.rpartition("~")[0]
        if not (place / CONFIG).is_file():
            raise UsageError(f"model {name!r}: {place} is gone; name its folder again: --model {PROVIDER}:FOLDER")
    else:
        place, label = find_checkpoint(name, wanted, download=bool(table.get("download")))
    digest = digest_of(name, place, home)
    if known and not digest.startswith(short):
        raise UsageError(
            f"model {name!r}: the files in {place} have changed; name the folder again: --model {PROVIDER}:FOLDER"
        )
    config = read_json_object(name, place / CONFIG)
    kind = kind_of(config)
    template = has_template(place)
    chat = table.get("chat", table["variant"] == "chat" if "variant" in table else template and kind == CAUSAL)
    if chat and (kind != CAUSAL or not template):
        why = "its tokenizer has no chat template" if kind == CAUSAL else "it is an encoder-decoder"
        raise UsageError(f"model {name!r}: chat = true, but {why}")
    window = int(table.get("context", 0)) or window_of(name, config)
    tokenizer = str(table.get("tokenizer") or own_tokenizer(name, place, label, home))
    extra = tokens_around(name, table, place, digest, chat, tokenizer, home) if kind == CAUSAL else 0
    return {
        **table,
        "checkpoint": f"{label}~{digest[:DIGEST_CHARS]}",
        "digest": digest,
        "kind": kind,
        "place": str(place),
        "variant": "chat" if chat else "plain",
        "tokenizer": tokenizer,
        "window": window,
        "context": window,
        "around": extra,
    }


def own_tokenizer(name: str, place: Path, label: str, home: Home) -> str:
    """The lasting name of the checkpoint's tokenizer, which counts its prompts. Raises UsageError."""
    if not (place / FILE).is_file():
        raise UsageError(
            f"model {name!r}: {place} has no {FILE} to count prompts with; write it once with "
            'AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER), or say tokenizer = "estimate"'
        )
    return f"hf:{label}~{adopt_tokenizer(f'hf:{place / FILE}', home).rpartition('~')[2]}"


def tokens_around(
    name: str, table: Mapping[str, Any], place: Path, digest: str, chat: bool, tokenizer: str, home: Home
) -> int:
    """Tokens around a prompt that the prompt stage does not count: the tokenizer's own, or those of the chat template.
    The latter need the library, so they are remembered. Raises UsageError."""
    if not chat:
        return load(tokenizer, home).added
    known, key = home.remembered(TEMPLATES), sha256_of([digest, table.get("template", {})])
    if key not in known:
        try:
            codec = Vocabulary(name, str(place), table.get("template", {}))
            whole = codec.ids(codec.templated("word"), special=False)
            known[key] = len(whole) - len(codec.ids("word", special=False))
        except CheckpointError as error:
            raise UsageError(str(error)) from error
        home.remember(TEMPLATES, known)
    return int(known[key])
