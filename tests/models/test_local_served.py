"""`transformers serve` beside ours: another way from the same checkpoint and the same prompts to the same answers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.base import Answer, CallFailed
from scrollwork.models.registry import make, settings
from tests.conftest import environment
from tests.models.local_kit import LETTERS, asks, call, model, results

pytestmark = pytest.mark.slow
START_S = 120


@pytest.fixture(scope="module")
def server(tiny_llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address, up to /v1."""
    program = Path(sys.executable).parent / "transformers"
    if not program.is_file():
        pytest.skip("transformers has no command here")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("served") / "serve.log"
    home = tmp_path_factory.mktemp("hub")
    env = environment(HF_HUB_OFFLINE="1", HF_HOME=str(home), OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="")
    command = [
        str(program),
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--device",
        "cpu",
        "--log-level",
        "error",
    ]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=env)
    try:
        wait(f"http://127.0.0.1:{port}/health", process, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until it answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + START_S
    while True:
        try:
            opener.open(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            assert process.poll() is None, log.read_text()[-2000:]
            assert time.monotonic() < deadline, log.read_text()[-2000:]
            time.sleep(0.3)


def test_checkpoint_answers_otherwise_in_process_than_served(
    tiny_llama: Path, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(os.environ, "NO_PROXY", "127.0.0.1")
    some = asks(24, longest=60, chat=True)
    ours = results(model(tiny_llama, tmp_path), some)

    spec = f"compatible:{tiny_llama}"
    remote: Any = make(spec, settings(spec, {}, given={"base_url": server, "concurrency": 1}), "")
    calls = [call(remote, one) for one in some]
    came = {one.key: one for one in remote.answer(calls) if isinstance(one, (Answer, CallFailed))}
    theirs = [came[one.key] for one in calls]
    assert all(isinstance(one, Answer) for one in theirs), theirs[:2]
    assert [one.text for one in ours] == [one.text for one in theirs]
    assert [one.finish_reason for one in ours] == [one.finish_reason for one in theirs]
    assert [one.usage.input_tokens for one in ours] == [one.usage.input_tokens for one in theirs], (
        "the same template, no cut"
    )
    assert sum(one.text == LETTERS[number % 4] for number, one in enumerate(ours)) >= 20
