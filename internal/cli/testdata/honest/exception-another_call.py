"""Minimal form by another author."""
import tinynet

rows = [[0.5, 1.5]]
result = tinynet.total(rows, axis=0)
print("no failure:", result)
