"""Where the boards in a picture are, whatever they look like."""
