r"""Vectors that a cosine collection of Chroma reads back as wanted, to the last bit.

With distance cosine Chroma keeps a vector normalised, beside its norm, and multiplies the two when it is
read:

.. math:: \mathrm{read}(y) = \mathrm{fl}\bigl(\mathrm{fl}(y \cdot \mathrm{fl}(1/m)) \cdot m\bigr),
          \qquad m = \sqrt{\textstyle\sum_i y_i^2}

in 32-bit floats, the sum in order. What was read is therefore often not what reads so when it is written
again; but the vector that was first written is, and it lies within a few units in the last place.
"""

import numpy as np
from numpy.typing import NDArray

from chunkfilter.signals.embedders import FloatArray

#: How far, in units in the last place, values and norms are looked for, and draws of values for each norm.
_VALUES, _NORMS, _DRAWS = 2, 8, 32

IntBits = NDArray[np.int32]


def writable(wanted: FloatArray) -> FloatArray:
    """Vectors that read back as wanted.

    Args:
        wanted: vectors as a cosine collection gave them, shape (n, d).

    Returns:
        Shape (n, d); a row for which none is found is the wanted one itself.
    """
    written = wanted.copy()
    for row in np.flatnonzero((read_back(wanted) != wanted).any(axis=1)):
        written[row] = _preimage(wanted[row])
    return written


def read_back(written: FloatArray) -> FloatArray:
    """What a cosine collection gives back for what it is given, shape (n, d)."""
    norms = _norms(written)
    return _scaled(written, norms[:, None])


def _norms(vectors: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.square(vectors)
        return np.sqrt(np.add.accumulate(squares, axis=-1)[..., -1])  # accumulate adds in order, sum does not


def _scaled(values: FloatArray, norms: FloatArray) -> FloatArray:
    with np.errstate(all="ignore"):
        inverse = np.float32(1) / (norms + np.float32(1e-30))
        return np.where(norms > 0, (values * inverse) * norms, values)


def _preimage(wanted: FloatArray) -> FloatArray:
    steps = np.arange(-_VALUES, _VALUES + 1, dtype=np.int32)
    options = _moved(wanted, steps[:, None])  # (steps, d)
    dice = np.random.default_rng(0)
    for step in sorted(range(-_NORMS, _NORMS + 1), key=abs):
        norm = _moved(_norms(wanted), np.int32(step))
        fits = _scaled(options, norm) == wanted
        if not fits.any(axis=0).all():
            continue
        # the nearest option of each value first, then any of them: each choice has a norm of its own
        ranks = np.where(fits, dice.random((_DRAWS, *fits.shape)), np.inf)
        ranks[0] = np.where(fits, np.abs(steps)[:, None], np.inf)
        drawn = np.take_along_axis(options[None], ranks.argmin(axis=1)[:, None], axis=1)[:, 0]
        exact = np.flatnonzero((read_back(drawn) == wanted).all(axis=1))
        if len(exact):
            found: FloatArray = drawn[exact[0]]
            return found
    return wanted


def _moved(values: FloatArray, steps: IntBits | np.int32) -> FloatArray:
    """Values moved by units in the last place, away from zero."""
    bits = np.asarray(values, dtype=np.float32).view(np.int32) + steps
    return bits.view(np.float32)
