"""The tables of the study of chunk filtering, measured again.

The study is "Reducing Redundancy in Retrieval-Augmented Generation through Chunk Filtering". ``plan`` says in
our words what its rows are, ``corpora`` where their texts are found, ``tables`` measures what is missing and
``finished`` keeps it on disk, ``report`` sets the study's own values beside it, ``command`` is
``chunkfilter study tables``.
"""
