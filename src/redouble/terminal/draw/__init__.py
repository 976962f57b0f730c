"""A view as lines of text: blocks, cards, boards, and the whole table.

``table`` lays a view out for the size of a terminal, and ``plain`` puts it in sentences.
"""
