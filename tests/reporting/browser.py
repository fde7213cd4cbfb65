"""Headless Chromium, driven through its DevTools protocol: what a person does with a page, and what the page says."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NONE = "no Chromium on this machine (apt-get install chromium)"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
)
START_S, ANSWER_S = 60, 120


class Tab:
    """One page of a browser. complaints: errors and warnings of its console, what broke its policy, what it asked a
    network for."""

    def __init__(self, socket: Any) -> None:
        self._socket, self._number = socket, 0
        self.complaints: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol. Raises RuntimeError with the browser's word."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=ANSWER_S))
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return dict(message["result"])
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        if message["method"] == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"].get("exception", {}).get("description", params)))
        if message["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(params["args"]))
        if message["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        if message["method"] == "Audits.issueAdded" and "ontentSecurityPolicy" in str(params["issue"]["code"]):
            self.complaints.append(str(params["issue"]))
        if message["method"] == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def run(self, script: str) -> Any:
        """The value of an expression in the page, awaited. Raises RuntimeError for an exception."""
        result = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"].get("exception", {}).get("description")))
        return result["result"].get("value")

    def wait(self, condition: str, seconds: float = 10) -> float:
        """Until an expression is true; how long it took. Raises TimeoutError."""
        start = time.perf_counter()
        while not self.run(condition):
            if time.perf_counter() - start > seconds:
                raise TimeoutError(f"{condition}; {self.complaints}")
            time.sleep(0.01)
        return time.perf_counter() - start

    def blank(self) -> None:
        """Leave the page, so that the same one is read anew."""
        self.call("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")

    def open(self, url: str, ready: str = "document.documentElement?.dataset.ready === 'yes'") -> float:
        """Go to a page; seconds until it is ready."""
        start = time.perf_counter()
        self.call("Page.navigate", url=url)
        self.wait(f"location.href !== 'about:blank' && ({ready})", 30)
        return time.perf_counter() - start

    def size(self, width: int, height: int = 900) -> None:
        """The window's size; up to 600 pixels wide as on a phone."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width <= 600
        )

    def media(self, kind: str = "", scheme: str = "light") -> None:
        """Screen or print, light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=kind, features=features)

    def press(self, key: str, code: int = 0) -> None:
        """One key."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else text
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)

    def shot(self, path: Path, whole: bool = False) -> None:
        """A picture of the window, or of the whole page."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def pdf(self) -> bytes:
        """The page, printed."""
        data = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"]
        return base64.b64decode(data)


@contextmanager
def browser(*flags: str) -> Iterator[Tab]:
    """A browser with a fresh profile and one tab."""
    from websockets.sync.client import connect

    assert CHROMIUM is not None, NONE
    with tempfile.TemporaryDirectory(prefix="scrollwork-chromium-", ignore_cleanup_errors=True) as profile:
        command = [CHROMIUM, *FLAGS, *flags, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with connect(_address(Path(profile), process), max_size=None, compression=None) as socket:
                yield Tab(socket)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(20)


def _address(profile: Path, process: subprocess.Popen[bytes]) -> str:
    """Where the tab listens."""
    import urllib.request

    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"Chromium ended with {process.returncode}")
        try:
            port = int((profile / "DevToolsActivePort").read_text().splitlines()[0])
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = [one for one in json.load(answer) if one["type"] == "page"]
            if pages:
                return str(pages[0]["webSocketDebuggerUrl"])
        except (OSError, ValueError, IndexError):
            pass
        time.sleep(0.05)
    raise TimeoutError("Chromium does not listen")
