"""Notifications: what people want to get, where it goes, and calendars."""
