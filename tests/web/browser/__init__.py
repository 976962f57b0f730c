"""The pages in a real browser: Chromium against a test server."""
