"""Play and study games in a terminal, with people and bots at one keyboard.

``draw`` turns a view into lines of text, and ``ask`` reads what a person types. ``study`` shows
records, reviews, puzzles and solved deals. ``play`` starts a game, plays it and offers what comes
next. ``files`` reads and writes records. No module here knows a game.

A room imports only from the rooms before it: ``draw``, ``ask``, ``study``, ``play``.
"""
