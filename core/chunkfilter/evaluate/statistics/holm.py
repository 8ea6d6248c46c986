"""Holm's correction for a family of tests."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    r"""Adjusted p-values: a hypothesis is rejected at level a if its adjusted value is at most a.

    With :math:`p_{(1)} \leq \dots \leq p_{(m)}`,

    .. math:: \tilde p_{(i)} = \min\bigl(1, \max_{j \leq i} (m - j + 1)\, p_{(j)}\bigr)

    The chance of one false rejection in the family is then at most a, whatever the tests have in common.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979).

    Args:
        p_values: m values, in any order.

    Returns:
        m values, in the same order.
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=lambda one: p_values[one])):
        largest = max(largest, (len(p_values) - rank) * p_values[position])
        adjusted[position] = min(largest, 1.0)
    return adjusted
