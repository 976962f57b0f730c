"""A tournament bot that reads and writes lines, as any language can; this one plays at random.

redouble arena double-down greedy "cmd:python examples/stdio_bot.py" --games 20
"""

import json
import random
import sys

for line in sys.stdin:  # a line is a position in which this bot has a choice
    asked = json.loads(line)
    view = asked["view"]  # what this bot's seat sees: zones of cards, facts, moves
    move = random.choice(view["legal_moves"])
    print(json.dumps({"move": move}), flush=True)
