"""sweepbot plays real Minesweeper clients: it reads the board from the pixels, decides, and clicks."""
