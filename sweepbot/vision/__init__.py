"""Pixels to boards: finding the grid, telling what each cell shows, and how far that is to be trusted."""
