"""An S3 server in a process of its own on a loopback port: moto, from the environment of `make validators`.

It speaks the real protocol to the real s3fs and botocore. Its log is the list of the requests that were sent.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests import conftest
from tests.conftest import Done, environment, start
from tests.exchange.test_export_validators import python_with

BUCKET = "homes"
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}
LINE = re.compile(r'"([A-Z]+) (\S+) HTTP/[\d.]+" (\d{3})')
COLOUR = re.compile(r"\x1b\[[\d;]*m")


@dataclass(frozen=True)
class Sent:
    """A request that the server answered."""

    method: str
    path: str
    status: int


def asked(home: str, store: str, folder: Path, *words: str, status: int | None = 0, **variables: str) -> Done:
    """The command with a home and a store, called in a folder; status: that it must end with, None for any."""
    house = str(conftest.UNCHANGED)
    command = ["-m", "scrollwork.cli.main", "--home", home, "--store", store, *words]
    env = environment(PYTHONPATH=house, **variables)
    process = start(command, house=house, cwd=folder, env=env, stdin=subprocess.DEVNULL)
    out, err = process.communicate(timeout=240)
    assert status is None or process.returncode == status, out[-2000:] + err[-4000:]
    return Done(process.returncode, out, err, 0.0)


READER = ("s3:ListBucket", "s3:GetObject")  # the rights that reading a home needs (docs/library.md)


class Server:
    """The process. url: of the endpoint. A bucket is there already."""

    _keys: Mapping[str, str] = KEYS

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url, self._log = f"http://127.0.0.1:{self.port}", folder / "requests.log"
        program = str(Path(__file__).with_name("s3_server.py"))
        command = [python_with("moto"), "-P", program, "-H", "127.0.0.1", "-p", str(self.port)]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        deadline = time.monotonic() + 60
        while not self._answers():
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < deadline, "no answer of the server within a minute"
            time.sleep(0.1)
        self.client("s3").create_bucket(Bucket=BUCKET)

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def variables(self) -> dict[str, str]:
        """What the environment of a program needs to use the server, with the rights of its owner."""
        return {"AWS_ENDPOINT_URL": self.url, **self._keys}

    def user(self, name: str, rights: Sequence[str]) -> dict[str, str]:
        """What the environment of a program needs to use the server as another user, with these rights."""
        iam = self.client("iam")
        iam.create_user(UserName=name)
        statement = {"Effect": "Allow", "Action": list(rights), "Resource": "*"}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_user_policy(UserName=name, PolicyName=name, PolicyDocument=policy)
        key = iam.create_access_key(UserName=name)["AccessKey"]
        own = {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}
        return {**self.variables, **own}

    def reader(self) -> dict[str, str]:
        """The same of a user who may only read; from now on the server refuses what a user may not do."""
        owner = self.user("owner", ["s3:*", "iam:*"])
        reader = self.user("reader", READER)
        self._keys = {name: owner[name] for name in KEYS}
        plain = {"Content-Type": "text/plain"}
        urlopen(Request(f"{self.url}/moto-api/reset-auth", b"0", plain, method="POST")).close()
        return reader

    def client(self, service: str) -> Any:
        """A client of botocore, with the rights of the owner."""
        import botocore.session

        made = botocore.session.get_session()
        key, secret, region = self._keys.values()
        return made.create_client(
            service, endpoint_url=self.url, aws_access_key_id=key, aws_secret_access_key=secret, region_name=region
        )

    def sent(self) -> list[Sent]:
        """All requests so far, in the order of their answers."""
        found = LINE.findall(COLOUR.sub("", self._log.read_text()))
        return [Sent(method, path, int(status)) for method, path, status in found]

    @contextmanager
    def counted(self) -> Iterator[list[Sent]]:
        """A list that holds the requests of the block when it has ended."""
        before, during = len(self.sent()), list[Sent]()
        yield during
        during += self.sent()[before:]

    def objects(self, prefix: str) -> dict[str, bytes]:
        """The bytes of all objects below a prefix, by the rest of their names."""
        s3, found = self.client("s3"), {}
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{prefix}/"):
            for one in page.get("Contents", ()):
                found[one["Key"].removeprefix(f"{prefix}/")] = s3.get_object(Bucket=BUCKET, Key=one["Key"])[
                    "Body"
                ].read()
        return found

    def stop(self) -> None:
        """End the process."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait(30)


def with_variables(monkeypatch: Any, variables: Mapping[str, str]) -> None:
    """Let this process use the server with these rights; what fsspec keeps of other rights is forgotten."""
    import fsspec

    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    for name, value in {"NO_PROXY": "127.0.0.1,localhost", **variables}.items():
        monkeypatch.setenv(name, value)
    fsspec.get_filesystem_class("s3").clear_instance_cache()


Start = Callable[[], Server]
