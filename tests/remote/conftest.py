"""One S3 server for the session; tests that change rights or end the process start another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.bucket import Server, Start, with_variables


@pytest.fixture(scope="module", autouse=True)
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests of a module share a user's cache, which no other has; a test on another machine takes `own_cache`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def started(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server of the session."""
    server = Server(tmp_path_factory.mktemp("s3"))
    yield server
    server.stop()


@pytest.fixture
def s3(started: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The same, used by this process."""
    with_variables(monkeypatch, started.variables)
    return started


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server that the test may end."""
    made: list[Server] = []

    def another() -> Server:
        made.append(Server(tmp_path / f"s3-{len(made)}"))
        return made[-1]

    yield another
    for server in made:
        server.stop()
