"""Tests of people and their devices."""
