"""Sweeps: ``similarity@0.6..0.95/0.05`` means one policy at each threshold."""

import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import product
from math import prod

from chunkfilter.errors import PolicyError
from chunkfilter.policy import Policy

#: More policies than this from one text are a mistake.
MOST = 100

_SWEEP = re.compile(r"@([^\s@+|]*)\.\.([^\s@+|/]*)/([^\s@+|]*)")


def expanded(policies: Iterable[str | Policy]) -> list[Policy]:
    """The policies, each sweep replaced by what it means.

    Args:
        policies: policies, or texts in which a threshold may be ``FIRST..LAST/STEP``, both ends included.
            Two sweeps in one text give every combination.

    Raises:
        PolicyError: a policy does not parse, or a sweep has no numbers, no positive step, ends before it
            begins, or means more than ``MOST`` policies.
    """
    if isinstance(policies, str) or not isinstance(policies, Iterable):
        raise PolicyError(f"policies: got {policies!r:.80}; expected several, for example ['none', 'exact']")
    return [
        Policy.parse(one)
        for policy in policies
        for one in (_texts(policy) if isinstance(policy, str) else (policy,))
    ]


def _texts(policy: str) -> list[str]:
    pieces = _SWEEP.split(policy)
    between = pieces[::4]
    sweeps = zip(pieces[1::4], pieces[2::4], pieces[3::4], strict=True)
    values = [_thresholds(*sweep, policy) for sweep in sweeps]
    count = prod(map(len, values))
    if count > MOST:
        raise PolicyError(f"policy {policy!r}: means {count} policies or more; expected at most {MOST}")
    return [
        between[0] + "".join(f"@{value}{after}" for value, after in zip(chosen, between[1:], strict=True))
        for chosen in product(*values)
    ]


def _thresholds(first: str, last: str, step: str, policy: str) -> list[str]:
    """The thresholds of a sweep as texts: decimal numbers, so that 0.6 and two steps of 0.1 are 0.8."""
    try:
        start, end, width = map(Decimal, (first, last, step))
        steps = int((end - start) / width) if width > 0 and start <= end else -1
    except (ArithmeticError, ValueError):
        steps = -1
    if steps < 0:
        raise PolicyError(
            f"policy {policy!r}: '@{first}..{last}/{step}': expected FIRST..LAST/STEP with numbers, "
            "FIRST <= LAST and STEP > 0"
        )
    return [f"{(start + Decimal(number) * width).normalize():f}" for number in range(min(steps, MOST) + 1)]
