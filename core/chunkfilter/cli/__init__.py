"""The command ``chunkfilter``: one command a file, ``main.COMMANDS`` is the table of them."""
