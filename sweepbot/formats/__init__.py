"""Positions, boards and games in the formats of other programs."""
