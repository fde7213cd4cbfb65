"""Checkpoints that the tests of local models share, trained once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models import local_kit


@pytest.fixture(scope="session")
def tiny_t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A T5 that reads the letter."""
    return _trained("t5", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama with a chat template that reads the letter."""
    return _trained("llama", tmp_path_factory)


def _trained(kind: str, factory: pytest.TempPathFactory) -> Path:
    local_kit.needed()
    return local_kit.trained(kind, factory.mktemp("checkpoints") / f"tiny-{kind}")
