"""What `scrollwork deploy` was asked for, and what a worker could not use of it. Imports no Prefect.

Everything is checked before anything is applied, and all that is wrong is said at once.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from scrollwork.flows.deploy.project_file import Declared
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.storage.home import is_remote

PROCESS = "process"  # the type of pool whose workers run flows on their own machine
HOME, STORE = "SCROLLWORK_HOME", "SCROLLWORK_STORE"
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
BLOCK = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
REFERENCE = re.compile(r"\{\{\s*prefect\.(blocks|variables)\.[\w.-]+\s*\}\}")
SECRET = {"KEY", "KEYS", "TOKEN", "SECRET", "PASSWORD", "PGPASSWORD", "PASS", "PASSWD", "CREDENTIALS", "AUTH"}
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s,;\"']+")
PASSWORDS = ("password", "sslpassword")  # of the options in a store's URL
LONGEST = 200  # characters of a value in a message


@dataclass(frozen=True)
class Asked:
    """The options of a call. Raises UsageError for an empty name of the pool.

    home: whole path or URL; store: URL, "" for the home's own file. git, branch, token: repository, its branch, the
    Secret block of its access token. folder: of the project where the flow runs, "" for none named. mounted: whether
    the home's folder is at this path wherever flows run. plain: further variables by name; secrets: names of Secret
    blocks by variable.
    """

    pool: str
    home: str
    store: str = ""
    git: str = ""
    branch: str = ""
    token: str = ""
    image: str = ""
    folder: str = ""
    queue: str = ""
    mounted: bool = False
    plain: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.pool.strip():
            raise UsageError("--pool is empty: name the work pool")

    @property
    def blocks(self) -> list[str]:
        """The Secret blocks that must be on the server."""
        return sorted({*self.secrets.values(), *([self.token] if self.token else [])})

    def variables(self) -> dict[str, str]:
        """The environment of flow runs; a secret is a reference to its block, which the worker fills in."""
        made = {HOME: self.home, **({STORE: self.store} if self.store else {}), **self.plain}
        return made | {name: secret_of(block) for name, block in self.secrets.items()}


def secret_of(block: str) -> str:
    """The reference to a Secret block, as Prefect writes it."""
    return f"{{{{ prefect.blocks.secret.{block} }}}}"


def pairs_of(flag: str, given: Sequence[str]) -> dict[str, str]:
    """Read NAME=VALUE. Raises UsageError; it names no value, which may be a secret."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not value or not VARIABLE.fullmatch(name):
            raise UsageError(f"{flag}: write NAME=VALUE, the name of a variable first")
        if name in found:
            raise UsageError(f"{flag} {name} is given twice")
        found[name] = value
    return found


def refuse(asked: Asked, wanted: Sequence[Declared], kind: str, api: str) -> None:
    """Raise UsageError, with all that is wrong, where a worker of the pool could not use what is asked for.

    kind: type of the pool. api: URL of the server; a process pool on a server of this machine has its workers here.
    """
    here = kind == PROCESS and is_loopback(host_of(api))
    wrong = [*_of_code(asked, wanted, kind, here), *_of_home(asked, here), *_of_store(asked, here)]
    wrong += [*_of_variables(asked, here)]
    for one in wanted:
        wrong += [f"deployment {one.name!r}: {line}" for line in _of_deployment(one, here)]
    if wrong:
        raise UsageError(f"nothing was deployed: {'; '.join(dict.fromkeys(wrong))}")


