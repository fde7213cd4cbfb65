"""A local or remote folder (any fsspec URL), with the few operations that artifacts need.

A file is written completely or not at all. A local file is written under a temporary name, synced to disk and renamed;
for a remote file, the object store guarantees it. A temporary file is locked while its writer lives, so that the files
that killed runs left behind can be recognised and removed.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from scrollwork.storage.errors import StorageError, naming_full_disks
from scrollwork.storage.remote import create, filesystem, naming_remote, one_request, upload

TEMPORARY = ".tmp-"
AT_ONCE = 16  # requests that read small remote files at the same time


class Location:
    """The folder at `url` (a path or an fsspec URL), which the first write creates.

    local: its path, None for a remote folder. Raises StorageError if `url` is empty or of a kind that cannot be opened.

    Methods raise StorageError, naming the folder, where a remote one denies access or cannot be reached. What other
    processes change is seen at once: listings are never kept.
    """

    def __init__(self, url: str) -> None:
        from fsspec.implementations.local import LocalFileSystem

        if not url:
            raise StorageError("a folder without a path: name it")
        self.url = url.rstrip("/") or "/"
        if "://" in self.url:
            self._fs, self._root = filesystem(self.url)
        else:  # without "://" it is a path, whatever other characters it has
            self._fs, self._root = LocalFileSystem(), os.path.abspath(self.url)
        self.local: Path | None = Path(self._root) if "file" in _protocols(self._fs) else None

    def __str__(self) -> str:
        return str(self.local) if self.local is not None else self.url

    def child(self, *names: str) -> Location:
        """Return a folder below this one, by the names on the way to it."""
        return Location("/".join([self.url, *names]))

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def names(self) -> list[str]:
        """List the names of all files and folders directly in this folder, sorted; [] if the folder does not exist."""
        if self.local is not None:
            try:
                return sorted(os.listdir(self.local))
            except (FileNotFoundError, NotADirectoryError):
                return []
        return sorted(entry["name"].rstrip("/").rsplit("/", 1)[-1] for entry in self._listed())

    def sizes(self) -> dict[str, int]:
        """Return the size in bytes of each file directly in this folder, by name; {} if the folder does not exist.

        Of a remote folder, this is one request.
        """
        if self.local is not None:
            names = (name for name in self.names() if (self.local / name).is_file())
            return {name: self.size_and_time(name)[0] for name in names}
        files = (entry for entry in self._listed() if entry["type"] == "file")
        return {entry["name"].rsplit("/", 1)[-1]: int(entry["size"]) for entry in files}

    def below(self) -> dict[str, int]:
        """Return the size in bytes of each file below this remote folder, by its path from here, in order of paths.

        One request for a thousand files.
        """
        return {path: int(one["size"]) for path, one in self.files_below().items()}

    def files_below(self, name: str = "") -> dict[str, Mapping[str, Any]]:
        """Return what the store says of each file below this remote folder, or below the folder `name` in it, by its
        path from here, in order of paths.

        One request for a thousand files.
        """
        with naming_remote(self.url):
            self._fs.invalidate_cache()  # of a folder alone it would keep what it knows of those below
            found: Mapping[str, Mapping[str, Any]] = self._fs.find(self._path(name), detail=True)
        return {path[len(self._root) :].lstrip("/"): one for path, one in sorted(found.items())}

    def _listed(self) -> list[dict[str, Any]]:
        try:
            with naming_remote(self.url):
                self._forget()
                return list(self._fs.ls(self._root, detail=True))
        except FileNotFoundError:
            return []

    def _forget(self) -> None:
        """Forget listings that the file system keeps, in which files of other processes would be missing."""
        self._fs.invalidate_cache(self._root)

    def exists(self, name: str = "") -> bool:
        """Return whether a file of this folder exists, or the folder itself if no name is given."""
        if self.local is not None:
            return bool(self._fs.exists(self._path(name)))
        with naming_remote(self.url):
            self._forget()
            return bool(self._fs.exists(self._path(name)))

    def size_and_time(self, name: str) -> tuple[int, int | None]:
        """Return a file's size in bytes and modification time in ns (None if remote). Raises FileNotFoundError."""
        if self.local is not None:
            stat = (self.local / name).stat()
            return stat.st_size, stat.st_mtime_ns
        with naming_remote(self.url):
            self._forget()
            return int(self._fs.info(self._path(name))["size"]), None

    def open(self, name: str) -> IO[bytes]:
        """Open a file to read it, at any position. Raises FileNotFoundError."""
        if self.local is not None:
            return (self.local / name).open("rb")
        with naming_remote(self.url):
            self._forget()
            stream: IO[bytes] = self._fs.open(self._path(name), "rb")
            return stream

    def read(self, name: str) -> bytes:
        """Read a whole file; of a remote folder, with one request. Raises FileNotFoundError."""
        if self.local is None:
            with naming_remote(self.url):
                return bytes(self._fs.cat_file(self._path(name), **one_request(self._fs)))
        with self.open(name) as stream:
            return stream.read()

    def download(self, name: str, path: Path) -> None:
        """Write the bytes of a remote file into a local one. Raises FileNotFoundError, StorageFull."""
        with naming_remote(self.url), naming_full_disks(name, str(path.parent)):
            self._fs.get_file(self._path(name), str(path))

    def read_each(self, names: Sequence[str]) -> Iterator[bytes | None]:
        """Yield the bytes of small files, in order, None for one that is missing; several are asked for at once."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(self._read_or_none, names)

    def _read_or_none(self, name: str) -> bytes | None:
        try:
            return self.read(name)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def create(self, name: str, data: bytes) -> bool:
        """Write a file unless it exists. Returns whether it was written."""
        if self.local is None:
            with naming_remote(self.url, writing=True):
                return create(self._fs, self._path(name), data)
        with self.temporary(name) as (stream, path):
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            try:
                os.link(path, self.local / name)  # atomic, and fails if the name is taken
            except FileExistsError:
                return False
        sync_folder(self.local)
        return True

    def replace(self, name: str, data: bytes) -> None:
        """Write a file; an existing file of this name is replaced."""
        if self.local is None:
            with naming_remote(self.url, writing=True):
                self._fs.pipe_file(self._path(name), data)
            return
        with self.temporary(name) as (stream, path):
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            os.replace(path, self.local / name)
        sync_folder(self.local)

    @contextmanager
    def temporary(self, name: str) -> Iterator[tuple[IO[bytes], Path]]:
        """Yield a new local file to write to, as (stream, path). Raises StorageFull if there is no space left.

        The file is locked while it is open. It is removed when the block ends, unless `publish` moved it.
        """
        folder = self.local
        with naming_full_disks(name, str(self)):
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            descriptor, path = _made_and_held(name, folder)
            try:
                with os.fdopen(descriptor, "wb") as stream:
                    yield stream, path
            finally:
                path.unlink(missing_ok=True)

    def publish(self, stream: IO[bytes], path: Path, name: str) -> None:
        """Sync a finished temporary file to disk and move it (or upload it, to a remote folder) to its final name."""
        stream.flush()
        os.fsync(stream.fileno())
        if self.local is not None:
            os.replace(path, self.local / name)
            sync_folder(self.local)
        else:
            with naming_remote(self.url, writing=True):
                upload(self._fs, path, self._path(name))

    def remove(self, name: str) -> None:
        """Remove a file if it exists."""
        try:
            if self.local is not None:
                self._fs.rm_file(self._path(name))
            else:
                with naming_remote(self.url, changing=True):
                    self._fs.rm_file(self._path(name))
        except FileNotFoundError:
            pass

    def sweep(self) -> list[str]:
        """Remove temporary files whose writers have ended, and return their names; [] in a remote folder."""
        if self.local is None:
            return []
        left = [name for name in self.names() if name.startswith(TEMPORARY)]
        return [name for name in left if _removed_if_unlocked(self.local / name)]


def is_writable(folder: Path) -> bool:
    """Return whether we may create files in a folder or, if it does not exist, may create the folder."""
    standing = next(place for place in (folder, *folder.parents) if place.exists())
    return os.access(standing, os.W_OK | os.X_OK)


FOLDERS_LOST = 1000  # if a sweep removes the folder of a lock file this many times, it is an error


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold a lock on the file `path` against other processes of this machine; wait while another process holds it.

    The file and its folder are created if they are missing, and the file stays. Raises StorageFull if they cannot be
    created because there is no space left, OSError if they cannot be created for another reason.
    """
    lost = 0
    while True:
        with naming_full_disks(path.name, str(path.parent)):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
            except (FileExistsError, FileNotFoundError):
                lost += 1
                if (path.parent.exists() and not path.parent.is_dir()) or lost == FOLDERS_LOST:
                    raise
                continue  # a sweep has removed the folder in the meantime
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if is_file_at(descriptor, path):
            break
        os.close(descriptor)  # the last holder removed the file in the meantime: lock the one that is there now
    try:
        yield
    finally:
        os.close(descriptor)


