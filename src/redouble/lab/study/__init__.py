"""The house-rule lab: what a game is like by its rules, from many simulated games.

``plan`` says what is to be simulated, ``series`` plays it in chunks, ``tally`` and ``luck`` add up,
``run`` does so on all cores, ``figures`` makes figures and sentences of the sums, and ``command``
shows them.
"""
