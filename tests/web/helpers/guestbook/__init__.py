"""A made-up feature, as a stranger would add it: a book in which people write."""
