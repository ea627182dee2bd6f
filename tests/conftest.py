"""Settings for all tests, and a PostgreSQL server for those that want one."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests import servers

os.environ.pop("COLUMNS", None)  # a console that is made while it is set keeps that width, whatever a test asks for

settings.register_profile("shared machine", deadline=None, max_examples=50)
settings.load_profile("shared machine")


def unavailable(reason: str) -> None:
    """Skip on a developer's machine; the gate has everything installed, so there it is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres() -> Iterator[servers.Postgres]:
    """A PostgreSQL server of its own, in a temporary folder."""
    programs = servers.programs()
    if programs is None:
        unavailable("PostgreSQL is not installed; apt-get install postgresql")
        return
    with servers.server(programs) as running:
        yield running
