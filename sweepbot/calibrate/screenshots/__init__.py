"""Learning a client from screenshots."""
