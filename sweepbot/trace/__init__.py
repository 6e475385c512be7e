"""Traces: everything that a desktop was asked and answered during a run, in a folder, and the same answers again."""
