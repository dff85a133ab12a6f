"""A small Chrome DevTools client: an installed Chromium, without a window and without a way to the network.

Protocol: https://chromedevtools.github.io/devtools-protocol/ (flat sessions over the browser's websocket).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any

from methods.core.errors import BadInput, WorkFailed

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 30.0
"""Seconds to wait for the browser to start, to answer or to load a page."""

# Requests that do not go to this machine meet a proxy that nobody runs, also when a page or a redirect
# makes them; <-loopback> takes link-local addresses from the list of exceptions. Renderers are not isolated
# by site so that the frames of a page are all in one tree.
_OPTIONS = """--headless=new --remote-debugging-port=0 --no-first-run --no-default-browser-check
--disable-background-networking --disable-component-update --disable-sync --disable-extensions
--disable-default-apps --disable-gpu --hide-scrollbars --mute-audio --disable-dev-shm-usage
--password-store=basic --disable-site-isolation-trials
--proxy-server=http://127.0.0.1:9 --proxy-bypass-list=<-loopback>;127.0.0.0/8;localhost;[::1]
--force-webrtc-ip-handling-policy=disable_non_proxied_udp""".split()
_OPTIONS += [
    "--disable-features=IsolateOrigins,site-per-process,Translate,OptimizationHints",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.*, EXCLUDE localhost, EXCLUDE [::1]",
]


def find_program() -> str:
    """Path of an installed Chromium.

    Raises:
        BadInput: there is none.
    """
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        raise BadInput(
            "Live capture needs an installed Chromium, and none was found.",
            "Install the package 'chromium', or open a saved observation instead.",
        )
    return found


class Chromium:
    """A running browser with one page; use it in a ``with`` statement.

    Raises:
        BadInput: no Chromium, or the library ``websocket-client`` is missing.
        WorkFailed: the browser does not start, stops, or does not answer in time.
    """

    def __init__(self) -> None:
        self._program = find_program()
        self._events: deque[dict] = deque()
        self._count = 0
        self._session = ""

    def __enter__(self) -> Chromium:
        self._folder = tempfile.TemporaryDirectory(prefix="minim-", ignore_cleanup_errors=True)
        options = [*_OPTIONS, f"--user-data-dir={self._folder.name}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium refuses to start for root otherwise
        self._process = subprocess.Popen(
            [self._program, *options, "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self._socket = self._connect()
            target = self.send("Target.createTarget", url="about:blank")["targetId"]
            attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
            self._session = attached["sessionId"]
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._stop()

    def send(self, method: str, **params: Any) -> dict:
        """Call ``method`` and return its result."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._transfer(lambda: self._socket.send(json.dumps(message)))
        while True:
            reply = self._receive()
            if reply.get("id") != self._count:
                self._events.append(reply)
                continue
            if "error" in reply:
                raise WorkFailed(f"Chromium refused {method}: {reply['error'].get('message', '')}.")
            return reply["result"]

    def wait_for(self, event: str) -> dict:
        """The parameters of the next ``event`` of the page."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            reply = self._events.popleft() if self._events else self._receive()
            if reply.get("method") == event:
                return reply.get("params", {})
        raise WorkFailed("The page did not finish loading.", "Check that it opens in a browser.")

    def forget_events(self) -> None:
        """Drop events that came before now."""
        self._events.clear()

    def _connect(self) -> Any:
        try:
            import websocket
        except ImportError:
            raise BadInput(
                "Live capture needs the library websocket-client.", "Install it with pip, then try again."
            ) from None
        port_file = Path(self._folder.name, "DevToolsActivePort")
        end = time.monotonic() + PATIENCE
        while not (port_file.is_file() and len(lines := port_file.read_text().split()) == 2):
            if self._process.poll() is not None or time.monotonic() > end:
                raise WorkFailed(
                    "Chromium did not start.", f"Try '{self._program} --headless' in a terminal."
                )
            time.sleep(0.02)
        return self._transfer(
            lambda: websocket.create_connection(
                f"ws://127.0.0.1:{lines[0]}{lines[1]}",
                timeout=PATIENCE,
                suppress_origin=True,
                http_no_proxy=["127.0.0.1"],
            )
        )

    def _receive(self) -> dict:
        return json.loads(self._transfer(self._recv))

    def _recv(self) -> str:
        text = self._socket.recv()
        if not text:
            raise ConnectionError("closed")
        return text

    def _transfer(self, action: Any) -> Any:
        import websocket

        try:
            return action()
        except (websocket.WebSocketException, OSError) as error:
            raise WorkFailed(f"Chromium stopped answering ({error}).", "Try the capture again.") from error

    def _stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()
