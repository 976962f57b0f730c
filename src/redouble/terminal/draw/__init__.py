"""A view as lines of text: blocks, cards, and the whole table with its board.

``table`` lays a view out for the size of a terminal, and ``plain`` puts it in sentences.
"""
