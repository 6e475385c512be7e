"""Pixels to boards: finding the grid, telling what each cell shows, and how far that is to be trusted."""

from threadpoolctl import threadpool_limits

# On busy cores the threads that share a small product of matrices wait longer than it takes.
threadpool_limits(limits=1, user_api="blas")
