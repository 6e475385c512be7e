"""Replaying runs offline from their traces, and checking screenshots whose boards are known."""
