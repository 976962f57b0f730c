"""What serves the site: processes that also make reviews and report figures, or a tab."""
