"""What thinks: the bots of tables, hints and the solver, their threads and compiled code."""
