"""Chromium without a window, driven by https://chromedevtools.github.io/devtools-protocol."""

import asyncio
import base64
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

_DEADLINE_SECONDS = 90
# Without them Chromium asks hosts of its vendor on its own.
_SILENT = (
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"),
    *("--no-first-run", "--disable-gpu"),
)


class Tab:
    """One tab: its page, and every request that the page makes."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.requests: list[str] = []
        self._socket = socket
        self._session: dict[str, str] = {}
        self._number = 0

    async def attach(self) -> None:
        """Make the tab in the browser at the other end of the socket."""
        target = await self.send("Target.createTarget", url="about:blank")
        attached = await self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Network", "Accessibility"):
            await self.send(f"{domain}.enable")
        # Their width differs between desktops.
        await self.send("Emulation.setScrollbarsHidden", hidden=True)

    async def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method and return its result; events that come meanwhile are looked at."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        await self._socket.send_json(message | self._session)
        while True:
            answer = await self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    async def open_page(
        self, file: Path, width: int = 1100, *, height: int = 900, dark: bool = False, media: str = "screen"
    ) -> None:
        """Lay the page out for a screen or for paper, open it, and wait until it is loaded."""
        await self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.send("Emulation.setEmulatedMedia", media=media, features=[scheme])
        await self.send("Page.navigate", url=file.as_uri())
        while (await self._next()).get("method") != "Page.loadEventFired":
            pass

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page, which itself may run no script."""
        answer = await self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def press(self, key: str) -> None:
        """Press and release a key."""
        codes = {"Tab": 9, "Enter": 13}
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            await self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes[key], **text
            )

    async def picture(self, file: Path) -> None:
        """Write the part of the page that is on the screen as PNG."""
        answer = await self.send("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(answer["data"]))

    async def _next(self) -> dict[str, Any]:
        message = json.loads(await self._socket.receive_str(timeout=_DEADLINE_SECONDS))
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        return message


@asynccontextmanager
async def browser_tab(browser: Path) -> AsyncIterator[Tab]:
    """Start the browser with a new profile, and end it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            browser,
            # Containers and root have no user namespaces for the sandbox; the only page is the test's own.
            *("--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}"),
            *_SILENT,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            address = await asyncio.wait_for(_address(process), _DEADLINE_SECONDS)
            # Chromium stops once what it says has filled the pipe.
            assert process.stderr is not None
            draining = asyncio.create_task(process.stderr.read())
            async with (
                aiohttp.ClientSession() as client,
                client.ws_connect(address, max_msg_size=0) as socket,
            ):
                tab = Tab(socket)
                await tab.attach()
                yield tab
        finally:
            process.kill()
            await process.wait()
        await draining


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    said = ""
    while line := (await process.stderr.readline()).decode(errors="replace"):
        said += line
        if "DevTools listening on " in line:
            return line.partition("DevTools listening on ")[2].strip()
    raise AssertionError(f"Chromium ended at once: {said}")
