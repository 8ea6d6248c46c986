"""Files that survive a kill at any moment.

- :func:`replacing` writes a file that appears whole or not at all.
- :class:`LinesFile` is a kind of file of JSON lines, closed by a digest.
- :class:`Database` is a SQLite file of one kind, with many readers and one writer at a time.
"""

from chunkfilter.storage.database import Database, DatabaseKind, delete_database
from chunkfilter.storage.files import replacing, sync_folder
from chunkfilter.storage.lines import COUNT, COUNTS, FLAG, NUMBER, TEXT, TEXTS, Form, LinesFile

__all__ = [
    "COUNT",
    "COUNTS",
    "FLAG",
    "NUMBER",
    "TEXT",
    "TEXTS",
    "Database",
    "DatabaseKind",
    "Form",
    "LinesFile",
    "delete_database",
    "replacing",
    "sync_folder",
]
