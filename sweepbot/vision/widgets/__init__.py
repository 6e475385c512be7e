"""What surrounds a board: buttons, dialogs, and what has changed or moved."""
