"""Firefox over WebDriver BiDi, which it speaks itself: https://w3c.github.io/webdriver-bidi/."""

import json
import subprocess
import time
from itertools import count
from pathlib import Path

from websocket import create_connection

LISTENING = "WebDriverBiDiServer.json"  # Firefox writes it into the profile's folder
HEARD = ("log.entryAdded", "network.beforeRequestSent", "browsingContext.userPromptOpened")


class Firefox:
    """A headless Firefox with one window; `heard` holds what its pages say and ask for."""

    def __init__(self, program, profile):
        self.heard, self._number = [], count()
        options = ("--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile)
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen([program, *options], **silent)
        self._socket = create_connection(
            f"{self._address(Path(profile) / LISTENING)}/session", timeout=60, suppress_origin=True
        )
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=HEARD)
        self._window = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, address):
        """Load a page."""
        self._send("browsingContext.navigate", context=self._window, url=address, wait="complete")

    def resize(self, width, height=900):
        """Give the window a size, in CSS pixels."""
        viewport = {"width": width, "height": height}
        self._send("browsingContext.setViewport", context=self._window, viewport=viewport)

    def evaluate(self, expression):
        """Return what an expression of JavaScript gives: anything that JSON can hold."""
        found = self._send(
            "script.evaluate", expression=f"JSON.stringify({expression})",
            target={"context": self._window}, awaitPromise=True,
        )  # fmt: skip
        return json.loads(found["result"]["value"])

    def close(self):
        """End the browser."""
        self._socket.close()
        self._process.terminate()
        self._process.wait(60)

    def _address(self, path, patience=60):
        deadline = time.monotonic() + patience
        while not path.exists():
            assert self._process.poll() is None, "Firefox ended before it listened"
            assert time.monotonic() < deadline, "Firefox does not listen"
            time.sleep(0.05)
        place = json.loads(path.read_text(encoding="utf-8"))
        return f"ws://{place['ws_host']}:{place['ws_port']}"

    def _send(self, method, **params):
        number = next(self._number)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer["type"] == "event":
                self._hear(answer["method"], answer["params"])
            elif answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def _hear(self, event, params):
        asked = event == "network.beforeRequestSent"
        told = params["request"]["url"] if asked else params.get("text") or params["message"]
        if not told.startswith("data:"):  # it loads a font of its own from such an address
            self.heard.append(f"{event}: {told}")
