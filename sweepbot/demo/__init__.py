"""A Minesweeper client of our own in the classic look: in a real window, or in memory where there is no display."""
