"""The tables in a real browser: Chromium clicks through a server of its own."""
