"""What is fetched comes from the public internet: no address, name or redirect leads to this machine or its network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrollwork.storage.downloads.download import download
from scrollwork.storage.downloads.partial import DownloadRequest
from scrollwork.storage.downloads.public import is_public
from scrollwork.storage.downloads.web import Patience, Web
from scrollwork.storage.errors import DownloadError
from tests.fileserver import FileServer, body, redirect, serving

DATA = b"secret of the network\n"
QUICK = Patience(connect_s=1, stall_s=0.4, attempts=1, backoff_s=0.01, longest_s=1)
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as files:
        yield files


def get(url: str, folder: Path) -> None:
    """Download a file as `fetch` does without an option."""
    with Web(patience=QUICK) as web:
        download(DownloadRequest((url,), folder / "file"), web)


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Names stand for the next of these addresses each time that they are looked up; the names that were."""
    real, asked, left = socket.getaddrinfo, list[str](), list(answers)

    def look_up(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        asked.append(str(host))
        if not str(host).endswith(".example"):
            return real(host, port, *rest, **more)
        return real(left.pop(0) if len(left) > 1 else left[0], port, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0.0.0.0", "[::ffff:127.0.0.1]"]
)
def test_file_is_fetched_from_this_machine(host: str, server: FileServer, tmp_path: Path) -> None:
    url = server.on("/f", body(DATA)).replace("127.0.0.1", host)
    with pytest.raises(DownloadError, match="fetch asks none such without --allow-private-addresses"):
        get(url, tmp_path)
    assert server.asked == []
    assert not (tmp_path / "file").exists()


def test_redirect_leads_into_the_network(server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server out there (its address passes here) sends elsewhere."""
    monkeypatch.setattr("scrollwork.storage.downloads.public.is_public", lambda address: address == "127.0.0.1")
    with pytest.raises(DownloadError, match=r"10\.9\.9\.9: an address of this machine or a private network"):
        get(server.on("/out", redirect("http://10.9.9.9/inside")), tmp_path)
    assert [one.path for one in server.asked] == ["/out"]


def test_name_that_is_looked_up_twice_stands_for_another_address(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: the address that was looked at is the one that is connected to."""
    url = server.on("/f", body(DATA)).replace("127.0.0.1", "rebind.example")
    monkeypatch.setattr("scrollwork.storage.downloads.public.is_public", lambda address: address == "127.0.0.1")
    asked = resolving(monkeypatch, "127.0.0.1", "10.9.9.9")
    get(url, tmp_path)
    assert asked.count("rebind.example") == 1
    (tmp_path / "file").unlink()
    with pytest.raises(DownloadError, match=r"rebind\.example is 10\.9\.9\.9: an address of this machine"):
        get(url, tmp_path)
    assert [one.path for one in server.asked] == ["/f"]


def test_name_with_one_private_address_is_asked_at_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, "10.1.2.3")
    with pytest.raises(DownloadError, match=r"intranet\.example is 10\.1\.2\.3"):
        get("https://intranet.example/f", tmp_path)


@pytest.mark.parametrize("host", ["10.0.0.1", "localhost", "169.254.169.254", "inside.example"])
def test_proxy_is_sent_into_the_network(
    host: str, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    resolving(monkeypatch, "192.168.0.7")
    with pytest.raises(DownloadError, match="an address of this machine or a private network"):
        get(f"http://{host}/f", tmp_path)
    assert server.asked == []


def test_proxy_of_the_environment_is_not_used_or_refused_itself(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    resolving(monkeypatch, "8.8.8.8")
    server.on("http://data.example/f", body(DATA))
    get("http://data.example/f", tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.255.0.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
     "0.1.2.3", "224.0.0.1", "255.255.255.255", "198.18.0.1", "240.0.0.1", "192.0.2.1", "::1", "::", "fe80::1",
     "fe80::1%1", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
     "2002:7f00:1::", "2002:c0a8:101::1", "64:ff9b::127.0.0.1", "64:ff9b::a00:1", "2001:db8::1",
     "2001:0:808:808::f5ff:fffe"],
)  # fmt: skip
def test_address_of_the_network_passes_for_one_of_the_internet(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "151.101.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2a00:1450::1"]
)
def test_address_of_the_internet_is_refused(address: str) -> None:
    assert is_public(address)
