"""Splitters, filters and embedders side by side: quality against compute, best setting of each chosen fairly.

``run`` is the whole in one function; ``folds`` parts the documents, ``cost`` says what a setting costs,
``setting`` measures one, ``choice`` chooses and compares, ``report`` prints, ``command`` is
``chunkfilter study grid``.
"""

from chunkfilter.studies.grid.run import chosen_grid, measure_grid, run_grid

__all__ = ["chosen_grid", "measure_grid", "run_grid"]
