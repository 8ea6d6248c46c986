"""What only the published studies need: their tables, splitters, data sets and measures.

``paper`` measures the tables of the study of chunk filtering again, ``grid`` compares splitters against their
compute, ``answers`` measures what a language model makes of retrieved chunks; ``splitters``, ``propositions``
and ``datasets`` are what they work on. The product finds the splitters and data sets by name and imports
nothing else from here.
"""
