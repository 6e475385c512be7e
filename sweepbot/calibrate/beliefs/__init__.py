"""What each look of a client means, and why: pure functions of a log of its games."""
