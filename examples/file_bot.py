"""A tournament bot in Python that looks one move ahead.

redouble arena double-down greedy examples/file_bot.py --games 20
"""

from redouble.kernel.rng import below


class LookAhead:
    """A player that tries each move in several determinizations and takes the best one."""

    def choose(self, observation, rng):
        """Return one of ``observation.legal``; the state has only what the seat knows."""
        return max(observation.legal, key=lambda action: self.worth(observation, action, rng))

    def worth(self, observation, action, rng, worlds=8):
        """Return the average lead over the best opponent after a move."""
        rules, total = observation.game.rules, 0
        for _ in range(worlds):
            state = observation.state.copy()
            rules.determinize(state, rng, [0] * 2048)
            rules.play(state, action)
            values = [0] * state.seats
            observation.game.player.evaluate(state, values)
            mine = values.pop(observation.seat)
            total += mine - max(values, default=0)
        return total + below(rng, 2)  # break ties at random
