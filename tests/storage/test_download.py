"""Downloads against a real server that cuts, stalls, lies and redirects."""

from __future__ import annotations

import email.utils
import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from scrollwork.storage.downloads.addresses import HostLimits
from scrollwork.storage.downloads.download import download
from scrollwork.storage.downloads.partial import DownloadRequest, Fetched, git_blob
from scrollwork.storage.downloads.web import Patience, Web, retry_after
from scrollwork.storage.errors import DownloadError, Gone, NeedsPerson, Stopped, WrongBytes
from tests.fileserver import FileServer, body, redirect, serving, status

DATA = random.Random(7).randbytes(300_000)
SHA = hashlib.sha256(DATA).hexdigest()
QUICK = Patience(connect_s=2, stall_s=0.4, slow_bytes=2000, slow_s=0.3, attempts=3, backoff_s=0.01, longest_s=2)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as files:
        yield files


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "raw" / "set" / "data.bin"


def get(target: Path, *urls: str, web: Web | None = None, **wanted: Any) -> Fetched:
    with web or Web(patience=QUICK, private=True) as opened:
        return download(DownloadRequest(urls, target, **wanted), opened)


def names(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def test_whole_file_comes_under_its_final_name_and_nothing_else_stays(server: FileServer, target: Path) -> None:
    fetched = get(target, server.on("/f", body(DATA)), sha256=SHA, bytes=len(DATA))
    assert fetched == Fetched(SHA, len(DATA), f"{server.url}/f", '"v1"')
    assert target.read_bytes() == DATA
    assert names(target) == ["data.bin"]


def test_cut_body_is_resumed_where_it_stopped(server: FileServer, target: Path) -> None:
    url = server.on("/f", body(DATA, cut_after=100_000), body(DATA, cut_after=100_000), body(DATA))
    get(target, url, sha256=SHA)
    first, second, third = server.of("/f")
    assert first.range == ""
    assert int(second.range[6:-1]) > 0
    assert second.headers["if-range"] == '"v1"'
    assert int(third.range[6:-1]) > int(second.range[6:-1])
    assert target.read_bytes() == DATA


def test_server_that_ignores_range_is_read_from_the_start(server: FileServer, target: Path) -> None:
    url = server.on("/f", body(DATA, cut_after=100_000), body(DATA, ranges=False))
    get(target, url, sha256=SHA)
    assert server.of("/f")[1].range
    assert target.read_bytes() == DATA


def test_file_that_changed_between_two_tries_is_not_put_together_of_both(server: FileServer, target: Path) -> None:
    other = bytes(reversed(DATA))
    url = server.on("/f", body(DATA, cut_after=100_000), body(other, etag='"v2"'))
    assert get(target, url).sha256 == hashlib.sha256(other).hexdigest()


def test_unvalidated_part_of_an_unpinned_file_is_not_continued(server: FileServer, target: Path) -> None:
    get(target, server.on("/f", body(DATA, etag=None, cut_after=100_000), body(DATA, etag=None)))
    assert [asked.range for asked in server.asked] == ["", ""]
    assert target.read_bytes() == DATA


def test_weak_etag_is_no_validator(server: FileServer, target: Path) -> None:
    url = server.on("/f", body(DATA, etag='W/"v"', cut_after=100_000), body(DATA, etag='W/"v"'))
    get(target, url)
    assert [asked.range for asked in server.asked] == ["", ""]


def test_wrong_part_in_a_206_is_not_appended(server: FileServer, target: Path) -> None:
    def lies(handler: Any) -> None:
        handler.head(206, Content_Length=10, Content_Range=f"bytes 5-14/{len(DATA)}", ETag='"v1"')
        handler.wfile.write(DATA[5:15])

    get(target, server.on("/f", body(DATA, cut_after=100_000), lies, body(DATA)))
    assert target.read_bytes() == DATA


def test_mixed_bytes_with_a_known_digest_are_fetched_again_from_the_start(server: FileServer, target: Path) -> None:
    other = bytes(reversed(DATA))
    url = server.on("/f", body(other, etag=None, cut_after=100_000), body(DATA, etag=None), body(DATA, etag=None))
    assert get(target, url, sha256=SHA).sha256 == SHA
    assert names(target) == ["data.bin"]


def test_wrong_digest_is_never_accepted_and_is_kept_aside(server: FileServer, target: Path) -> None:
    url = server.on("/f", body(b"other bytes"))
    with pytest.raises(WrongBytes, match=f"published is {SHA}") as caught:
        get(target, url, sha256=SHA)
    assert caught.value.state == "corrupt"
    assert not target.exists()
    assert target.with_name("data.bin.corrupt").read_bytes() == b"other bytes"
    assert server.count("/f") == 1


def test_wrong_size_is_refused_before_it_is_read(server: FileServer, target: Path) -> None:
    with pytest.raises(WrongBytes, match=r"the server has 300,000 bytes, published are 10"):
        get(target, server.on("/f", body(DATA)), bytes=10)
    assert not target.exists()


def test_body_without_end_is_stopped(server: FileServer, target: Path) -> None:
    with pytest.raises(WrongBytes, match="brought more than"):
        get(target, server.on("/f", body(DATA, chunked=True)), bytes=1000)
    assert not target.exists()


def test_git_blob_tells_right_bytes_from_wrong_ones(server: FileServer, target: Path, tmp_path: Path) -> None:
    (tmp_path / "known").write_bytes(b"hello\n")
    assert git_blob(tmp_path / "known") == "ce013625030ba8dba906f756967f9e9ca394464a"
    good, bad = server.on("/good", body(b"hello\n")), server.on("/bad", body(b"hellO\n"))
    get(target, good, git_blob="ce013625030ba8dba906f756967f9e9ca394464a")
    with pytest.raises(WrongBytes, match="is not git blob ce01"):
        get(target.with_name("other"), bad, git_blob="ce013625030ba8dba906f756967f9e9ca394464a")


def test_second_address_is_taken_when_the_first_is_dead_or_wrong(server: FileServer, target: Path) -> None:
    urls = [server.on("/gone", status(410)), server.on("/wrong", body(b"x")), server.on("/good", body(DATA))]
    assert get(target, *urls, sha256=SHA).url.endswith("/good")


@pytest.mark.parametrize("code", [404, 410])
def test_dead_address_is_told_at_once(server: FileServer, target: Path, code: int) -> None:
    with pytest.raises(Gone, match=str(code)) as caught:
        get(target, server.on("/f", status(code)))
    assert caught.value.state == "dead"
    assert server.count("/f") == 1
    assert names(target) == []


@pytest.mark.parametrize("code", [401, 403])
def test_login_needs_a_person(server: FileServer, target: Path, code: int) -> None:
    with pytest.raises(NeedsPerson, match="login"):
        get(target, server.on("/f", status(code)))
    assert server.count("/f") == 1


def test_redirects_are_followed(server: FileServer, target: Path) -> None:
    server.on("/end", body(DATA))
    get(
        target, server.on("/f", redirect(f"{server.url}/mid", 301)), server.on("/mid", redirect("end", 307)), sha256=SHA
    )
    assert target.read_bytes() == DATA


def test_redirect_loop_ends(server: FileServer, target: Path) -> None:
    server.on("/b", redirect("/a"))
    with pytest.raises(DownloadError, match="redirected in a circle"):
        get(target, server.on("/a", redirect("/b")))
    assert len(server.asked) == 2


def test_redirect_from_https_to_http_is_refused(target: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        https = request.url.scheme == "https"
        return httpx.Response(302, headers={"Location": "http://h/f"}) if https else httpx.Response(200, content=DATA)

    with Web(patience=QUICK, private=True) as web:
        web._client = httpx.Client(transport=httpx.MockTransport(answer))
        with pytest.raises(DownloadError, match="redirected from https to http"):
            get(target, "https://h/f", web=web)
    assert not target.exists()


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://127.0.0.1/x", "http:///x", "http://[h/x"])
def test_redirect_out_of_the_web_is_refused(server: FileServer, target: Path, place: str) -> None:
    with pytest.raises(DownloadError):
        get(target, server.on("/f", redirect(place)))
    assert not target.exists()


def test_retry_after_in_seconds_is_waited_for(server: FileServer, target: Path) -> None:
    get(target, server.on("/f", status(429, Retry_After="1"), body(DATA)))
    first, second = server.of("/f")
    assert second.at - first.at >= 1.0


@pytest.mark.slow
def test_retry_after_as_a_date_is_waited_for(server: FileServer, target: Path) -> None:
    def busy(handler: Any) -> None:
        handler.head(503, Content_Length=0, Retry_After=email.utils.formatdate(time.time() + 2, usegmt=True))

    get(target, server.on("/f", busy, body(DATA)))
    first, second = server.of("/f")
    assert second.at - first.at >= 0.9  # dates have whole seconds


def test_retry_after_of_an_hour_is_not_waited_for(server: FileServer, target: Path) -> None:
    with pytest.raises(DownloadError, match="come back in 3,600 s"):
        get(target, server.on("/f", status(429, Retry_After="3600")))
    assert server.count("/f") == 1


@pytest.mark.parametrize("value", ["", "soon", "-5", "Wed, 99 Foo 2020"])
def test_retry_after_that_says_nothing_is_no_number(value: str) -> None:
    assert retry_after(value) is None


def test_tries_end_when_the_server_stays_busy(server: FileServer, target: Path) -> None:
    with pytest.raises(DownloadError, match="HTTP 503; 3 tries") as caught:
        get(target, server.on("/f", status(503)))
    assert caught.value.state == "missing"
    assert server.count("/f") == 3


def test_stalled_answer_is_cut_and_resumed(server: FileServer, target: Path) -> None:
    get(target, server.on("/f", body(DATA, stall_after=100_000), body(DATA)), sha256=SHA)
    assert server.of("/f")[1].range == "bytes=100000-"


def test_dripping_answer_is_cut_and_resumed(server: FileServer, target: Path) -> None:
    get(target, server.on("/f", body(DATA, drip=(10, 0.05)), body(DATA)), sha256=SHA)
    assert server.of("/f")[1].range
    assert target.read_bytes() == DATA


@pytest.mark.slow
def test_server_that_stalls_for_ever_is_left_after_a_few_tries(server: FileServer, target: Path) -> None:
    with pytest.raises(DownloadError, match=r"nothing came for 0\.4 s"):
        get(target, server.on("/f", body(DATA, stall_after=0)))
    assert not target.exists()


def test_content_length_longer_than_the_body_is_a_cut(server: FileServer, target: Path) -> None:
    def lies(handler: Any) -> None:
        handler.head(200, Content_Length=400_000)
        handler.wfile.write(DATA)
        handler.cut()

    with pytest.raises(DownloadError, match="cut"):
        get(target, server.on("/f", lies))
    assert not target.exists()


def test_content_length_shorter_than_the_file_is_found_by_its_digest(server: FileServer, target: Path) -> None:
    with pytest.raises(WrongBytes):
        get(target, server.on("/f", body(DATA, length=1000)), sha256=SHA)
    assert not target.exists()


def test_answer_of_unsaid_length_is_refused_unless_a_digest_is_known(server: FileServer, target: Path) -> None:
    url = server.on("/f", body(DATA, length=None))
    with pytest.raises(DownloadError, match="does not say how long"):
        get(target, url)
    assert get(target, url, sha256=SHA).bytes == len(DATA)


def test_cut_chunked_body_is_no_whole_one(server: FileServer, target: Path) -> None:
    get(target, server.on("/f", body(DATA, chunked=True, cut_after=1000), body(DATA, chunked=True)))
    assert target.read_bytes() == DATA


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/octet-stream"])
def test_page_in_place_of_a_file_is_refused(server: FileServer, target: Path, kind: str) -> None:
    page = b"\n <!DOCTYPE html><html><form action='confirm'>Download anyway?</form></html>"
    with pytest.raises(NeedsPerson, match="a web page came instead") as caught:
        get(target, server.on("/f", body(page, Content_Type=kind)))
    assert caught.value.state == "manual"
    assert names(target) == []


def test_page_that_is_wanted_is_taken(server: FileServer, target: Path) -> None:
    page = b"<html><pre>INT. HOUSE</pre></html>"
    get(target, server.on("/f", body(page, Content_Type="text/html")), html=True)
    assert target.read_bytes() == page


def test_error_page_of_a_few_bytes_is_dead(server: FileServer, target: Path) -> None:
    with pytest.raises(Gone, match="only 9 bytes came"):
        get(target, server.on("/f", body(b"not found")), text=True, least_bytes=19_000)
    assert not target.exists()


def test_empty_answer_is_no_file(server: FileServer, target: Path) -> None:
    with pytest.raises(Gone, match="only 0 bytes"):
        get(target, server.on("/f", body(b"")))


@pytest.mark.parametrize("headers", [{"Content_Encoding": "gzip"}, {}], ids=["said", "unsaid"])
def test_gzipped_story_is_kept_decoded(server: FileServer, target: Path, headers: dict[str, str]) -> None:
    text = b"Call me Ishmael.\r\n" * 5000
    fetched = get(target, server.on("/f", body(gzip.compress(text), **headers)), text=True)
    assert target.read_bytes() == text
    assert fetched.sha256 == hashlib.sha256(text).hexdigest()
    assert names(target) == ["data.bin"]


def test_cut_gzipped_answer_is_resumed_in_its_encoded_bytes(server: FileServer, target: Path) -> None:
    text = DATA.hex().encode()
    zipped = gzip.compress(text)
    url = server.on(
        "/f", body(zipped, cut_after=90_000, Content_Encoding="gzip"), body(zipped, Content_Encoding="gzip")
    )
    get(target, url)
    assert server.of("/f")[1].range
    assert target.read_bytes() == text


def test_archive_that_a_server_calls_encoded_stays_an_archive(server: FileServer, target: Path) -> None:
    zipped = gzip.compress(DATA)
    url = server.on("/f", body(zipped, Content_Encoding="gzip"))
    pinned, unpinned = target.with_name("a.tgz"), target.with_name("b.tar.gz")
    get(pinned, url, sha256=hashlib.sha256(zipped).hexdigest())
    get(unpinned, url)
    assert pinned.read_bytes() == unpinned.read_bytes() == zipped


def test_truncated_gzip_is_not_half_a_story(server: FileServer, target: Path) -> None:
    broken = gzip.compress(DATA.hex().encode())[:-100]
    with pytest.raises(DownloadError, match="encoding is broken"):
        get(target, server.on("/f", body(broken)), text=True)
    assert not target.exists()


def test_gzip_bomb_is_refused(server: FileServer, target: Path) -> None:
    with pytest.raises(WrongBytes, match="grows over"):
        get(target, server.on("/f", body(gzip.compress(b"\0" * 30_000_000))), text=True)
    assert names(target) == []


def test_unknown_encoding_is_refused(server: FileServer, target: Path) -> None:
    with pytest.raises(DownloadError, match="encoded as 'br'"):
        get(target, server.on("/f", body(b"xx", Content_Encoding="br")))


def test_right_file_is_not_asked_for_again(server: FileServer, target: Path) -> None:
    target.parent.mkdir(parents=True)
    target.write_bytes(DATA)
    assert get(target, server.on("/f", body(DATA)), sha256=SHA) == Fetched(SHA, len(DATA))
    assert server.asked == []


def test_wrong_file_under_the_final_name_is_put_aside_and_replaced(server: FileServer, target: Path) -> None:
    target.parent.mkdir(parents=True)
    target.write_bytes(b"mine")
    get(target, server.on("/f", body(DATA)), sha256=SHA)
    assert target.read_bytes() == DATA
    assert target.with_name("data.bin.corrupt").read_bytes() == b"mine"


def test_torn_info_starts_over(server: FileServer, target: Path) -> None:
    target.parent.mkdir(parents=True)
    target.with_name("data.bin.part").write_bytes(DATA[:50])
    target.with_name("data.bin.part-info").write_text('{"url": "htt')
    get(target, server.on("/f", body(DATA)), sha256=SHA)
    assert server.asked[0].range == ""


def test_part_that_was_whole_when_its_process_died_is_finished_without_a_body(server: FileServer, target: Path) -> None:
    url = server.on("/f", body(DATA))
    target.parent.mkdir(parents=True)
    target.with_name("data.bin.part").write_bytes(DATA)
    info = {"url": url, "etag": '"v1"', "modified": "", "total": len(DATA), "gzip": False}
    target.with_name("data.bin.part-info").write_text(json.dumps(info))
    assert get(target, url, sha256=SHA).bytes == len(DATA)
    assert names(target) == ["data.bin"]


def test_host_gets_no_more_than_its_share_at_once_and_its_pause(server: FileServer, tmp_path: Path) -> None:
    urls = [server.on(f"/{n}", body(DATA, drip=(100_000, 0.03))) for n in range(6)]
    with Web(patience=QUICK, private=True) as web:
        threads = [
            threading.Thread(target=download, args=(DownloadRequest((url,), tmp_path / f"f{n}"), web))
            for n, url in enumerate(urls)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert server.most_at_once == 2
    server.asked.clear()
    with Web({"0.0.1": HostLimits(at_once=1, pause_s=0.3)}, QUICK, private=True) as web:
        for n in range(3):
            download(DownloadRequest((urls[n],), tmp_path / f"g{n}"), web)
    times = [asked.at for asked in server.asked]
    assert times[2] - times[0] >= 0.55


def test_unreachable_host_is_given_up_for_the_rest(tmp_path: Path) -> None:
    with Web(patience=QUICK, private=True) as web:
        for n in range(2):
            with pytest.raises(DownloadError, match="cannot be reached"):
                download(DownloadRequest(("http://127.0.0.1:9/x",), tmp_path / f"f{n}"), web)
        began = time.monotonic()
        with pytest.raises(DownloadError, match="not tried again in this run"):
            download(DownloadRequest(("http://127.0.0.1:9/x",), tmp_path / "last"), web)
        assert time.monotonic() - began < 0.5


def test_stop_is_heard_in_mid_body_and_what_came_stays(server: FileServer, target: Path) -> None:
    url = server.on("/f", body(DATA, drip=(30_000, 0.1)), body(DATA))
    with Web(patience=QUICK, private=True) as web, pytest.raises(Stopped):
        download(
            DownloadRequest((url,), target, sha256=SHA), web, lambda done, total: web.stop.set() if done > 1 else None
        )
    assert not target.exists()
    get(target, url, sha256=SHA)
    assert server.of("/f")[1].range
    assert target.read_bytes() == DATA


CHILD = """
import sys
from pathlib import Path
from scrollwork.storage.downloads.download import download
from scrollwork.storage.downloads.partial import DownloadRequest
from scrollwork.storage.downloads.web import Web
with Web(private=True) as web:
    print(download(DownloadRequest((sys.argv[1],), Path(sys.argv[2]), sha256=sys.argv[3]), web).url)
"""


def child(url: str, target: Path) -> subprocess.Popen[str]:
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", CHILD, url, str(target), SHA]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def test_full_disk_is_named_and_leaves_no_half_file(server: FileServer, target: Path) -> None:
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)){CHILD}"
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        [sys.executable, "-c", limited, server.on("/f", body(DATA)), str(target), SHA],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert "StorageFull" in ran.stderr
    assert "free space" in ran.stderr
    assert not target.exists()


def test_kill_9_in_mid_download_leaves_no_half_file_and_is_resumed(server: FileServer, target: Path) -> None:
    url = server.on("/f", body(DATA, drip=(20_000, 0.1)), body(DATA))
    process = child(url, target)
    part = target.with_name("data.bin.part")
    while not part.exists() or part.stat().st_size < 40_000:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not target.exists()
    get(target, url, sha256=SHA)
    assert int(server.of("/f")[1].range[6:-1]) >= 40_000
    assert target.read_bytes() == DATA
    assert names(target) == ["data.bin"]


def test_two_processes_fetch_one_file_once(server: FileServer, target: Path) -> None:
    url = server.on("/f", body(DATA, drip=(60_000, 0.1)))
    first, second = child(url, target), child(url, target)
    told = sorted([first.communicate()[0].strip(), second.communicate()[0].strip()])
    assert told == ["", url]
    assert server.count("/f") == 1
    assert names(target) == ["data.bin"]
