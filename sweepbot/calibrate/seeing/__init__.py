"""Boards in unknown skins, what surrounds them, and how they move: what only learning looks for."""
