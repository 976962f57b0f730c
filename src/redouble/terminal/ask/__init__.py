"""The terminal itself, the pages it shows, and what a typed line means."""
