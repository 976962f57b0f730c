"""A bot for tournaments in Python: it plays as the strongest move of a short look ahead says.

redouble arena double-down greedy examples/file_bot.py --games 20
"""

from redouble.kernel.rng import below


class LookAhead:
    """Tries each move in some worlds that its seat cannot tell from the real one."""

    def choose(self, observation, rng):
        """Return one of ``observation.legal``; ``observation.state`` has nothing hidden in it."""
        return max(observation.legal, key=lambda action: self.worth(observation, action, rng))

    def worth(self, observation, action, rng, worlds=8):
        """How far ahead of the best other seat the move leaves this one, on the average."""
        rules, total = observation.game.rules, 0
        for _ in range(worlds):
            state = observation.state.copy()
            rules.determinize(state, rng, [0] * 2048)
            rules.play(state, action)
            standing = [0] * state.seats
            observation.game.evaluate(state, standing)
            mine = standing.pop(observation.seat)
            total += mine - max(standing, default=0)
        return total + below(rng, 2)  # now and then the other one of two that are alike
