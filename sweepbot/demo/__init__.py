"""The bundled Minesweeper client, in the classic look: in a real window, or in memory if there is no display."""
