"""How far coordinates may reach and how thin parts may be, for files, targets and parts alike."""

FARTHEST = 1e30
"""Coordinates and sizes stay below it, so that their squares, volumes and float32 pictures stay finite."""
THINNEST = 1e-100
"""Semi-axes stay above it: the squares of their inverses would overflow."""