def is_file_at(descriptor: int, path: Path) -> bool:
    """Return whether the open file is the one that is now at `path`."""
    try:
        return os.stat(path).st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False


def _made_and_held(name: str, folder: Path | None) -> tuple[int, Path]:
    """Create and lock a temporary file; try again if a sweep removed it in between. Returns (descriptor, path).

    folder: None for the system's temporary folder, in which only the owner may read the file. In any other folder its
    mode follows the umask, because the file will be published there.
    """
    mode = 0o600 if folder is None else 0o666
    while True:
        made = Path(folder or tempfile.gettempdir()) / f"{TEMPORARY}{name}-{secrets.token_hex(8)}"
        descriptor = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if is_file_at(descriptor, made):
            return descriptor, made
        os.close(descriptor)


def _removed_if_unlocked(path: Path) -> bool:
    """Remove the file at `path` unless it is locked. Returns whether it was removed."""
    try:
        with path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
            return True
    except (FileNotFoundError, BlockingIOError):
        return False
    except OSError:
        if is_writable(path.parent):
            raise
        return False  # the folder cannot be written, so we cannot clean up here


def sync_folder(folder: Path) -> None:
    """Sync a folder to disk, so that the names in it survive a crash."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _protocols(fs: Any) -> tuple[str, ...]:
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)
