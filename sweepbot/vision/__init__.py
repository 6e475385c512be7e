"""Pixels to boards: finding the grid, telling what each cell shows, and how far that is to be trusted."""

import os

from threadpoolctl import threadpool_limits

# On busy cores the threads that share a small product of matrices wait longer than it takes: those of libraries that
# are loaded later, and of those that were loaded before.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
threadpool_limits(limits=1, user_api="blas")
