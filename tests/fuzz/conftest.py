"""`make fuzz` only: this folder is left out of the ordinary run."""

import os

if "FUZZ_SECONDS" not in os.environ:
    collect_ignore_glob = ["test_*.py"]
