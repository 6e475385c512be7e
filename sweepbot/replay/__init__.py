"""Runs again, offline: from the traces that they left, and screenshots whose boards are known."""
