"""Tokenizers by name: taken into the home once, so that a worker anywhere loads the same vocabulary.

`hf:FOLDER`, `hf:FILE` and `hf:OWNER/NAME@REVISION` become `hf:NAME~DIGEST`: the sha256 of the tokenizer.json is its
identity and part of every key that depends on it; where it lay is not.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.tokens.tokenizer import engine_module
from scrollwork.storage.home import Home
from scrollwork.suites.vocabularies import load, place_in_home

FILE = "tokenizer.json"
DIGEST_CHARS = 16
WORDS = "words"
OF_LENGTHS = "tiktoken:cl100k_base"  # GPT-4's, by which SEAM's figure 5 counts prompts
TABLE = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
TABLE_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"  # what tiktoken takes for it


def adopt_tokenizer(name: str, home: Home) -> str:
    """The lasting name of a tokenizer that a person named. Raises UsageError with what to do."""
    try:
        kind = engine_module(name)
    except ValueError as error:
        raise UsageError(f"--tokenizer: {error}") from None
    if not kind or not name.startswith("hf:"):
        return name
    wanted = name.partition(":")[2]
    if "~" in wanted and place_in_home(name, home).is_file():
        return name
    place = Path(wanted).expanduser()
    file = place / FILE if place.is_dir() else place if place.is_file() else downloaded_tokenizer(wanted)
    if not file.is_file():
        raise UsageError(f"--tokenizer {name}: {place} has no {FILE}")
    data = file.read_bytes()
    digest = hashlib.sha256(data).hexdigest()[:DIGEST_CHARS]
    label = file.resolve().parent.name if place.exists() else wanted.partition("@")[0].replace("/", "--")
    adopted = f"hf:{label}~{digest}"
    target = place_in_home(adopted, home)
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".tmp-{os.getpid()}-{target.name}")
        partial.write_bytes(data)
        partial.replace(target)
    load(adopted, home)  # a broken vocabulary is told before anything runs
    return adopted


@lru_cache(maxsize=8)  # a command asks for its tables more than once; the hub must give one answer to all of it
def downloaded_tokenizer(wanted: str) -> Path:
    """The tokenizer.json of a model on the hub, from its cache where it is there. Raises UsageError."""
    try:
        from huggingface_hub import hf_hub_download
    except ImportError:
        raise UsageError(
            f"--tokenizer hf:{wanted}: no such folder; for the hub: pip install 'scrollwork[tokens]'"
        ) from None
    owner, _, revision = wanted.partition("@")
    try:
        return Path(hf_hub_download(owner, FILE, revision=revision or None))
    except Exception as error:  # the hub's own errors share no useful base
        first = (str(error) or type(error).__name__).splitlines()[0]
        raise UsageError(f"--tokenizer hf:{wanted}: no such folder, and the hub did not give it: {first}") from None


def length_tokenizer(asked: str | None = None) -> str:
    """What lengths are counted by: the paper's tokenizer where it was asked for or its table is on this machine, else
    white-space words. Nothing is downloaded for a figure: a damaged table, which tiktoken would fetch anew, is none."""
    if asked == OF_LENGTHS:
        return OF_LENGTHS
    named = [os.environ[name] for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR") if name in os.environ]
    folder = Path(named[0] if named else Path(tempfile.gettempdir(), "data-gym-cache"))  # as tiktoken looks
    name = hashlib.sha1(TABLE.encode("utf-8")).hexdigest()
    if find_spec("tiktoken") is None or (named and not named[0]):  # "": tiktoken keeps no tables
        return WORDS
    try:
        data = (folder / name).read_bytes()
    except OSError:
        return WORDS
    return OF_LENGTHS if hashlib.sha256(data).hexdigest() == TABLE_SHA256 else WORDS
