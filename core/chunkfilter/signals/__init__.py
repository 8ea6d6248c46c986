"""What can be known about a chunk: its words, vectors, entities, topics; computed once a run."""
