"""The tables of the study of chunk filtering, measured again.

The study is "Reducing Redundancy in Retrieval-Augmented Generation through Chunk Filtering". ``plan`` says in
our words what its rows are, ``corpora`` where their texts are found, ``ledger`` keeps finished rows on disk,
``tables`` measures what is missing, ``published`` reads the study's own values, ``report`` sets both side by
side.
"""