def _of_code(asked: Asked, wanted: Sequence[Declared], kind: str, here: bool) -> Iterator[str]:
    if asked.image and kind == PROCESS:
        yield f"--image: pool {asked.pool!r} is of type process, whose workers run no images"
    if asked.branch and not asked.git:
        yield "--branch: of which repository? Name it with --git"
    if asked.token and not asked.git:
        yield "--git-token: of which repository? Name it with --git"
    if asked.git and asked.folder:
        yield "--git and --folder: flow runs begin in one of them; name one"
    if asked.folder and not asked.folder.startswith("/"):
        yield f"--folder {shown(asked.folder)}: its whole path is wanted, as flow runs find it"
    if kind == PROCESS and not here and not asked.git and not asked.folder and not all(one.pull for one in wanted):
        yield f"the project is a folder of this machine, where {_where(asked)}; name its repository, --git URL"
    for step in ("--git", "--folder"):
        if getattr(asked, step[2:]) and any(one.pull for one in wanted):
            yield f"{step}: prefect.yaml has pull steps of its own; take one of them away"
    if asked.git and has_password(asked.git):
        yield (
            "--git: a password in the URL would stand on the server in clear; put the token into a Secret block and "
            "name it: --git-token BLOCK"
        )
    if asked.git and not here and (is_path(asked.git) or is_loopback(host_of(asked.git))):
        yield f"--git {shown(asked.git)} is on this machine, where {_where(asked)}"


def _of_home(asked: Asked, here: bool) -> Iterator[str]:
    if is_remote(asked.home):
        if has_password(asked.home):
            yield "--home: credentials in the URL would stand on the server in clear; workers take them from variables"
        if not here and is_loopback(host_of(asked.home)):
            yield f"--home {shown(asked.home)} is on this machine, where {_where(asked)}"
    elif not asked.home.startswith("/"):
        yield f"--home {shown(asked.home)}: its whole path is wanted, as flow runs find it"
    elif not here and not asked.mounted:
        yield (
            f"--home {shown(asked.home)} is a folder of this machine, where {_where(asked)}; name a home that "
            "all reach, --home s3://bucket/prefix, or say --mounted where the folder is at this path on each of them"
        )


def _of_store(asked: Asked, here: bool) -> Iterator[str]:
    if STORE in asked.secrets:
        if asked.store:
            yield f"--store and --secret {STORE}=...: name the store once"
        return
    if not asked.store:
        if is_remote(asked.home):
            yield "the home is remote and its store would be a file: add --store postgresql://USER@HOST/DATABASE"
        elif not here:
            yield "answers would be in a SQLite file of each machine: add --store postgresql://USER@HOST/DATABASE"
        return
    scheme = asked.store.partition(":")[0].partition("+")[0]
    if scheme == "sqlite":
        if not here:
            yield f"--store {shown(asked.store)}: a SQLite file is for one machine; several share postgresql://..."
        return
    if scheme not in ("postgresql", "postgres"):
        yield f"--store {shown(asked.store)}: answers are kept in postgresql://USER@HOST/DATABASE or sqlite:///FILE"
    if has_password(asked.store):
        yield (
            "--store: a password in the URL would stand on the server in clear; leave it out, and give it to the "
            "workers as PGPASSWORD (or ~/.pgpass), or from a Secret block: --secret PGPASSWORD=BLOCK"
        )
    elif not here and is_loopback(host_of(asked.store)):
        yield f"--store {shown(asked.store)} is on this machine, where {_where(asked)}"


def _of_variables(asked: Asked, here: bool) -> Iterator[str]:
    own = {HOME: "--home", STORE: "--store"}
    for name, value in asked.plain.items():
        if name in own:
            yield f"--env {name}: say {own[name]}"
        elif name in asked.secrets:
            yield f"{name} is given by --env and by --secret"
        yield from _of_variable(f"--env {name}", name, value, here)
    if HOME in asked.secrets:
        yield f"--secret {HOME}: a home is no secret; say --home"
    for flag, block in [*asked.secrets.items(), *([("--git-token", asked.token)] if asked.token else [])]:
        if not BLOCK.fullmatch(block):
            yield f"{flag}: {printable(block, LONGEST)!r} is no name of a block: lower-case letters, digits and dashes"


