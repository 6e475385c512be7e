"""Replaying offline: runs from their traces, and screenshots whose boards are known."""
