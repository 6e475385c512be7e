"""Positions and their chances for people to look at: as text and as pictures."""
