"""Settings of the whole suite: no model hub, no telemetry; the corpora's folder, if there is one."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# all of Chroma's clients in memory share one store and must agree on its settings
os.environ["ANONYMIZED_TELEMETRY"] = "False"

# tests are never timed: a busy machine is no fault of the code
settings.register_profile(
    "suite", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with the real corpora; tests that need it are skipped where there is none."""
    folder = os.environ.get("CHUNKFILTER_DATA")
    if not folder:
        pytest.skip("set CHUNKFILTER_DATA to the folder with the corpora to run this test")
    return Path(folder)
