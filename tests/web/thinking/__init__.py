"""Tests of workers that compile, search and solve."""
