"""Run the command line with `python -m pendtui`."""

import sys

from pendtui.cli import main

if __name__ == "__main__":
    sys.exit(main())
