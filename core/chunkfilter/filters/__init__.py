"""One file a rule; ``stages.RULES`` is the table of them; ``run`` is the way in."""
