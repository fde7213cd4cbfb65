"""Remote folders: how fsspec opens them, and what their errors mean for the user.

Waiting is bounded. botocore by itself would wait a minute for each connection, and five times; s3fs then starts again,
five times more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrollwork.storage.errors import AccessDenied, StorageError

CONNECT_S, READ_S = 10, 60  # seconds that one attempt waits for a connection, and for the next bytes of a reply
OURS = ("AWS_MAX_ATTEMPTS", "AWS_RETRY_MODE")  # a user who sets one of these decides about attempts
TAKEN = ("PreconditionFailed", "412")  # replies of S3 to a conditional write: the file exists
BUSY = ("ConditionalRequestConflict", "409")  # another such write is under way
ENDED = "NoSuchUpload"  # an upload in pieces that was completed or given up
PAUSES_S = (0.2, 0.5, 1.0, 2.0)  # before further tries of a conditional write
CLIENTS = ("botocore", "aiobotocore", "aiohttp")  # packages whose errors are no OSError


def filesystem(url: str) -> tuple[Any, str]:
    """Return fsspec's file system for a URL, and the path in it.

    Raises StorageError for a protocol that fsspec does not know, or whose package is not installed.
    """
    import fsspec.core

    options: dict[str, Any] = {}
    if url.startswith(("s3://", "s3a://")):
        client: dict[str, Any] = {"connect_timeout": CONNECT_S, "read_timeout": READ_S}
        if not any(os.environ.get(name) for name in OURS):
            client["retries"] = {"total_max_attempts": 1}  # s3fs tries five times, with growing pauses
        options["config_kwargs"] = client
    try:
        fs, root = fsspec.core.url_to_fs(url, **options)
    except ImportError as error:
        extra = ": pip install 'scrollwork[aws]'" if options else ""
        raise StorageError(f"{url}: {error}{extra}") from error
    except ValueError as error:
        raise StorageError(f"{url}: {error}") from error
    return fs, str(root)


READING = "Reading needs the rights to list the bucket and to get its objects (s3:ListBucket, s3:GetObject)"
WRITING = "Runs and builds need the rights to put and delete objects (s3:PutObject, s3:DeleteObject), too"


@contextmanager
def naming_remote(where: str, writing: bool = False, changing: bool = False) -> Iterator[None]:
    """Turn an error of a remote folder into a StorageError that names the folder; a missing file stays one.

    where: the URL. writing: a FileNotFoundError is then of the bucket, as folders need not exist. changing: the block
    needs the right to change the folder, as `writing` does. Raises AccessDenied naming the right.
    """
    try:
        yield
    except FileExistsError:
        raise
    except FileNotFoundError as error:
        if writing or _code(error) == "NoSuchBucket":
            raise StorageError(f"{where}: {error}; make the bucket first, or name another home") from error
        raise
    except PermissionError as error:
        why = str(error) or "permission denied"
        raise AccessDenied(f"{where}: access denied ({why}). {WRITING if changing or writing else READING}") from error
    except OSError as error:
        raise StorageError(f"{where}: {str(error) or type(error).__name__}") from error
    except Exception as error:
        if type(error).__module__.partition(".")[0] in CLIENTS:
            raise StorageError(f"{where}: {str(error) or type(error).__name__}") from error
        raise


def one_request(fs: Any) -> dict[str, Any]:
    """Return the options with which `cat_file` reads a file by one request: s3fs would first ask for its size."""
    return {"max_concurrency": 1} if "s3" in fs.protocol else {}


def create(fs: Any, path: str, data: bytes) -> bool:
    """Write a file unless it exists, by one conditional request. Returns whether it was written."""
    for waited_s in (*PAUSES_S, None):
        try:
            fs.pipe_file(path, data, mode="create")
            return True
        except FileExistsError:
            return False
        except OSError as error:
            if _code(error) in TAKEN:
                return False
            if _code(error) not in BUSY or waited_s is None:
                raise
            time.sleep(waited_s)
    raise AssertionError("the last try returns or raises")


def upload(fs: Any, file: Path, path: str) -> None:
    """Write a local file to a path. If the reply to the last request of several was lost, S3 no longer knows of the
    upload when it is asked again: the file is then there, whole."""
    try:
        fs.put_file(str(file), path)
    except FileNotFoundError as error:
        if _code(error) != ENDED:
            raise
        fs.invalidate_cache(path)
        if not fs.exists(path) or int(fs.info(path)["size"]) != file.stat().st_size:
            raise OSError(f"{path}: the upload was cut; run the same command again") from error


def _code(error: BaseException) -> str:
    """Return the code of the server's reply behind an error, "" if there was none."""
    seen: BaseException | None = error
    while seen is not None:
        reply = getattr(seen, "response", None)
        if isinstance(reply, dict):
            return str(reply.get("Error", {}).get("Code", ""))
        seen = seen.__cause__ or seen.__context__
    return ""
