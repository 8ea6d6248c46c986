"""PostgreSQL with pgvector: known table layouts, indexes, and the adapter."""
