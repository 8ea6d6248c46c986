"""LangChain adapter of chunkfilter."""
