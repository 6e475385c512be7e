"""Where the board of a calibrated client is, at any scale, and how far it goes."""
