"""Steps that bring a database from one version's schema to the next; see ``schema.py``."""
