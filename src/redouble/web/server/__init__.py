"""The processes of a server: they serve pages, make reviews, and report figures and spans."""
