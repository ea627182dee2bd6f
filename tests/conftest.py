"""Settings for all tests, chance that repeats itself, servers for those that want one, and a paid release."""

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests import servers

os.environ.pop("COLUMNS", None)  # a console that is made while it is set keeps that width, whatever a test asks for

settings.register_profile("same", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("fresh", deadline=None, max_examples=50, derandomize=False, database=None)

setattr(providers, "is_local_module_file", lambda _: False)  # noqa: B010 - it is private
"""Hypothesis tries the numbers that it finds in loaded modules: what it tries would depend on the tests before."""


class Chance:
    """Random bytes that are the same in every run of one test, but for the processes that it starts."""

    def __init__(self) -> None:
        self.word, self.process, self.system, self.stream = "", os.getpid(), os.urandom, random.Random("")

    def begin(self, name: str) -> None:
        self.stream = random.Random(f"{self.word} {name}")

    def __call__(self, size: int) -> bytes:
        return self.stream.randbytes(size) if os.getpid() == self.process else self.system(size)


CHANCE = Chance()

NEW = -1
"""Stands for a seed that is still to be drawn."""


def seed(text: str) -> int:
    """The seed that was given. A path is no seed, but is taken for one where it follows --fresh."""
    if not (text.isascii() and text.isdigit()):
        raise pytest.UsageError(
            f"--fresh is followed by {text!r}, which is no whole number; write --fresh=7, or write --fresh last"
        )
    return int(text)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fresh",
        nargs="?",
        type=seed,
        const=NEW,
        metavar="SEED",
        help="other examples of Hypothesis and other random bytes than in every run: new ones, or those of this seed",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Before Hypothesis reads its options. A process that was started to run tests takes the seed of the first."""
    if config.option.fresh == NEW:
        seed_of_main = getattr(config, "workerinput", {}).get("fresh")
        config.option.fresh = random.SystemRandom().randrange(10**9) if seed_of_main is None else seed_of_main
    if config.option.fresh is None:
        settings.load_profile("same")
    else:
        settings.load_profile("fresh")
        config.option.hypothesis_seed = config.option.fresh
        CHANCE.word = f"{config.option.fresh}"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """What pytest-xdist tells a process that it starts."""
    node.workerinput["fresh"] = node.config.option.fresh


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say how to repeat the run; a header is not shown where pytest is quiet."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and session.config.option.fresh is not None:
        reporter.write_line(f"fresh chance: repeat with --fresh={session.config.option.fresh}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """And again below what failed."""
    if exitstatus and config.option.fresh is not None:
        terminalreporter.write_line(f"fresh chance: repeat with --fresh={config.option.fresh}")


@pytest.fixture(scope="session", autouse=True)
def random_bytes() -> Iterator[None]:
    """What draws noise or makes a secret in this process gets the same bytes every time the tests are run."""
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


@pytest.fixture(scope="session")
def spark() -> Iterator[servers.Spark]:
    """One session for all tests, as its start is slow."""
    if shutil.which("java") is None:
        unavailable("there is no Java; apt-get install openjdk-17-jre-headless")
    from discreet.count.engines.spark import _running

    with pytest.MonkeyPatch.context() as patch:  # Java need not compile well for so short a life
        patch.setenv("PYSPARK_SUBMIT_ARGS", "--driver-java-options -XX:TieredStopAtLevel=1 pyspark-shell")
        with _running():
            yield servers.Spark()


@pytest.fixture
def paid(tmp_path: Path) -> dict[str, Any]:
    """The specification of a table by sex that is paid from a ledger; a side of the river is declared, too."""
    from tests import town

    spec = town.settle(tmp_path)
    spec["dimensions"]["side"] = {"column": "side", "categories": ["n", "s"]}
    return spec | {
        "tables": [{"name": "t", "dimensions": ["sex"], "margins": "all"}],
        "ledger": town.endow(tmp_path),
    }
