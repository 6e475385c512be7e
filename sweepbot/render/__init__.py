"""Positions and their chances as text and as pictures."""
