"""The site as an app: its manifest, its icons, and what a browser keeps without connection."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image
from starlette.testclient import TestClient


def test_the_manifest_says_what_browsers_ask_for(client: TestClient) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer.headers["content-type"].startswith("application/manifest+json")
    manifest = answer.json()
    assert manifest["name"] == manifest["short_name"] == "Redouble"
    assert manifest["display"] == "standalone"
    assert manifest["id"] == manifest["start_url"] == manifest["scope"] == "/"
    for icon in manifest["icons"]:
        picture = Image.open(io.BytesIO(client.get(icon["src"]).content))
        assert icon["sizes"] == "{}x{}".format(*picture.size)
        assert icon["type"] == "image/png"
    purposes = {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]}
    assert purposes >= {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}


def test_a_maskable_icon_fills_its_square_and_leaves_room_for_the_mask(client: TestClient) -> None:
    picture = Image.open(io.BytesIO(client.get("/icons/maskable-192.png").content)).convert("RGBA")
    green = picture.getpixel((0, 0))
    assert green == (0x14, 0x53, 0x2D, 255)
    edge = [picture.getpixel((x, 18)) for x in range(192)]
    assert set(edge) == {green}, "cards lie outside of the circle that masks leave"


@pytest.mark.parametrize("name", ["app-193", "round-192", "app-", "app-192x"])
def test_other_icons_are_not_found(client: TestClient, name: str) -> None:
    assert client.get(f"/icons/{name}.png").status_code == 404


def test_every_page_names_the_manifest(client: TestClient) -> None:
    for path in ("/", "/rules", "/puzzles"):
        page = client.get(path).text
        assert '<link rel="manifest" href="/manifest.webmanifest">' in page
        assert '<meta name="theme-color"' in page


def test_the_service_worker_keeps_the_page_without_connection_and_nothing_else(
    client: TestClient,
) -> None:
    answer = client.get("/service-worker.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-store"
    assert "worker-src 'self'" in answer.headers["content-security-policy"]
    kept = re.findall(r'"(/[^"]*)"', answer.text.partition("addEventListener")[0])
    assert "/offline" in kept
    assert all(path == "/offline" or path.startswith("/static/") for path in kept)
    page = client.get("/offline").text
    needed = re.findall(r'(?:href|src)="(/static/[^"]*)"', page)
    assert set(needed) <= set(kept), "the page would lack something without connection"


def test_the_page_without_connection_is_the_same_for_everybody(client: TestClient) -> None:
    """A browser keeps it: it holds no name, and asking for it makes nobody a visitor."""
    client.post("/play/double-or-quits")
    known = client.get("/offline")
    client.cookies.clear()
    stranger = client.get("/offline")
    assert known.text == stranger.text
    assert "set-cookie" not in stranger.headers
