"""One metric a file, each a pure function on arrays whose docstring is the formula.

``chunkfilter.evaluate.measures`` is the table that names them and says what they are computed from.
"""

from numpy import float64, int32, int64
from numpy.typing import NDArray

Values = NDArray[float64]
Numbers = NDArray[int64] | NDArray[int32]
