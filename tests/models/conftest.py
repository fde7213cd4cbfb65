"""Checkpoints that the tests of local models share, trained once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import made_once
from tests.models import local_kit


@pytest.fixture(scope="session")
def tiny_t5() -> Path:
    """A T5 that reads the letter."""
    return _trained("t5")


@pytest.fixture(scope="session")
def tiny_llama() -> Path:
    """A Llama with a chat template that reads the letter."""
    return _trained("llama")


def _trained(kind: str) -> Path:
    local_kit.needed()
    return made_once(f"tiny-{kind}", lambda folder: local_kit.trained(kind, folder))
