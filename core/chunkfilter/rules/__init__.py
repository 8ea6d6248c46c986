"""The rules that a policy may name: one file a rule; see :mod:`chunkfilter.rules.rule`."""
