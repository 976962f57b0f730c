"""A game in a terminal, from the menu to what is offered after the last move.

``menu`` asks for a ``setup``, which starts a ``session``; ``afterwards`` offers another game, and
``unfinished`` keeps one that is cut off.
"""
