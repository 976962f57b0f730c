"""Tests of daily deals."""
