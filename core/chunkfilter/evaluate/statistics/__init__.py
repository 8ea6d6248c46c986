"""How sure a difference is: intervals, exact tests, verdicts."""
