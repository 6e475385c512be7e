"""Where a picture holds equal cells in rows and columns, with no calibration known."""
