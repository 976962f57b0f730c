"""The scripts of pages: what they decide, in Node.js, and how pages load them."""

import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urljoin

import pytest
from starlette.testclient import TestClient

from redouble.contract.moments import SOUNDS
from redouble.web.drawing.addresses import STATIC

NODE = (20, 19)
"""The first version that takes a file with exports for a module without being told."""
ADDRESS = re.compile(r"""["'`]/[a-z]""")


def test_what_scripts_decide() -> None:
    node = shutil.which("node")
    said = subprocess.run([node, "--version"], capture_output=True, text=True) if node else None
    found = tuple(map(int, re.findall(r"\d+", said.stdout)))[:2] if said else ()
    if found < NODE:
        needed = ".".join(map(str, NODE))
        pytest.skip(f"Node.js {needed} or later isn't installed: get it from https://nodejs.org")
    tests = sorted(Path(__file__).parent.glob("*.test.mjs"))
    run = subprocess.run([str(node), "--test", *tests], capture_output=True, text=True)
    assert not run.returncode, run.stdout[-5000:]


def test_a_page_names_every_module_that_its_scripts_import(client: TestClient) -> None:
    """So they all load at once, from the version of the page."""
    page = client.post("/play/double-or-quits").text
    named = re.findall(r'<(?:link rel="modulepreload" href|script[^>]* src)="(.*?)"', page)
    assert any("/table/state.js" in address for address in named)
    for address in named:
        answer = client.get(address)
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]
        for name in re.findall(r'from "(\..*?)"', answer.text):
            assert urljoin(address, name) in named


def test_scripts_take_addresses_from_the_page() -> None:
    """A site can lie below a folder, as the edition in a browser does."""
    for path in STATIC.rglob("*.js"):
        if path.parent.name != "vendor":
            text = re.sub("//.*", "", path.read_text(encoding="utf-8"))
            assert not ADDRESS.search(text), path.name


def test_every_sound_of_a_moment_has_voices() -> None:
    text = (STATIC / "table" / "sounds.js").read_text(encoding="utf-8")
    named = re.findall(r"^  (\w+): \[", text.partition("SOUNDS = {")[2].partition("\n};")[0], re.M)
    assert set(SOUNDS) <= set(named)
