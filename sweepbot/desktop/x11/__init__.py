"""X11: pictures come by mss, as on Windows and macOS."""
