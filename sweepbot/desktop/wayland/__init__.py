"""Wayland: compositors that let programs look and click, and those that ask the person, through a portal."""
