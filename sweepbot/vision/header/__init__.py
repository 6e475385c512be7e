"""What a client shows above its board: counters, a face, numbers written as text."""
