"""Learning a skin nobody has seen: from a live client by the rules of the game alone, or from screenshots."""
