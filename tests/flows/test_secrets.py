"""A key that stands in a Prefect Secret block: read for calls and for batches, named where it is not there, kept nowhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Scrollwork, environment
from tests.models.hosted_kit import OPENAI_KEY
from tests.servers.vendor import running

SAVE = "import sys; from prefect.blocks.system import Secret; Secret(value=sys.argv[1]).save('lab-key')"


def save_secret(home: Path) -> None:
    """Make the block in the Prefect of a home."""
    env = environment(
        PREFECT_HOME=str(home / "prefect"),
        PREFECT_SERVER_ALLOW_EPHEMERAL_MODE="true",
        PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="180",
        PREFECT_SERVER_ANALYTICS_ENABLED="false",
    )
    subprocess.run([sys.executable, "-c", SAVE, OPENAI_KEY], env=env, check=True, capture_output=True)


@pytest.mark.slow
def test_batches_do_not_read_the_secret_or_a_missing_one_is_not_named(scrollwork: Scrollwork) -> None:
    with running(key=OPENAI_KEY) as vendor:
        own = scrollwork.home.parent / "own.toml"
        own.write_text(f'[gpt]\nprovider = "openai"\nid = "g"\nbase_url = "{vendor.url}/v1"\nkey_secret = "lab-key"\n')
        command = ("run", "zeroscrolls", "--sample", "--models", str(own), "--model", "gpt")
        for more in ((), ("--batch",)):
            missing = scrollwork(*command, "--task", "qmsum", *more, status=None)
            assert missing.status in (1, 2)
            assert "model 'gpt': no key; Prefect has no Secret block 'lab-key': make it in the UI" in missing.err
            assert "Traceback" not in missing.err
        assert not vendor.log.requests("/v1/chat/completions")
        assert not vendor.batches["openai"].made
        save_secret(scrollwork.home)
        scrollwork(*command, "--task", "qmsum")
        scrollwork(*command, "--task", "space_digest", "--batch")
        assert len(vendor.log.requests("/v1/chat/completions")) == 9
        (batch,) = vendor.batches["openai"].made.values()
        assert len(batch.requests) == 6
    written = b"".join(path.read_bytes() for path in scrollwork.home.rglob("*") if path.is_file())
    assert OPENAI_KEY.encode() not in written
