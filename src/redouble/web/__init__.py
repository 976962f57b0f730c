"""The tables in the browser: pages, the interface for programs, and the server under them."""
