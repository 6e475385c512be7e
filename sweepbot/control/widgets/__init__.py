"""What comes up in front of a board, as boxes with buttons; and whether a client is still in sight."""
