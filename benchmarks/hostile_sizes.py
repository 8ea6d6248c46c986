"""Long texts without the white space, the ends or the variety that one expects: does time grow with length?

    python benchmarks/hostile_sizes.py [--characters 5000] [--times 8] [--policy coverage]

For each kind of text and each policy: CPU seconds of a run over a text, half of it and a copy, the same with
texts so many times as long, and how many times as long that took. Fails if any took more than three times its
share, half a second forgiven.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import chunkfilter as cf

PIECES = Path(__file__).parents[1] / "tests" / "contracts" / "hostile_pieces.json"
POLICIES = ["exact", "coverage", "minhash@0.8", "simhash@3", "similarity@0.9"]


def seconds(text: str, policy: str) -> float:
    """Processor time of a run over a text, half of it, and a copy."""
    texts = [text, text[: len(text) // 2], text]
    started = time.process_time()
    cf.filter_chunks(texts, policy, vectors=[[1, 0], [1, 0.01], [1, 0]])
    return time.process_time() - started


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--characters", type=int, default=5_000)
    parser.add_argument("--times", type=int, default=8)
    parser.add_argument("--policy", choices=POLICIES, action="append", help="by default all")
    arguments = parser.parse_args()
    slow = 0
    for policy in arguments.policy or POLICIES:
        for kind, piece in json.loads(PIECES.read_text()).items():
            text = piece * (arguments.characters // len(piece))
            one = min(seconds(text, policy) for _ in range(2))
            many = seconds(text * arguments.times, policy)
            over = many > 3 * arguments.times * one + 0.5
            slow += over
            told = "  <- more than its share" if over else ""
            print(f"{policy:<15} {kind:<14} {one:8.3f} s {many:8.3f} s {many / one:7.1f} x{told}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
