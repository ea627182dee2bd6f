"""One explorer for all tests of a process."""

import pytest

from tests.web.explorer.shown import Reader, reader_of


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return reader_of(tmp_path_factory.mktemp("explorer"))
