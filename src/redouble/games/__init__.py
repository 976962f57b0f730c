"""The five games, one folder each. Nothing outside a folder names its game."""
