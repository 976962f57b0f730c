"""Signing in: linking and recovery codes, and passkeys."""
