"""The site as an app that can be installed: manifest, icons and the page without connection.

https://www.w3.org/TR/appmanifest/ says what a manifest holds.
"""

import hashlib
import json
from functools import cache
from typing import Any

from fastapi.responses import HTMLResponse, JSONResponse, Response

from redouble.web.drawing.addresses import STATIC, static_url
from redouble.web.drawing.pixels import png_of
from redouble.web.errors import NotFound
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

GREEN = "#14532d"
OFFLINE = "/offline"
FONT = "/static/vendor/nunito.woff2"
SHOWN_OFFLINE = ("redouble.css", "page.js", "offline.js", "icon.svg")
"""The static files that the page without connection needs."""
SIZES = (192, 512)
"""Pixels of the icons, as browsers ask for them."""
DAY = 24 * 60 * 60


@router.get("/manifest.webmanifest", Cost.FILE)
async def manifest() -> JSONResponse:
    """Describe the app to browsers that can install it."""
    return JSONResponse(about_app(), media_type="application/manifest+json")


def about_app() -> dict[str, Any]:
    """Return what a manifest says."""
    icons = [
        {
            "src": f"/icons/{kind}-{size}.png",
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": purpose,
        }
        for size in SIZES
        for kind, purpose in (("app", "any"), ("maskable", "maskable"))
    ]
    return {
        "id": "/",
        "name": "Redouble",
        "short_name": "Redouble",
        "description": "Five tabletop games: alone, on one device, and with friends.",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "lang": "en",
        "categories": ["games", "cards"],
        "theme_color": GREEN,
        "background_color": GREEN,
        "icons": icons,
    }


@router.get("/icons/{name}.png", Cost.FILE)
def icon(name: str) -> Response:
    """Return an icon: ``app-192`` as it is, ``maskable-192`` with room for a round mask."""
    kind, _, size = name.partition("-")
    if kind not in ("app", "maskable") or size not in map(str, SIZES):
        raise NotFound("there is no such icon")
    headers = {"Cache-Control": f"public, max-age={DAY}"}
    return Response(_icon(kind, int(size)), media_type="image/png", headers=headers)


@cache
def _icon(kind: str, size: int) -> bytes:
    svg = (STATIC / "icon.svg").read_text(encoding="utf-8").strip()
    if kind == "maskable":
        # Masks leave a circle of four fifths of the width: the cards get smaller, the green fills.
        inner = svg.partition(">")[2].removesuffix("</svg>")
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
            f'<rect width="32" height="32" fill="{GREEN}"/>'
            f'<g transform="translate(3.2 3.2) scale(.8)">{inner}</g></svg>'
        )
    return png_of(svg, width=size, height=size)


@router.get("/service-worker.js", Cost.FILE)
async def service_worker(site: SiteOf) -> Response:
    """Return the script that shows the page without connection."""
    kept = [static_url(name) for name in SHOWN_OFFLINE] + [FONT]
    page = site.page("offline.html").body
    version = hashlib.sha256(bytes(page) + repr(kept).encode()).hexdigest()[:16]
    constants = {"CACHE": version, "OFFLINE": OFFLINE, "KEPT": kept}
    script = "\n".join(
        [
            '"use strict";',
            *(f"const {name} = {json.dumps(value)};" for name, value in constants.items()),
            (STATIC / "service-worker.js").read_text(encoding="utf-8"),
        ]
    )
    return Response(script, media_type="text/javascript")


@router.get(OFFLINE, Cost.FILE)
async def offline(site: SiteOf) -> HTMLResponse:
    """Show what a browser keeps for the time without connection; it tells nothing of anybody."""
    return site.page("offline.html")
