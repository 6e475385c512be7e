"""Learning a client by playing it."""
