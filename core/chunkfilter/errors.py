"""Every exception that chunkfilter raises on purpose.

ChunkFilterError
├── InputError (ValueError)             something the caller passed is wrong
│   ├── PolicyError                     a policy text that does not parse, or an option out of bounds
│   ├── SplitterError                   a splitter spec that does not parse, or a size out of bounds
│   ├── VectorError                     vectors of the wrong shape, length or number
│   └── DatasetError                    documents or questions that cannot be read
├── MissingSignalError (ValueError)     the policy needs vectors or entities and none were given
├── MissingExtraError (ImportError)     an optional dependency is not installed
├── PropositionError                    a model wrote no propositions that can be read
├── TooManyRemovedError                 more chunks would go than ``max_removed`` allows
├── CertificateError                    a result does not hold for the texts it is checked against
├── ResultFileError                     a saved result is truncated, foreign or of a newer version
├── LedgerError                         a ledger is damaged, foreign, of another policy or being written
├── StorageError                         a file of chunkfilter's own cannot be opened, read or written
│   └── DamagedFileError                it is damaged, foreign, or of another version
└── StoreError                          a vector store cannot be read or changed as asked
"""


class ChunkFilterError(Exception):
    """Base class of every deliberate error of chunkfilter."""


class InputError(ChunkFilterError, ValueError):
    """Something the caller passed is wrong; the message names it, its value and what was expected."""


class PolicyError(InputError):
    """A policy does not parse, or one of its values is out of bounds."""


class SplitterError(InputError):
    """A splitter spec does not parse, or one of its sizes is out of bounds."""


class VectorError(InputError):
    """Vectors have the wrong shape, number or length."""


class DatasetError(InputError):
    """Documents or questions cannot be read."""


class MissingSignalError(ChunkFilterError, ValueError):
    """The policy needs vectors or entities that were not given."""


class MissingExtraError(ChunkFilterError, ImportError):
    """An optional dependency is missing.

    Args:
        package: the distribution that failed to import.
        extra: the extra of chunkfilter that installs it.
        purpose: what it is needed for, as a short phrase.
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(f'{purpose} needs {package} (not installed): pip install "chunkfilter[{extra}]"')


class PropositionError(ChunkFilterError):
    """A model stated no propositions, in a form that cannot be read, or failed on many passages in a row."""


class TooManyRemovedError(ChunkFilterError):
    """More chunks would be removed than the policy's ``max_removed`` allows; nothing was removed."""


class CertificateError(ChunkFilterError):
    """A result does not hold for the texts it is checked against; the message names the line."""


class ResultFileError(ChunkFilterError):
    """A saved result cannot be read: truncated, altered, of another format or of a newer version."""


class LedgerError(ChunkFilterError):
    """A ledger cannot be made, read or written; the message names the file and the way out."""


class StorageError(ChunkFilterError):
    """A file of chunkfilter's own cannot be opened, read or written; the message names it."""


class DamagedFileError(StorageError):
    """A file of chunkfilter's own is damaged, foreign, or of a version that cannot be read."""


class StoreError(ChunkFilterError):
    """A vector store cannot be read or changed as asked."""
