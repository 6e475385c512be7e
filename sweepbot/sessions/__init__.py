"""What commands do on a desktop, from their settings: the same on a screen, where it is recorded, and in a replay."""
