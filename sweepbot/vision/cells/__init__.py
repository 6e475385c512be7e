"""What each cell of a board shows, how far that is to be trusted, and what speaks against it."""
