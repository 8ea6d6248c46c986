"""What a filter does to retrieval: data sets, search, one metric a file, statistics, compare."""
