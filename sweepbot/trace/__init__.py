"""Traces: folders with every call to a desktop during a run and its answer; writing, reading and repeating them."""
