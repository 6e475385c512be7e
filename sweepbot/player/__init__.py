"""Playing what is on the screen: look, decide, click, wait until the picture rests, look again, verify."""
