"""Tests of an operator's commands."""
