"""The terminal: tables drawn from views, and people and bots at one keyboard.

``screen`` knows the terminal; ``blocks``, ``cards`` and ``boards`` draw; ``table`` lays out what a
seat sees. ``prompt`` understands what a person types. ``menu`` and ``setup`` start a match,
``session`` plays it, ``afterwards`` offers what comes next. ``replay``, ``review``, ``puzzle`` and
``solving`` show records, puzzles and solved deals. No module here knows a game.
"""
