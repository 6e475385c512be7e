"""The calibration itself: writing it, adding to it, checking it."""
