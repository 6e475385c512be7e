"""Inferring what the pictures of cells mean from observations: pure, without a screen or a clock."""
