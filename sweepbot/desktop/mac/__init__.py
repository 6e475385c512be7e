"""macOS; no person has tried it on a Mac."""
