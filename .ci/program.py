"""The program of one file: `sweepbot`, and `-m sweepbot.NAME` for the processes that it starts of itself."""

import multiprocessing
import runpy
import sys

from sweepbot.cli import main

if __name__ == "__main__":
    multiprocessing.freeze_support()
    if sys.argv[1:2] == ["-m"]:
        module = sys.argv[2]
        del sys.argv[1:3]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
        sys.exit(main())
