"""Learning an unknown skin: from a live client by the rules of the game alone, or from screenshots."""
