"""Tests of the scripts of pages."""
