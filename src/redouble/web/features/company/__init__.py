"""Mutes, reports and sanctions."""
