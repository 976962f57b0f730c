"""Environments for programs that learn: observations, batches of games and common interfaces."""
