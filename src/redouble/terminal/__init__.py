"""The terminal: tables drawn from views, and people and bots at one keyboard.

``screen`` knows the terminal, ``blocks`` and ``cards`` draw, ``table`` lays out what a seat sees,
``boards`` adds boards; ``prompt`` understands what a person types, ``session`` plays a match,
``menu`` starts one, ``replay`` steps through a record. No module here knows a game.
"""