def _of_variable(where: str, name: str, value: str, here: bool) -> Iterator[str]:
    """What is wrong with a variable in clear; its value is never quoted."""
    if REFERENCE.fullmatch(value.strip()):
        return
    if SECRET & set(name.upper().split("_")):
        yield (
            f"{where} would stand on the server in clear: put it into a Secret block, --secret {name}=BLOCK, or into "
            "the environment of the workers"
        )
    addresses = ADDRESS.findall(value)
    if any(map(has_password, [value, *addresses])):
        yield f"{where}: a password in its URL would stand on the server in clear; put it into a Secret block"
    if not here and any(is_loopback(host_of(one)) for one in addresses):
        yield f"{where} names an address of this machine, which workers elsewhere do not reach"


def _of_deployment(one: Declared, here: bool) -> Iterator[str]:
    parameters = one.parameters or {}
    home, store, served = (str(parameters.get(name) or "") for name in ("home", "store", "base_url"))
    if home and not here and not is_remote(home):
        yield f"its parameter home is a folder of this machine ({shown(home)}); leave it out, --home says it for all"
    if store and has_password(store):
        yield "its parameter store has a password, which would stand on the server in clear; leave it out"
    elif store and not here and (store.startswith("sqlite") or is_loopback(host_of(store))):
        yield f"its parameter store ({shown(store)}) is on this machine; leave it out, --store says it for all"
    if served and not here and is_loopback(host_of(served)):
        yield f"its parameter base_url ({shown(served)}) is an address of this machine, which workers do not reach"
    if not isinstance((one.variables or {}).get("env") or {}, Mapping):
        yield "job_variables, env: names with values are wanted"
    plain = {"parameters": parameters, "schedules": one.schedules or []}
    for where, name, text in _texts("", "", plain):
        if name not in ("home", "store", "base_url") and has_password(text):
            yield f"{where}: a password in its URL would stand on the server in clear"
    for where, name, text in _texts("", "", {"job_variables": one.variables or {}, "pull": one.pull or []}):
        yield from _of_variable(where, name, text, here)


def _texts(where: str, name: str, value: Any) -> Iterator[tuple[str, str, str]]:
    """Each text below a value of the file, as (where it stands, the last name before it, the text)."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _texts(f"{where}, {as_text(str(key))}" if where else str(key), str(key), one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts(where, name, one)
    elif value is not None and not isinstance(value, bool):
        yield where, name, str(value)


def _where(asked: Asked) -> str:
    return f"the workers of pool {asked.pool!r} are not (only a process pool on a server of this machine has them here)"


# ---- addresses


def host_of(url: str) -> str:
    """The host of a URL, or of git's USER@HOST:PATH; "" for none (a file, a socket)."""
    if "://" not in url:
        before, colon, _ = url.partition(":")
        return before.rpartition("@")[2] if colon and "/" not in before else ""
    try:
        parsed = urlsplit(url)
        hosts = parse_qs(parsed.query).get("host", [])  # of PostgreSQL
        return unquote(hosts[0] if hosts else parsed.hostname or "")
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether a host is this machine for whoever asks; so is none, as PostgreSQL takes it, and a socket's folder."""
    host = host.strip("[]").rstrip(".").lower()
    if not host or host.startswith("/") or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            address = ipaddress.ip_address(socket.inet_aton(host))  # 127.1, and whatever else is taken for numbers
        except (OSError, ValueError):
            return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def is_path(url: str) -> bool:
    """Whether a repository is named by a path of this machine."""
    return url.startswith("file:") or ("://" not in url and not host_of(url))


def has_password(url: str) -> bool:
    """Whether a URL holds a password; a user name alone is one where it may be a token (http)."""
    if re.search(r"//[^@]*:[^@]*@", url):  # whatever stands in it: a / or # would end the host for urlsplit
        return True
    try:
        parsed = urlsplit(url)
        named = parsed.scheme.startswith("http") and bool(parsed.username)
        return bool(named or set(PASSWORDS) & set(parse_qs(parsed.query)))
    except ValueError:
        return "@" in url


def shown(url: str) -> str:
    """A path or URL for a message: without user, password and options, on one line."""
    return printable(re.sub(r"(//).*@", r"\1***@", url).partition("?")[0], LONGEST)


def as_text(value: Any) -> str:
    """A value of the server for a message."""
    return printable(value if isinstance(value, str) else repr(value), LONGEST)
