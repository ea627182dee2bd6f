"""Settings for all tests, chance that repeats itself, and a PostgreSQL server for those that want one."""

import os
import random
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests import servers

os.environ.pop("COLUMNS", None)  # a console that is made while it is set keeps that width, whatever a test asks for

settings.register_profile("shared machine", deadline=None, max_examples=50)
settings.load_profile("shared machine")


class Chance:
    """Random bytes that are the same in every run of one test, but for the processes that it starts."""

    def __init__(self) -> None:
        self.word, self.process, self.system, self.stream = "", os.getpid(), os.urandom, random.Random("")

    def begin(self, name: str) -> None:
        self.stream = random.Random(f"{self.word} {name}")

    def __call__(self, size: int) -> bytes:
        return self.stream.randbytes(size) if os.getpid() == self.process else self.system(size)


CHANCE = Chance()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--chance", default="", help="any word: the random bytes of another run of the tests")


@pytest.fixture(scope="session", autouse=True)
def random_bytes(request: pytest.FixtureRequest) -> Iterator[None]:
    """What draws noise or makes a secret in this process gets the same bytes every time the tests are run."""
    CHANCE.word = request.config.getoption("--chance")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "urandom", CHANCE)
        patch.setattr(random, "_urandom", CHANCE)  # what the module secrets draws from
        yield


@pytest.fixture(autouse=True)
def same_random_bytes(request: pytest.FixtureRequest) -> None:
    """The bytes of a test do not depend on the tests before it."""
    CHANCE.begin(request.node.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> Iterator[None]:
    """Nor do those of what several tests share."""
    before = CHANCE.stream
    if fixturedef.scope != "function":
        CHANCE.begin(f"{request.node.nodeid} {fixturedef.argname}")
    result = yield
    if fixturedef.scope != "function":
        CHANCE.stream = before
    return result


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
