"""A release folder that several tests read."""

from pathlib import Path

import pytest

import discreet as dc
from discreet.infer.release_folder import FolderReader
from tests.infer.published import publish


@pytest.fixture(scope="module")
def folder_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("first"), "1")


@pytest.fixture(scope="module")
def reader(folder_path: Path) -> FolderReader:
    return dc.infer.folder(folder_path)


@pytest.fixture(scope="module")
def clamped(tmp_path_factory: pytest.TempPathFactory) -> FolderReader:
    """A folder whose tables are not made to add up, so that every cell has the interval of its own measurement."""
    return dc.infer.folder(publish(tmp_path_factory.mktemp("clamped"), "1", reconcile="none"))
