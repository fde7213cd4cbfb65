"""The files of a local checkpoint: where they lie, what they are, the digest by which they are known."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrollwork.models.local.checkpoint import CAUSAL, ENCODER_DECODER
from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.digest import FileDigests, sha256_of
from scrollwork.storage.home import Home

CONFIG = "config.json"
READ = (
    "*.json",
    "*.jinja",
    "*.model",
    "*.spm",
    "*.txt",
    "*.safetensors",
    "*.bin",
)  # what the library reads of a folder
LEFT_OVERS = ("trainer_state.json", "training_args.bin", "optimizer.bin", "scheduler.bin")  # of training
WEIGHTS = (".safetensors", ".bin")
PINNED = re.compile(r"[0-9a-f]{40}")
# Families whose config may not say what they are.
ENCODER_DECODERS = ("bart", "led", "longt5", "m2m_100", "mbart", "mt5", "pegasus", "pegasus_x", "t5", "umt5")
RELATIVE = ("longt5", "mt5", "t5", "umt5")  # no longest input: the paper gives them 8,192 tokens (fact sheet 4.3)
PAPER_LIMIT = 8192
POSITIONS = ("max_position_embeddings", "max_encoder_position_embeddings", "n_positions", "max_seq_len", "seq_length")


def find_checkpoint(name: str, wanted: str, *, download: bool) -> tuple[Path, str]:
    """(folder, label) of a checkpoint: a folder of this machine, else the hub's cache. Raises UsageError."""
    place = Path(wanted).expanduser()
    if place.is_dir():
        if not (place / CONFIG).is_file():
            raise UsageError(f"model {name!r}: {place} holds no {CONFIG}: no checkpoint")
        return place.resolve(), safe_label(place.resolve().name)
    owner, _, revision = wanted.partition("@")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", owner) or wanted.startswith((".", "/", "~")):
        raise UsageError(f"model {name!r}: there is no folder {wanted}")
    if download and not PINNED.fullmatch(revision):
        raise UsageError(f"model {name!r}: download = true needs id = {owner}@COMMIT, 40 hexadecimal digits")
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise UsageError(f"model {name!r}: no such folder; for the hub: pip install 'scrollwork[local]'") from None
    try:
        path = snapshot_download(
            owner, revision=revision or None, local_files_only=not download, allow_patterns=list(READ)
        )
    except Exception as error:  # the hub's own errors share no useful base
        if not download:
            hint = "only a table may allow its download (download = true, id = OWNER/NAME@COMMIT)"
            raise UsageError(f"model {name!r}: no folder, and not in the hub's cache: {wanted}; {hint}") from None
        first = (str(error) or type(error).__name__).splitlines()[0]
        raise UsageError(f"model {name!r}: {wanted} could not be downloaded: {first}") from None
    return Path(path), safe_label(owner.replace("/", "--"))


def safe_label(name: str) -> str:
    """A folder's name as part of a lasting name."""
    return re.sub(r"[^\w.-]+", "-", name) or "checkpoint"


def digest_of(name: str, place: Path, home: Home) -> str:
    """sha256 over names and digests of the files that are read; hashed again only where size or time changed.

    Raises UsageError where weights are missing.
    """
    files = sorted({path for pattern in READ for path in place.glob(pattern) if path.name not in LEFT_OVERS})
    names = {path.name for path in files}
    for index in place.glob("*.index.json"):
        if lost := sorted(set(read_json_object(name, index).get("weight_map", {}).values()) - names):
            raise UsageError(f"model {name!r}: {place}: {index.name} names {lost[0]}, which is not there")
    if not any(path.suffix in WEIGHTS for path in files):
        raise UsageError(f"model {name!r}: {place} holds no weights (*.safetensors, *.bin)")
    digests = FileDigests(home.folder / "cache" / "checkpoint-digests.json")
    found = {path.name: digests.of(path)[0] for path in files}
    digests.save()
    return sha256_of(found)


def read_json_object(name: str, path: Path) -> dict[str, Any]:
    """A JSON file of a checkpoint. Raises UsageError."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"model {name!r}: {path}: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"model {name!r}: {path}: is no JSON object")
    return value


def kind_of(config: Mapping[str, Any]) -> str:
    """Encoder-decoder or causal, by its config.json."""
    two = config.get("is_encoder_decoder", config.get("model_type") in ENCODER_DECODERS)
    return ENCODER_DECODER if two else CAUSAL


def window_of(name: str, config: Mapping[str, Any]) -> int:
    """The most tokens that it takes: an encoder-decoder in its input, a causal model in all. Raises UsageError."""
    if config.get("model_type") in RELATIVE:
        return PAPER_LIMIT
    inner = config.get("text_config", {})
    for key in POSITIONS:
        value = config.get(key, inner.get(key))
        if isinstance(value, int) and value > 0:
            return value
    raise UsageError(f"model {name!r}: its {CONFIG} names no longest input; give it: context = TOKENS, or --context")


def has_template(place: Path) -> bool:
    """Whether the tokenizer comes with a chat template."""
    if (place / "chat_template.jinja").is_file() or (place / "chat_template.json").is_file():
        return True
    try:
        return bool(json.loads((place / "tokenizer_config.json").read_text(encoding="utf-8")).get("chat_template"))
    except (OSError, ValueError, AttributeError):
        return False
