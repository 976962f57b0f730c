"""Finding Chromium."""

import os
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SHELL = "chromium-headless-shell"
"""The engine of Chromium without windows, which takes half of its processor time for a page."""
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
    "--font-render-hinting=none",  # as with windows; else the shell's letters are wider
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


def launch(playwright: Playwright, *, whole: bool = False) -> Browser | None:
    """Start the system's Chromium, or else Playwright's own; None when there is neither.

    Where there is its headless shell, that is started, unless the whole browser is wanted: the
    shell shows no messages of a service, for one.
    """
    program = next(filter(None, map(shutil.which, PROGRAMS if whole else (SHELL, *PROGRAMS))), None)
    program = program or playwright.chromium.executable_path
    if not Path(program).exists():
        return None
    flags = list(FLAGS)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")  # Chromium's sandbox refuses to work for root
    return playwright.chromium.launch(executable_path=program, args=flags)
