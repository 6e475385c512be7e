"""What the pictures of cells mean, worked out from what was observed: pure, with no screen and no clock."""
