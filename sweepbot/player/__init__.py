"""Playing the board on the screen: look, decide, click, wait until the picture is at rest, look again, verify."""
