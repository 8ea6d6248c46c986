"""``--policies``: several policies in one argument."""

import argparse

from chunkfilter.errors import InputError
from chunkfilter.evaluate.sweep import expanded
from chunkfilter.policy import Policy


def add_policies_argument(parser: argparse.ArgumentParser, default: str) -> None:
    """``--policies``, the same for every command that compares."""
    parser.add_argument(
        "--policies",
        metavar="A;B",
        default=default,
        help="policies, separated by semicolons; similarity@0.6..0.95/0.05 is one at each threshold "
        "(default: %(default)s)",
    )


def policies_of(arguments: argparse.Namespace) -> list[Policy]:
    """The policies.

    Raises:
        InputError: there is none.
        PolicyError: one does not parse.
    """
    policies = expanded(part for part in arguments.policies.split(";") if part.strip())
    if not policies:
        raise InputError(f"--policies: got {arguments.policies!r}; expected policies separated by ';'")
    return policies
