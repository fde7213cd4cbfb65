"""Response stores of both kinds: every test of what a store promises runs on SQLite and on a real PostgreSQL server."""

import pytest

from scrollwork.storage.answers.store import ResponseStore
from tests.storage.postgres import serve


@pytest.fixture(autouse=True)
def machine(own_cache):
    """Nothing is read from the developer's cache, or left in it."""


@pytest.fixture(scope="session")
def postgres():
    """One PostgreSQL server for the session; skips where none is installed."""
    yield from serve()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def place(request, tmp_path):
    """URL of a database that nobody has used yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'home' / 'responses.db'}"
    server = request.getfixturevalue("postgres")
    return server.url(server.database())


@pytest.fixture
def store(place):
    """A new store."""
    opened = ResponseStore(place)
    yield opened
    opened.close()


@pytest.fixture
def path(tmp_path):
    """Where a store of SQLite is going to be."""
    return tmp_path / "home" / "responses.db"
