"""Learn from a data set what each move is worth, with NumPy alone.

redouble dataset double-down --seats 2 --games 1000 --positions 6 --bots expert --out data
python examples/learn_from_data.py data
"""

import sys

import numpy as np
import pyarrow.parquet

rows = pyarrow.parquet.read_table(f"{sys.argv[1]}/positions.parquet").to_pylist()
seen = np.clip([row["observation"] for row in rows], -2.0, 2.0)
shares = np.full((len(rows), 1 + max(max(row["legal"]) for row in rows)), np.nan)
for line, row in zip(shares, rows, strict=True):
    line[row["legal"]] = row["shares"]  # an illegal move is worth nothing that could be learned
legal, best = ~np.isnan(shares), np.nanmax(shares, axis=1, keepdims=True)
mean = np.nanmean(shares, axis=1, keepdims=True)
new = np.array([row["game"] % 5 == 0 for row in rows])  # games that are kept for the test
weights = np.zeros((seen.shape[1], shares.shape[1]))
for action in range(shares.shape[1]):  # ridge regression of what a move gains over the mean
    known = legal[:, action] & ~new
    x, gain = seen[known], (shares - mean)[known, action]
    weights[:, action] = np.linalg.solve(x.T @ x + 10 * np.eye(x.shape[1]), x.T @ gain)
scores = np.where(legal, seen @ weights, -np.inf)
chosen = shares[np.arange(len(rows)), scores.argmax(axis=1)]
print(f"{new.sum()} new positions; what a decision loses, in share of opponents beaten:")
print(f"learned {(best[:, 0] - chosen)[new].mean():.3f}, random {(best - mean)[new].mean():.3f}")
