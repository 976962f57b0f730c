"""Tests of the tables in the browser."""
