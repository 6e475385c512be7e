"""The threads of the libraries that the eyes use."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("first", ["sweepbot.vision.eyes, numpy, cv2", "numpy, cv2, sweepbot.vision.eyes"])
def test_products_of_matrices_take_one_thread(first: str) -> None:
    """No library multiplies with several threads, whether it was loaded before the eyes or after."""
    program = f"import {first}, threadpoolctl; print({{it['num_threads'] for it in threadpoolctl.threadpool_info()}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{1}"
