"""Settings for all tests: repeatable chance, servers, and a release that is paid from a ledger."""

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

os.environ.pop("COLUMNS", None)  # a console that is created while COLUMNS is set keeps that width

settings.register_profile("same", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("fresh", deadline=None, max_examples=50, derandomize=False, database=None)

setattr(providers, "is_local_module_file", lambda _: False)  # noqa: B010 - it is private
"""Hypothesis tries numbers from loaded modules. Without this, its examples would depend on earlier tests."""


class Chance:
    """Random bytes that are the same in every run of a test. Processes that the test starts draw other bytes."""

    def __init__(self) -> None:
        self.word, self.process, self.system, self.stream = "", os.getpid(), os.urandom, random.Random("")

    def begin(self, name: str) -> None:
        self.stream = random.Random(f"{self.word} {name}")

    def __call__(self, size: int) -> bytes:
        return self.stream.randbytes(size) if os.getpid() == self.process else self.system(size)


CHANCE = Chance()

NEW = -1
"""The value of --fresh without a seed."""


def seed(text: str) -> int:
    """Return the seed that was given. Raise UsageError for a path, which argparse takes as the value of --fresh."""
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
    """Set the profile before Hypothesis reads its options. Worker processes take the seed of the main process."""
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
    """Pass the seed to a worker process of pytest-xdist."""
    node.workerinput["fresh"] = node.config.option.fresh


def pytest_sessionstart(session: pytest.Session) -> None:
    """Print how to repeat the run. (A quiet pytest does not show headers.)"""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and session.config.option.fresh is not None:
        reporter.write_line(f"fresh chance: repeat with --fresh={session.config.option.fresh}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """Print how to repeat the run below the failures, too."""
    if exitstatus and config.option.fresh is not None:
        terminalreporter.write_line(f"fresh chance: repeat with --fresh={config.option.fresh}")


@pytest.fixture(scope="session", autouse=True)
def random_bytes() -> Iterator[None]:
    """Give the same bytes in every run to everything that draws noise or makes a secret in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "urandom", CHANCE)
        patch.setattr(random, "_urandom", CHANCE)  # what the module secrets draws from
        yield


@pytest.fixture(autouse=True)
def same_random_bytes(request: pytest.FixtureRequest) -> None:
    """Begin the bytes of a test anew, so that they do not depend on earlier tests."""
    CHANCE.begin(request.node.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> Iterator[None]:
    """Begin the bytes of shared fixtures anew, so that they do not depend on earlier tests."""
    before = CHANCE.stream
    if fixturedef.scope != "function":
        CHANCE.begin(f"{request.node.nodeid} {fixturedef.argname}")
    result = yield
    if fixturedef.scope != "function":
        CHANCE.stream = before
    return result


def unavailable(reason: str) -> None:
    """Skip the test; fail in the gate, which has everything installed."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres() -> Iterator[servers.Postgres]:
    """Start a PostgreSQL server in a temporary folder."""
    programs = servers.programs()
    if programs is None:
        unavailable("PostgreSQL is not installed; apt-get install postgresql")
        return
    with servers.server(programs) as running:
        yield running


@pytest.fixture(scope="session")
def spark() -> Iterator[servers.Spark]:
    """Start one Spark session for all tests, because its start is slow."""
    if shutil.which("java") is None:
        unavailable("there is no Java; apt-get install openjdk-17-jre-headless")
    from discreet.count.engines.spark import running_session

    with pytest.MonkeyPatch.context() as patch:  # a short session needs no optimising compiler
        patch.setenv("PYSPARK_SUBMIT_ARGS", "--driver-java-options -XX:TieredStopAtLevel=1 pyspark-shell")
        with running_session():
            yield servers.Spark()


@pytest.fixture
def paid(tmp_path: Path) -> dict[str, Any]:
    """Return the specification of a table by sex that is paid from a ledger. It also declares the dimension `side`."""
    from tests import town

    spec = town.settle(tmp_path)
    spec["dimensions"]["side"] = {"column": "side", "categories": ["n", "s"]}
    return spec | {
        "tables": [{"name": "t", "dimensions": ["sex"], "margins": "all"}],
        "ledger": town.endow(tmp_path),
    }
