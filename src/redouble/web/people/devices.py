"""Plain names of browsers and programs, from what they say about themselves."""

from __future__ import annotations

import re

UNKNOWN = "Unknown device"
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Vivaldi", "Vivaldi"),
    ("FxiOS", "Firefox"),
    ("Firefox", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrom", "Chrome"),
    ("Safari", "Safari"),
)
"""What names a browser, the more particular first: most also name those that they descend from."""
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS", "Mac"),
    ("Linux", "Linux"),
)
_PROGRAM = re.compile(r"[A-Za-z][\w.-]{1,30}(?=/|$)", re.ASCII)


def device_name(agent: str) -> str:
    """Return a name such as "Firefox on Windows" for a ``User-Agent``, or that of a program."""
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    if browser and system:
        return f"{browser} on {system}"
    program = _PROGRAM.match(agent)
    if browser or system:
        return browser or system
    return program[0] if program and program[0] != "Mozilla" else UNKNOWN
