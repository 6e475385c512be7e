"""Reading boards of any skin: a small network that was trained on drawn boards, and the rules of the game."""
