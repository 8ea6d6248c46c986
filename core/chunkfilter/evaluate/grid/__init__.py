"""Splitters, filters and embedders side by side: quality against compute, best setting of each chosen fairly.

``run.py`` is the whole in one function; ``folds.py`` parts the documents, ``cost.py`` says what a setting
costs, ``setting.py`` measures one, ``choice.py`` chooses and compares, ``report.py`` prints.
"""

from chunkfilter.evaluate.grid.run import chosen_grid, measure_grid, run_grid

__all__ = ["chosen_grid", "measure_grid", "run_grid"]
