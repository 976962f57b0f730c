"""A model for ``redouble models`` that needs no network: it plays the first move of the prompt.

redouble models double-down examples/scripted_model.py casual --seats 2 --games 10
"""

from redouble.lab.models import Reply


def model(prompt: str) -> Reply:
    """Return the first of the legal moves, as a sentence, and what a real model would count."""
    first = prompt.split("Legal moves:\n")[1].splitlines()[0]
    return Reply(f"I play {first}", input_tokens=len(prompt.split()), output_tokens=3, cost=0.001)
