"""The embedded corpus: a made-up product's documents and questions, written for chunkfilter."""

from chunkfilter.demo.corpus import load_documents, questions_file

__all__ = ["load_documents", "questions_file"]
