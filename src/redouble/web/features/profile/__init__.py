"""Profiles: pictures, badges, who sees what."""
