"""``python -m chunkfilter``: the same as the command ``chunkfilter``."""

import sys

from chunkfilter.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
