"""A PostgreSQL server of the tests' own: in a temporary folder, on a free port, run by a user that is not root."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

USER, PASSWORD = "scrollwork", "sesame-opens"


def programs():
    """The folder of initdb and postgres; skips where there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not folders:
        pytest.skip("no PostgreSQL is installed here (apt-get install postgresql)")
    pytest.importorskip("psycopg", reason="no psycopg is installed here (pip install 'scrollwork[postgres]')")
    return folders[-1]


def account():
    """PostgreSQL refuses root: {user, group} of somebody else, {} for a person."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    pytest.skip("PostgreSQL does not run as root, and there is no other user here")


@dataclass
class Server:
    """A server that is running, or was killed and can be started again."""

    folder: Path
    port: int
    process: subprocess.Popen | None = None
    made: int = 0

    def start(self):
        """Start it and wait until it answers."""
        options = ("-p", self.port, "-k", self.folder, "-h", "127.0.0.1")
        fast = ("-c", "fsync=off", "-c", "full_page_writes=off")  # the machine does not lose power in a test
        self.process = subprocess.Popen(
            [programs() / "postgres", "-D", self.folder / "data", *map(str, options), *fast],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("ab"),
            **account(),
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                self.execute("SELECT 1")
                return
            except Exception:
                assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
                assert time.monotonic() < deadline
                time.sleep(0.1)

    def stop(self, how=signal.SIGINT):
        """End it: SIGINT orderly, SIGQUIT at once and without a checkpoint."""
        self.process.send_signal(how)
        self.process.wait(60)

    def url(self, database, password=PASSWORD):
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement, database="postgres"):
        """Run one statement; its rows, if it gives any."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True, connect_timeout=5) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else None

    def database(self):
        """The name of a new, empty database."""
        self.made += 1
        self.execute(f"CREATE DATABASE d{self.made}")
        return f"d{self.made}"


def serve():
    """A new server; stopped and taken away at the end."""
    binaries = programs()
    folder = Path(tempfile.mkdtemp(prefix="scrollwork-postgres-"))
    server = None
    try:
        os.chmod(folder, 0o700)
        (folder / "password").write_text(PASSWORD)
        who = account()
        if who:
            for path in (folder, folder / "password"):
                os.chown(path, who["user"], who["group"])
        made = ["-D", folder / "data", "-U", USER, f"--pwfile={folder / 'password'}", "-A", "scram-sha-256"]
        subprocess.run(
            [binaries / "initdb", *made, "-E", "UTF8", "--locale=C", "--no-sync"],
            cwd=folder,
            check=True,
            capture_output=True,
            **who,
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = Server(folder, port)
        server.start()
        yield server
    finally:
        if server is not None and server.process is not None and server.process.poll() is None:
            server.stop(signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)
