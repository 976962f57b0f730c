"""The web site: pages, the interface for programs, and the server."""
