"""Firefox for Playwright, which drives the system's own by WebDriver BiDi.

Firefox 153 doesn't know one command by which Playwright sets up every page. This program takes
Firefox's place: it starts it, answers that command itself, and passes all others on.
"""

import asyncio
import json
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Playwright
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

PROGRAMS = ("firefox-esr", "firefox")
UNKNOWN = "emulation.setMediaFeaturesOverride"
STILL: dict[str, Any] = {"ui.prefersReducedMotion": 1}
"""A preference, since pages can't be told one by one."""
LISTENING = "WebDriver BiDi listening on "


def launch_firefox(playwright: Playwright, folder: Path) -> Browser | None:
    """Start the system's Firefox, for visitors who prefer reduced motion; None if there is none."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        return None
    starter = folder / "firefox"
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" "{program}" "$@"\n')
    starter.chmod(0o700)
    return playwright.firefox.launch(
        channel="moz-firefox", executable_path=starter, firefox_user_prefs=STILL
    )


async def main() -> int:
    """Start Firefox with this program's arguments, and stand between it and Playwright."""
    firefox = await asyncio.create_subprocess_exec(*sys.argv[1:], stderr=asyncio.subprocess.PIPE)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, firefox.terminate)
    assert firefox.stderr is not None
    async for line in firefox.stderr:
        if found := re.search(rf"{LISTENING}(\S+)", line.decode()):
            address = found[1]
            break
        sys.stderr.buffer.write(line)
    else:
        return await firefox.wait()

    async def between(playwright: ServerConnection) -> None:
        assert playwright.request is not None
        async with connect(f"{address}{playwright.request.path}", max_size=None) as browser:
            answers = asyncio.create_task(_pass_on(browser, playwright))
            async for message in playwright:
                asked = json.loads(message)
                if asked["method"] == UNKNOWN:
                    done = {"type": "success", "id": asked["id"], "result": {}}
                    await playwright.send(json.dumps(done))
                else:
                    await browser.send(message)
            answers.cancel()

    async with serve(between, "127.0.0.1", 0, max_size=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"{LISTENING}ws://127.0.0.1:{port}", file=sys.stderr, flush=True)
        async for _ in firefox.stderr:
            pass
        return await firefox.wait()


async def _pass_on(browser: ClientConnection, playwright: ServerConnection) -> None:
    async for message in browser:
        await playwright.send(message)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
