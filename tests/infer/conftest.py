"""A release folder that several tests read."""

from pathlib import Path

import pytest

import discreet as dc
from discreet.infer.release_folder import FolderReader
from tests.infer.published import publish


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("first"), "1")


@pytest.fixture(scope="module")
def held(made: Path) -> FolderReader:
    return dc.infer.folder(made)
