"""`python -m sweepbot` is the same as `sweepbot`."""

import sys

from sweepbot.cli import main

sys.exit(main())
