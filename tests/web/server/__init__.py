"""Tests of running servers."""
