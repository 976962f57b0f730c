"""Finding Chromium."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
MISSING = (
    "No Chromium was found for the browser tests: install it with `apt install chromium` or"
    " `.venv/bin/playwright install chromium`, or set REDOUBLE_NO_BROWSER=1 to skip them."
)
FEATURES_OFF = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    *("AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades"),
    *("LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints"),
    *("PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning"),
)
"""Chromium draws the suggestions of its address bar as two pages, which each new window loads even
without a screen. That took more time than most of ours. The other features are those that
Playwright turns off: Chromium obeys only the last such list.
"""
FLAGS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--mute-audio",
    f"--disable-features={','.join(FEATURES_OFF)}",
)
PLAY_ALL = """
    try { localStorage.setItem("play-forced-alone", "off"); }
    catch { /* a page without a place has no storage */ }
"""
"""Lets visitors make all moves themselves, forced ones too."""


def launch(playwright: Playwright) -> Browser | None:
    """Start the system's Chromium, or else Playwright's own; None when there is neither."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    program = program or playwright.chromium.executable_path
    if not Path(program).exists():
        return None
    flags = list(FLAGS)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")  # Chromium's sandbox refuses to work for root
    return playwright.chromium.launch(executable_path=program, args=flags)
