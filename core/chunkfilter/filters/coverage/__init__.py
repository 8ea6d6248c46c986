"""Rule ``coverage`` in steps: what chunks need and give, who holds it, the small set cover, the walk."""
