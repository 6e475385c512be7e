"""Sessions: what the commands do on a desktop, given their settings, whether live or in a replay."""
