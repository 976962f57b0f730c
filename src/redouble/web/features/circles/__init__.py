"""Circles: standing groups, their seasons and evenings."""
