"""A hub on the loopback: lists files of commits page by page, sends large ones to a second host, and misbehaves as told.

It answers what the Hugging Face hub's own client asks, too: tests/fetching/test_hub_library.py holds it to that.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fileserver import Server

COMMIT = "1f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c"
LARGE = 200  # bytes from which a file is kept as a large one


@dataclass
class Repo:
    """One commit of a data set. gated: "" for everybody, else the token that opens it."""

    files: dict[str, bytes]
    commit: str = COMMIT
    gated: str = ""

    def entry(self, path: str) -> dict[str, Any]:
        data = self.files[path]
        entry = {"type": "file", "path": path, "size": len(data), "oid": blob(data)}
        if len(data) >= LARGE:
            entry["lfs"] = {"oid": sha256(data), "size": len(data), "pointerSize": 130}
            entry["oid"] = blob(b"version https://git-lfs.github.com/spec/v1\n" + sha256(data).encode())
        return entry

    def entries(self) -> list[dict[str, Any]]:
        folders = {path.rpartition("/")[0] for path in self.files} - {""}
        made: list[dict[str, Any]] = [
            {"type": "directory", "path": path, "size": 0, "oid": blob(path.encode())} for path in sorted(folders)
        ]
        return made + [self.entry(path) for path in sorted(self.files)]


@dataclass
class Hub:
    """repos, renamed {old name: new name}; page: files a page of a listing; next_page: what each page calls
    the next one, in place of the truth. tree: answers in place of listings.

    busy: how many requests are answered with 429 first; cut_after: bytes after which the next large file is dropped.
    """

    url: str = ""
    cdn: str = ""
    repos: dict[str, Repo] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    page: int = 2
    next_page: str = ""
    tree: list[bytes] = field(default_factory=list)
    busy: int = 0
    cut_after: int | None = None
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def paths(self, method: str = "GET") -> list[str]:
        return [path for how, path, _ in self.asked if how == method]

    def large(self) -> dict[str, bytes]:
        return {sha256(data): data for repo in self.repos.values() for data in repo.files.values()}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def answer(self, sent: bytes = b"") -> None:
        with self.hub.lock:
            named = f"{self.headers.get('Host')}{self.path}"
            self.hub.asked.append((self.command, named, {k.lower(): v for k, v in self.headers.items()}))
            busy, self.hub.busy = self.hub.busy > 0, max(0, self.hub.busy - 1)
        if busy:
            return self.send(429, retry_after="0")
        path = unquote(urlsplit(self.path).path)
        if path.startswith("/cdn/"):
            return self.bytes_of(self.hub.large()[path.removeprefix("/cdn/")], path.removeprefix("/cdn/"), cut=True)
        if path.startswith("/resolve-cache/"):
            name, _, rest = path.removeprefix("/resolve-cache/").partition("@")
            data = self.hub.repos[name].files[rest]
            return self.bytes_of(data, blob(data), x_repo_commit=self.hub.repos[name].commit)
        api = path.startswith("/api/datasets/")
        kinds = ("tree", "revision", "paths-info") if api else ("resolve",)
        parts = path.removeprefix("/api").removeprefix("/datasets/").split("/")
        at = next((index for index, part in enumerate(parts) if part in kinds), len(parts))
        name, kind = "/".join(parts[:at]), parts[at] if at < len(parts) else "revision"
        revision, rest = (parts[at + 1], "/".join(parts[at + 2 :])) if at < len(parts) else ("main", "")
        if name in self.hub.renamed:
            return self.send(307, location=self.path.replace(name, self.hub.renamed[name]))
        repo = self.hub.repos.get(name)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if repo is None:
            return self.send(404 if token else 401, x_error_code="RepoNotFound")
        if revision not in (repo.commit, "main"):
            return self.send(404, x_error_code="RevisionNotFound")
        if not api and repo.gated and token != repo.gated:
            return self.send(403 if token else 401, x_error_code="GatedRepo")
        if kind == "tree":
            return self.listing(repo, name, revision, rest)
        if kind == "paths-info":
            wanted = parse_qs(sent.decode()).get("paths", []) if b"paths=" in sent else json.loads(sent)["paths"]
            return self.json([entry for entry in repo.entries() if entry["path"] in wanted])
        if kind == "revision":
            siblings = [{"rfilename": path} for path in sorted(repo.files)]
            return self.json({"id": name, "sha": repo.commit, "siblings": siblings, "private": False, "tags": []})
        return self.resolved(repo, name, rest)

    def listing(self, repo: Repo, name: str, revision: str, folder: str) -> None:
        if self.hub.tree:
            return self.send(200, self.hub.tree.pop(0), content_type="application/json")
        query = parse_qs(urlsplit(self.path).query)
        entries = [entry for entry in repo.entries() if entry["path"].startswith(f"{folder}/" if folder else "")]
        if query.get("recursive", ["false"])[0].lower() != "true":
            entries = [
                entry for entry in entries if entry["path"].count("/") == (folder.count("/") + 1 if folder else 0)
            ]
        at = int(query.get("cursor", ["0"])[0])
        more = {}
        if at + self.hub.page < len(entries):
            here = urlsplit(self.path).path
            more["link"] = f'<{self.hub.url}{here}?recursive=true&cursor={at + self.hub.page}>; rel="next"'
        if self.hub.next_page:
            more["link"] = f'<{self.hub.next_page}>; rel="next"'
        return self.json(entries[at : at + self.hub.page], **more)

    def resolved(self, repo: Repo, name: str, path: str) -> None:
        if path not in repo.files:
            return self.send(404, x_error_code="EntryNotFound", x_repo_commit=repo.commit)
        data = repo.files[path]
        own = {"x_repo_commit": repo.commit}
        if len(data) >= LARGE:
            etag = sha256(data)
            linked = {"x_linked_etag": f'"{etag}"', "x_linked_size": str(len(data))}
            return self.send(302, location=f"{self.hub.cdn}/cdn/{etag}", **linked, **own)
        return self.send(307, location=f"/resolve-cache/{name}@{path}", etag=f'"{blob(data)}"', **own)

    def bytes_of(self, data: bytes, etag: str, *, cut: bool = False, **headers: str) -> None:
        begin, asked = 0, self.headers.get("Range", "")
        if asked and self.headers.get("If-Range") in (None, f'"{etag}"'):
            begin = int(asked.removeprefix("bytes=").split("-")[0])
            headers["content_range"] = f"bytes {begin}-{len(data) - 1}/{len(data)}"
        after, whole = self.hub.cut_after, data[begin:]
        if cut and after is not None and self.command == "GET":
            self.hub.cut_after = None
            self.send(206 if begin else 200, whole, only=after, etag=f'"{etag}"', **headers)
            self.close_connection = True
            return
        self.send(206 if begin else 200, whole, etag=f'"{etag}"', **headers)

    def json(self, value: Any, **headers: str) -> None:
        self.send(200, json.dumps(value).encode(), content_type="application/json", **headers)

    def send(self, status: int, data: bytes = b"", *, only: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[:only])

    def log_message(self, *_: Any) -> None:
        pass


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@contextmanager
def hub_serving() -> Iterator[Hub]:
    """A running hub and, on a port of its own, the host of its large files."""
    hub = Hub()
    bound = type("Bound", (Handler,), {"hub": hub})
    with ExitStack() as stack:
        servers = [Server(("127.0.0.1", 0), bound) for _ in range(2)]
        for server in servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
        hub.url, hub.cdn = (f"http://127.0.0.1:{server.server_port}" for server in servers)
        yield hub
