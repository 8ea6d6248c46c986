"""LlamaIndex adapter of chunkfilter."""
