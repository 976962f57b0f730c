"""Pictures of pixels, for those who can't show an SVG: sites that show links, and home screens."""

from typing import Any

from redouble.kernel.extras import needs


def png_of(svg: str, **how: Any) -> bytes:
    """Return a picture as PNG, drawn by resvg, which ``how`` is for.

    It is imported only here, since it has no build for browsers.
    """
    with needs("pictures for links", "web"):
        from resvg_py import svg_to_bytes
    return svg_to_bytes(svg_string=svg, **how)
