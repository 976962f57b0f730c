"""The features of the site, one folder each."""
