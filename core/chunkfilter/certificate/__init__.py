"""Re-derives every line of a result from the texts, on a simple path of its own.

It shares nothing with the filters but the normalised words and what the documentation of a rule fixes: each
removal is checked alone, against the texts of the keepers it names, by the plainest reading of the rule. A
new rule gets a function and a line in ``rules.CHECKS``.
"""

from chunkfilter.certificate.verify import verify

__all__ = ["verify"]
