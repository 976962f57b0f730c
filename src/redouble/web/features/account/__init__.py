"""A person's data: sign-out, export, deletion, and what expires."""
